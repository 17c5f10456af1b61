//! The command line of RecallKit's client; the client library does the work.
//!
//! Results go to stdout, messages to stderr. Exit codes: 0 success, 1 failure, 2 wrong usage, 130
//! interrupted, 143 terminated.

mod agents;
mod applies;
mod args;
mod citations;
mod commands;
mod diagnostics;
mod draft_form;
mod environment;
mod fence;
mod hosts;
mod terminal;
mod trust;
mod words;

use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

pub use args::Args;
use args::Command;
use commands::reading;
use printer::Printer;

use crate::terminal::printer;

/// Runs one command and returns the process's exit code; errors are reported on stderr.
pub fn run(args: Args) -> ExitCode {
    start_logging(&args);
    let printer = Printer::new(args.global.json, args.global.quiet);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return diagnostics::report(&printer, &error.into()),
    };
    let outcome = runtime.block_on(dispatch(args, &printer));
    // A thread that reads standard input may never end, so it is not waited for.
    runtime.shutdown_background();
    match outcome {
        Ok(code) => code,
        Err(error) => diagnostics::report(&printer, &error),
    }
}

async fn dispatch(args: Args, printer: &Printer) -> anyhow::Result<ExitCode> {
    let global = &args.global;
    match args.command {
        Command::Init(args) => commands::init::run(global, &args, printer).await?,
        Command::Query(args) => reading::query::run(global, &args, printer).await?,
        Command::Recall(args) => reading::recall::run(global, &args, printer).await?,
        Command::Show(args) => reading::show::run(global, &args, printer).await?,
        Command::Knowledge(args) => reading::knowledge::run(global, &args, printer).await?,
        Command::Docs(args) => reading::docs::run(global, &args, printer).await?,
        Command::Submit(args) => commands::submit::run(global, args, printer).await?,
        Command::Outcome(args) => commands::submit::outcome::run(global, args, printer).await?,
        Command::ImportFrom(args) => commands::import_from::run(global, args, printer).await?,
        Command::Summarize(args) => commands::summarize::run(global, &args, printer).await?,
        Command::Sanitize(args) => return commands::sanitize::run(global, &args, printer),
        Command::Environment(args) => reading::environment::run(global, &args, printer)?,
        Command::Mcp(args) => commands::mcp::run(global, &args, printer).await?,
        Command::Outbox(args) => commands::outbox::run(global, &args, printer).await?,
        Command::Demo => commands::demo::run(global, printer).await?,
        Command::Keys(args) => commands::keys::run(global, &args, printer).await?,
        Command::Trust(args) => commands::trust::run(&args, printer)?,
        Command::Doctor(args) => return commands::doctor::run(global, &args, printer).await,
        Command::Completions(args) => commands::generated::completions::run(&args, printer)?,
        Command::Man(args) => commands::generated::man::run(&args, printer)?,
        Command::Hook(args) => commands::hook::run(global, &args, printer).await,
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts logging to stderr with `-v`, and always for `mcp`: there nobody sees errors otherwise.
fn start_logging(args: &Args) {
    // At its lower levels rmcp logs whole messages, which are not sanitized yet when they come from an agent.
    // async-openai logs failures with the text of the question.
    let filter = match (args.global.verbose, &args.command) {
        (0, Command::Mcp(_)) => "warn,rmcp=error,async_openai=off",
        (0, _) => return,
        (1, _) => "warn,rmcp=error,recall_kit_client=debug,recall_kit_cli=debug,async_openai=off",
        _ => "debug,rmcp=error,async_openai=off",
    };
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(std::io::stderr)
        .with_ansi(console::colors_enabled_stderr())
        .init();
}
