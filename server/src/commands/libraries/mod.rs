//! `recall-kit-server libraries`: searches and maintains the libraries of documentation, also while servers
//! run on the database. Standard output has only the table, the text or the JSON; messages go to standard
//! error.

mod read;
mod show;
mod upkeep;

use std::{process::ExitCode, sync::Arc};

use clap::{Args, Subcommand};
use jiff::Timestamp;
use recall_kit_core::{access::Caller, clock};
use recall_kit_libraries::{
    LibraryView,
    ingest::{Means, describer},
    is_stale, library_named, sandbox,
};
use recall_kit_store::{Library, Store};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    entries::{described, print_json},
    eprint, print,
    table::table,
};
use crate::database_args::DatabaseArgs;

/// The subcommands of `libraries`.
#[derive(Debug, Subcommand)]
pub(crate) enum LibrariesCommand {
    /// List libraries with their versions
    List(ListArgs),
    /// Find a library by its name or by what it is for
    Search(read::SearchArgs),
    /// Read a library's documentation on a topic
    Docs(read::DocsArgs),
    /// Show a library with its versions; with --since, what changed since an earlier version
    Show(show::ShowArgs),
    /// Set a library's default version or its description
    Set(upkeep::SetArgs),
    /// Ingest a library's sources again, of every version unless one is named
    Refresh(upkeep::RefreshArgs),
    /// Remove a library, or one of its versions
    Remove(upkeep::RemoveArgs),
}

/// Flags of `libraries list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Runs the subcommand.
pub(crate) async fn run(
    command: &LibrariesCommand,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    match command {
        LibrariesCommand::Search(args) => read::search(args).await?,
        LibrariesCommand::Docs(args) => read::docs(args).await?,
        LibrariesCommand::List(args) => {
            let (store, shown) = open(&args.database).await?;
            closing(store.as_ref(), list(store.as_ref(), args, &shown)).await?;
        }
        LibrariesCommand::Show(args) => {
            let (store, _) = open(&args.database).await?;
            closing(store.as_ref(), show::one(store.as_ref(), args)).await?;
        }
        LibrariesCommand::Set(args) => {
            let (store, _) = open(&args.database).await?;
            closing(store.as_ref(), upkeep::set(store.as_ref(), args)).await?;
        }
        LibrariesCommand::Refresh(args) => refresh(args, stop).await?,
        LibrariesCommand::Remove(args) => {
            let (store, _) = open(&args.database).await?;
            closing(store.as_ref(), upkeep::remove(store.as_ref(), args)).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn open(database: &DatabaseArgs) -> anyhow::Result<(Arc<dyn Store>, String)> {
    super::open(&database.load()?).await
}

/// Runs the work, and closes the database afterwards, also if it fails.
async fn closing(
    store: &dyn Store,
    work: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let done = work.await;
    store.close().await;
    done
}

async fn refresh(args: &upkeep::RefreshArgs, stop: &CancellationToken) -> anyhow::Result<()> {
    let settings = args.database.load()?;
    let (store, _) = super::open(&settings).await?;
    let chat = describer(&settings.ai);
    let sandbox = sandbox(&settings.libraries);
    let by = Caller::local();
    let means = Means {
        store: store.as_ref(),
        chat: chat.as_ref(),
        sandbox: &sandbox,
        now: clock::now(),
        by: &by,
    };
    closing(store.as_ref(), upkeep::refresh(means, args, stop)).await
}

/// Finds a library by name.
async fn named(store: &dyn Store, name: &str) -> anyhow::Result<Library> {
    let view = LibraryView::from(store.library_snapshot().await?);
    let library = library_named(&view, name, "libraryName").map_err(described)?;
    Ok(library.clone())
}

async fn list(store: &dyn Store, args: &ListArgs, database: &str) -> anyhow::Result<()> {
    let view = LibraryView::from(store.library_snapshot().await?);
    let libraries = view.libraries();
    if args.json {
        let records: Vec<Value> = libraries.iter().map(json_of).collect();
        return print_json(&records);
    }
    if libraries.is_empty() {
        eprint(&format!(
            "no libraries in {database}; `recall-kit-server ingest NAME SOURCE` creates one"
        ));
        return Ok(());
    }
    let head = ["ID", "NAME", "DEFAULT", "VERSIONS", "SNIPPETS", "INGESTED"];
    let rows: Vec<[String; 6]> = libraries.iter().map(row).collect();
    Ok(print(&table(head, &rows))?)
}

fn row(library: &Library) -> [String; 6] {
    let versions = library.versions.iter();
    let snippets: u64 = versions.clone().map(|version| version.chunks).sum();
    let newest = versions.map(|version| version.ingested_at).max();
    [
        library.id.to_string(),
        library.name.clone(),
        library.default_version.clone(),
        library.versions.len().to_string(),
        snippets.to_string(),
        newest.map_or_else(String::new, day),
    ]
}

/// Returns the day of a moment, and whether documentation that was ingested then may be out of date.
fn day(moment: Timestamp) -> String {
    let stale = match is_stale(moment, Timestamp::now()) {
        true => " (stale)",
        false => "",
    };
    format!("{}{stale}", moment.strftime("%F"))
}

fn json_of(library: &Library) -> Value {
    let versions = library.versions.iter().map(|version| {
        json!({
            "version": version.version,
            "default": version.version == library.default_version,
            "source": version.source,
            "revision": version.revision,
            "files": version.files,
            "snippets": version.chunks,
            "tokens": version.tokens,
            "ingestedAt": version.ingested_at,
            "stale": is_stale(version.ingested_at, Timestamp::now()),
        })
    });
    json!({
        "libraryId": library.id,
        "name": library.name,
        "description": library.description,
        "defaultVersion": library.default_version,
        "versions": versions.collect::<Vec<Value>>(),
    })
}
