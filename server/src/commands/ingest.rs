//! `recall-kit-server ingest`: reads documentation into a library. What came of it is the answer on
//! standard output; progress and what could not be read go to standard error.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use jiff::Timestamp;
use recall_kit_server::{
    documents::{by_version, source::SourceOptions},
    service::ingest::{self, LATEST, Means, Report, Request},
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::progress::Progress;
use crate::args::DatabaseArgs;

/// Files that are named one by one where they could not be read.
const NAMED: usize = 20;

/// Flags of `ingest`.
#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// The library, made if there is none of this name
    #[arg(value_name = "NAME")]
    library: String,
    /// A folder, file, zip or tar archive, git repository, or the web address of one
    #[arg(value_name = "SOURCE")]
    source: String,
    /// The version that is read in, and replaced if it is there [default: the tag, else latest]
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// The tag, branch or commit of a git repository
    #[arg(long, value_name = "REF")]
    at: Option<String>,
    /// Read in every tag of a git repository as a version; the newest becomes the default
    #[arg(long, conflicts_with_all = ["version", "at"])]
    tags: bool,
    /// Make this the version that is meant where none is named
    #[arg(long)]
    default: bool,
    /// What the library is
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Read from addresses that the internet cannot reach, such as an intranet's
    #[arg(long)]
    allow_private: bool,
    /// Answer with one JSON object per version
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Reads in one version, or one for each tag, unless it is told to stop.
pub(crate) async fn run(args: &IngestArgs, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let settings = args.database.load()?;
    let options = SourceOptions {
        allow_private_addresses: args.allow_private,
        ..SourceOptions::default()
    };
    let versions = versions(args, &options).await?;
    let (store, _) = super::open(&settings).await?;
    let chat = ingest::describer(&settings.ai);
    let reading = async {
        for (at, version, is_default) in versions {
            let request = Request {
                library: args.library.clone(),
                description: args.description.clone(),
                version,
                at,
                is_default,
                source: args.source.clone(),
                options: options.clone(),
            };
            let means = Means {
                store: store.as_ref(),
                chat: chat.as_ref(),
                now: Timestamp::now(),
            };
            let report = read(means, request).await?;
            answer(&args.library, &report, args.json)?;
        }
        anyhow::Ok(())
    };
    let read = stop.run_until_cancelled(reading).await;
    store.close().await;
    let Some(read) = read else {
        bail!("stopped; the version that was being read is as it was before");
    };
    read?;
    Ok(ExitCode::SUCCESS)
}

/// What is read: the tag or branch, the version's name, and whether it becomes the default.
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
            "{} has no tags; leave --tags out to read what it has now",
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

/// Reads one version in, and says on standard error how far it is and what could not be read.
pub(super) async fn read(means: Means<'_>, request: Request) -> anyhow::Result<Report> {
    let what = format!("{} {}", request.library, request.version);
    let mut progress = Progress::new("reading", None);
    let heard = |heard: &ingest::Progress| progress.advance(heard.chunks, heard.chunks);
    let read = ingest::ingest(means, request, heard).await;
    let report =
        read.with_context(|| format!("{what} was not read in, and is as it was before"))?;
    let broken = report.left.iter().filter(|left| left.broken);
    for left in broken.chain(&report.notes).take(NAMED) {
        progress.tell(&left.to_string());
    }
    if let Some(failure) = &report.not_described {
        progress.tell(&format!(
            "examples keep the titles of their headings, as {failure}; the next run tries again"
        ));
    }
    Ok(report)
}

/// Prints what came of it.
pub(super) fn answer(library: &str, report: &Report, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        let mut line = json!(report);
        line["library"] = json!(library);
        super::print(&line.to_string())?;
        return Ok(());
    }
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
    for (reason, count, example) in reasons(report) {
        super::print(&format!(
            "  passed over {count}: {reason}, such as {example}"
        ))?;
    }
    Ok(())
}

/// Why files were passed over, the commonest reason first.
fn reasons(report: &Report) -> Vec<(&str, usize, &str)> {
    let mut reasons: Vec<(&str, usize, &str)> = Vec::new();
    for left in &report.left {
        match reasons
            .iter_mut()
            .find(|(reason, ..)| *reason == left.reason)
        {
            Some((_, count, _)) => *count += 1,
            None => reasons.push((&left.reason, 1, &left.path)),
        }
    }
    reasons.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
    reasons
}
