//! `completions`: prints a completion script.

use clap::CommandFactory as _;

use crate::{
    args::{Args, CompletionsArgs},
    terminal::printer::Printer,
};

pub(crate) fn run(args: &CompletionsArgs, printer: &Printer) -> anyhow::Result<()> {
    let mut command = Args::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    printer.raw(&String::from_utf8(script)?)?;
    Ok(())
}
