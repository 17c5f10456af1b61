//! `recall-kit-server ingest`: ingests documentation into a library. Standard output has the result;
//! progress and unreadable files go to standard error. With `--json` everything is written as `events`.

mod events;

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use recall_kit_core::{access::Caller, clock};
use recall_kit_documents::by_version;
use recall_kit_libraries::ingest::{self, LATEST, Means, Report, Request};
use recall_kit_sources::SourceOptions;
use tokio_util::sync::CancellationToken;

use self::events::Events;
use super::progress::Progress;
use crate::database_args::DatabaseArgs;

/// The most unreadable files that are named one by one.
const NAMED: usize = 20;

/// Flags of `ingest`.
#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// The library's name; a new one is created
    #[arg(value_name = "NAME")]
    library: String,
    /// A folder, file, zip or tar archive, git repository, or the web address of one
    #[arg(value_name = "SOURCE")]
    source: String,
    /// The version to ingest; an existing one is replaced [default: the tag, else latest]
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// The tag, branch or commit of a git repository
    #[arg(long, value_name = "REF")]
    at: Option<String>,
    /// Ingest every tag of a git repository as a version; the newest becomes the default
    #[arg(long, conflicts_with_all = ["version", "at"])]
    tags: bool,
    /// Make this the default version
    #[arg(long)]
    default: bool,
    /// What the library is
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Allow private addresses, such as an intranet's
    #[arg(long)]
    allow_private: bool,
    /// Write events as JSON, one object per line: `reading`, `progress`, and at the end of each
    /// version `done` or `failed`
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Ingests one version, or one for each tag, until it is done or `stop` is cancelled.
pub(crate) async fn run(args: &IngestArgs, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let settings = args.database.load()?;
    let options = SourceOptions {
        allow_private_addresses: args.allow_private,
        ..SourceOptions::default()
    };
    let versions = versions(args, &options).await?;
    let (store, _) = super::open(&settings).await?;
    let chat = ingest::describer(&settings.ai);
    let sandbox = recall_kit_libraries::sandbox(&settings.libraries);
    let reading = async {
        for (at, version, is_default) in versions {
            let request = Request {
                library: args.library.clone(),
                description: args.description.clone(),
                version,
                at,
                is_default,
                source: args.source.clone().into(),
                options: options.clone(),
            };
            let by = Caller::local();
            let means = Means {
                store: store.as_ref(),
                chat: chat.as_ref(),
                sandbox: &sandbox,
                now: clock::now(),
                by: &by,
            };
            read(means, request, args.json).await?;
        }
        anyhow::Ok(())
    };
    let read = stop.run_until_cancelled(reading).await;
    store.close().await;
    let Some(read) = read else {
        bail!("stopped; the version that was being ingested is unchanged");
    };
    read?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the versions to ingest: the tag or branch, the version's name, and whether it becomes the default.
async fn versions(
    args: &IngestArgs,
    options: &SourceOptions,
) -> anyhow::Result<Vec<(Option<String>, String, bool)>> {
    if !args.tags {
        let version = args.version.clone().or_else(|| args.at.clone());
        let version = version.unwrap_or_else(|| LATEST.to_owned());
        return Ok(vec![(args.at.clone(), version, args.default)]);
    }
    let mut tags = ingest::tags(&args.source, options).await?;
    if tags.is_empty() {
        bail!(
            "{} has no tags; omit --tags to ingest its current state",
            args.source
        );
    }
    tags.sort_by(|a, b| by_version(a, b));
    let newest = tags.last().cloned();
    let versions = tags.into_iter().map(|tag| {
        let is_newest = Some(&tag) == newest.as_ref();
        (Some(tag.clone()), tag, is_newest)
    });
    Ok(versions.collect())
}

/// Ingests one version and prints the result, as events or as text.
pub(super) async fn read(
    means: Means<'_>,
    request: Request,
    as_events: bool,
) -> anyhow::Result<()> {
    if as_events {
        read_with_events(means, request).await
    } else {
        read_with_text(means, request).await
    }
}

async fn read_with_events(means: Means<'_>, request: Request) -> anyhow::Result<()> {
    let (failed, events) = (failure(&request), Events::begin(&request)?);
    let mut written = Ok(());
    let on_progress = |progress: &ingest::Progress| {
        // If nobody reads the events, ingesting still continues; the error is returned at the end.
        if written.is_ok() {
            written = events.progress(progress);
        }
    };
    match ingest::ingest(means, request, on_progress).await {
        Ok(report) => Ok(written.and_then(|()| events.done(&report))?),
        Err(error) => {
            events.failed(&error)?;
            Err(anyhow::Error::new(error).context(failed))
        }
    }
}

/// Ingests one version, with the progress and the unreadable files on standard error.
async fn read_with_text(means: Means<'_>, request: Request) -> anyhow::Result<()> {
    let (failed, library) = (failure(&request), request.library.clone());
    let mut progress = Progress::of("reading", "chunks", None);
    let on_progress = |state: &ingest::Progress| {
        progress.expect(state.total);
        progress.advance(state.done(), state.chunks);
    };
    let report = ingest::ingest(means, request, on_progress).await;
    let report = report.context(failed)?;
    let broken = report.left.iter().filter(|left| left.broken);
    for left in broken.chain(&report.notes).take(NAMED) {
        progress.eprint(&left.to_string());
    }
    if let Some(failure) = &report.not_described {
        progress.eprint(&format!(
            "examples keep the titles of their headings, because {failure}; the next run tries again"
        ));
    }
    drop(progress);
    answer(&library, &report)
}

/// Returns the message for a version that could not be ingested.
fn failure(
    Request {
        library, version, ..
    }: &Request,
) -> String {
    format!("{library} {version} was not ingested; it is unchanged")
}

/// Prints the result.
fn answer(library: &str, report: &Report) -> anyhow::Result<()> {
    let Report {
        library_id,
        version,
        files,
        unchanged,
        chunks,
        examples,
        tokens,
        seconds,
        ..
    } = report;
    super::print(&format!(
        "{library} {version} (library {library_id}): {files} files, {unchanged} of them unchanged; \
         {chunks} chunks, {examples} of them examples; {tokens} tokens; {seconds:.1} s"
    ))?;
    for (reason, count, example) in report.reasons() {
        super::print(&format!("  skipped {count}: {reason}, such as {example}"))?;
    }
    Ok(())
}
