//! `recall-kit-server migrate-store`: everything of one database into another one, compared at the end.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, bail};
use clap::Args;
use recall_kit_core::app;
use recall_kit_settings::Settings;
use recall_kit_store::{Store, StoreError};
use recall_kit_transfer::migrate_store::{self, Event, Report, Row, Verdict};
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use super::{print, progress::Progress, table::table, tell};

/// Flags of `migrate-store`.
#[derive(Debug, Args)]
#[command(after_help = "\
Both databases may be of any kind, and servers may use both; what they write to the old one meanwhile is \
moved by running the command again, best once they are stopped. A move that broke off is continued in the \
same way. Records that are in the new database already stay as they are; others of the same id are named \
as conflicts. At the end everything is read from both and compared; the command ends with 1 when they \
differ. Texts that a language model wrote about examples stay behind: they are a cache.")]
pub(crate) struct MigrateStoreArgs {
    /// Database to read, as sqlite:PATH or postgres://USER@HOST/NAME
    #[arg(long, value_name = "URL")]
    from: String,
    /// Database to fill; a SQLite file is created
    #[arg(long, value_name = "URL")]
    to: String,
    /// Settings file (TOML), for how to connect
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Moves everything, unless it is told to stop. Fails when the databases differ at the end.
pub(crate) async fn run(
    args: &MigrateStoreArgs,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    if place_of(&args.from) == place_of(&args.to) {
        bail!("--from and --to name the same database; nothing is to be moved");
    }
    if let Some(path) = sqlite_path(&args.from)
        && !path.exists()
    {
        bail!("there is no database {}; look at --from", path.display());
    }
    let (source, _) = open(args, &args.from).await?;
    let (target, shown) = open(args, &args.to).await?;
    let moved = stop.run_until_cancelled(work(source.as_ref(), target.as_ref()));
    let moved = moved.await;
    source.close().await;
    target.close().await;
    let Some(moved) = moved else {
        bail!("stopped; what was moved stays, and running it again moves the rest");
    };
    let report =
        moved.context("the move broke off; what was moved stays, run it again for the rest")?;
    print_report(&report, &shown)?;
    Ok(match report.is_complete() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

async fn open(args: &MigrateStoreArgs, url: &str) -> anyhow::Result<(Arc<dyn Store>, String)> {
    let mut settings = Settings::load(args.config.as_deref(), &Map::new())?;
    settings.database.url = Some(url.into());
    settings.database.read_url = None;
    super::open(&settings).await
}

async fn work(source: &dyn Store, target: &dyn Store) -> anyhow::Result<Report> {
    let total = migrate_store::count(source).await?;
    let mut moving = Some(Progress::new("moving", Some(total)));
    let mut verifying: Option<Progress> = None;
    let heard = |event: Event| match event {
        Event::Moved(records) => {
            if let Some(progress) = &mut moving {
                progress.advance(records, records);
            }
        }
        Event::Verified(records) => {
            moving = None;
            let progress = verifying.get_or_insert_with(|| Progress::new("comparing", Some(total)));
            progress.advance(records, records);
        }
        Event::Conflict { kind, id, differs } => {
            let kind = kind.as_str();
            let words = format!("conflict: {kind} {id}: {differs}; the target's stays");
            match &moving {
                Some(progress) => progress.tell(&words),
                None => tell(&words),
            }
        }
        Event::Difference { kind, id, how } => {
            let words = format!("difference: {} {id}: {}", kind.as_str(), how.as_str());
            match &verifying {
                Some(progress) => progress.tell(&words),
                None => tell(&words),
            }
        }
    };
    match migrate_store::migrate_store(source, target, app::now(), heard).await {
        Err(StoreError::OtherModel { stored, configured }) => bail!(
            "the target's vectors were made with {stored}, the source's with {configured}; move into an \
             empty database, or `reembed` one of them with the other's model first"
        ),
        moved => Ok(moved?),
    }
}

/// Tells what became of it, and how the databases compare.
fn print_report(report: &Report, target: &str) -> anyhow::Result<()> {
    let rows: Vec<[String; 6]> = report.rows.iter().map(cells).collect();
    let head = [
        "KIND",
        "SOURCE",
        "TARGET",
        "SHA-256 OF SOURCE",
        "OF TARGET",
        "",
    ];
    print(&table(head, &rows))?;
    let Report {
        stored,
        already_there,
        conflicts,
        ..
    } = report;
    print(&format!(
        "moved {stored}, already there {already_there}, conflicts {conflicts}: {target}"
    ))?;
    let has = |verdict| report.rows.iter().any(|row| row.verdict() == verdict);
    if has(Verdict::SourceChanged) {
        tell("the source changed meanwhile; run it again, best while no server writes to it");
    }
    if has(Verdict::Different) {
        tell(
            "the databases differ; the target has records of its own or other ones under the same ids: \
             move into an empty database, or remove them there and run it again",
        );
    }
    Ok(())
}

fn cells(row: &Row) -> [String; 6] {
    let verdict = match row.verdict() {
        Verdict::Equal => "equal",
        Verdict::Different => "DIFFERENT",
        Verdict::SourceChanged => "source changed",
    };
    [
        row.kind.as_str().to_owned(),
        row.source.records.to_string(),
        row.target.records.to_string(),
        row.source.shown(),
        row.target.shown(),
        verdict.to_owned(),
    ]
}

/// Returns the file of a SQLite address.
fn sqlite_path(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite:")?;
    Some(PathBuf::from(path.strip_prefix("//").unwrap_or(path)))
}

/// Returns an address in a form in which one database has one address, as far as that can be told.
fn place_of(url: &str) -> String {
    match sqlite_path(url) {
        Some(path) => {
            let whole = std::fs::canonicalize(&path).or_else(|_| std::path::absolute(&path));
            whole.unwrap_or(path).display().to_string()
        }
        None => url
            .replacen("postgresql://", "postgres://", 1)
            .trim_end_matches('/')
            .to_owned(),
    }
}
