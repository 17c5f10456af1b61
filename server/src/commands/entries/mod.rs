//! `recall-kit-server entries` and `generalize`: searches and changes the knowledge base, also while servers
//! run on the database. Standard output has only the table, the text or the JSON; messages go to standard
//! error.

mod decide;
mod folder;
mod promote;
mod show;
mod write;

use std::{process::ExitCode, sync::Arc};

use anyhow::anyhow;
use clap::Subcommand;
use recall_kit_core::{app::App, error::ServiceError, indexing::popularity, knowledge::entries};
use recall_kit_sanitizer::visible_json;
use recall_kit_settings::Settings;
use serde::Serialize;

use super::table::visible;

pub(crate) use self::write::GeneralizeArgs;

/// How to find an entry on the command line.
const HOW_TO_FIND: &str = "`recall-kit-server entries search WORDS` finds it";

/// The subcommands of `entries`.
#[derive(Debug, Subcommand)]
pub(crate) enum EntriesCommand {
    /// Add an entry; its text comes from --content, --file or standard input (--file -)
    Add(write::AddArgs),
    /// Show an entry with its links
    Show(show::ShowArgs),
    /// Search, best first
    Search(show::SearchArgs),
    /// Link one entry to another
    Link(write::LinkArgs),
    /// Promote an experience to an entry; the two then refer to each other
    Promote(promote::PromoteArgs),
    /// Import a folder of Markdown notes, all of them or none
    Import(folder::ImportArgs),
    /// Export every entry as a Markdown note; unchanged notes are left alone
    Export(folder::ExportArgs),
    /// List active entries that were not shown for a long time, the least remembered first
    Stale(show::StaleArgs),
    /// List pending suggestions, or accept or reject one
    Review(decide::ReviewArgs),
}

/// Runs the subcommand.
pub(crate) async fn run(command: &EntriesCommand) -> anyhow::Result<ExitCode> {
    let database = match command {
        EntriesCommand::Add(args) => &args.database,
        EntriesCommand::Show(args) => &args.database,
        EntriesCommand::Search(args) => &args.database,
        EntriesCommand::Link(args) => &args.database,
        EntriesCommand::Promote(args) => &args.database,
        EntriesCommand::Import(args) => &args.database,
        EntriesCommand::Export(args) => &args.database,
        EntriesCommand::Stale(args) => &args.database,
        EntriesCommand::Review(args) => &args.database,
    };
    let app = open(database.load()?).await?;
    let done = match command {
        EntriesCommand::Add(args) => write::add(&app, args).await,
        EntriesCommand::Show(args) => show::one(&app, args).await,
        EntriesCommand::Search(args) => show::search(&app, args).await,
        EntriesCommand::Link(args) => write::link(&app, args).await,
        EntriesCommand::Promote(args) => promote::promote(&app, args).await,
        EntriesCommand::Import(args) => folder::import(&app, args).await,
        EntriesCommand::Export(args) => folder::export(&app, args).await,
        EntriesCommand::Stale(args) => show::stale(&app, args).await,
        EntriesCommand::Review(args) => decide::review(&app, args).await,
    };
    close(&app).await?;
    done?;
    Ok(ExitCode::SUCCESS)
}

/// Creates a semantic entry from episodic ones.
pub(crate) async fn generalize(args: &GeneralizeArgs) -> anyhow::Result<ExitCode> {
    let app = open(args.database.load()?).await?;
    let done = write::generalize(&app, args).await;
    close(&app).await?;
    done?;
    Ok(ExitCode::SUCCESS)
}

/// Opens database, index and model like a server.
async fn open(settings: Settings) -> anyhow::Result<Arc<App>> {
    Ok(App::open(settings).await?)
}

/// Stores the collected counts and closes the database.
async fn close(app: &Arc<App>) -> anyhow::Result<()> {
    let counted = popularity::flush(&app.knowledge.records).await;
    app.store.close().await;
    Ok(counted?)
}

/// Returns an error whose message also has the messages about every field and the candidates.
pub(super) fn described(error: impl Into<ServiceError>) -> anyhow::Error {
    let error = error.into();
    if !matches!(error, ServiceError::Refused(_) | ServiceError::Invalid(_)) {
        return error.into();
    }
    let body = error.body();
    let mut message = body.message.replace(entries::HOW_TO_FIND, HOW_TO_FIND);
    let fields = body.validation_errors.iter().flatten();
    for field in fields.filter(|field| field.message != body.message) {
        message.push_str(&format!("\n  {}: {}", field.field, field.message));
    }
    let details = body.details.as_ref();
    let candidates = details.and_then(|details| details["candidates"].as_array());
    for one in candidates.into_iter().flatten() {
        let part = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
        message.push_str(&format!("\n  {}  {}", part("id"), visible(&part("title"))));
    }
    anyhow!(message)
}

/// Prints an answer as JSON, with escapes for characters that a terminal obeys or does not show.
pub(super) fn print_json(answer: &impl Serialize) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(answer)?;
    Ok(super::print(&visible_json(&json))?)
}
