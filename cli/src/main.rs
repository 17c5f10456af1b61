//! The program `recall-kit-client`.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = recall_kit_cli::Args::parse();
    recall_kit_cli::run(args)
}
