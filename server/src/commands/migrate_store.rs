//! `recall-kit-server migrate-store`: copies everything of one database into another, and compares them.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::{Context as _, bail};
use clap::Args;
use recall_kit_core::clock;
use recall_kit_settings::Settings;
use recall_kit_store::{Store, StoreError};
use recall_kit_transfer::migrate_store::{self, Event, Report, Row, Verdict};
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use super::{eprint, print, progress::Progress, table::table};

/// Flags of `migrate-store`.
#[derive(Debug, Args)]
#[command(after_help = "\
Both databases may be of any kind, and servers may use both. To copy what servers wrote to the old one \
meanwhile, or to continue after an interruption, run the command again, best when the servers are stopped. \
Records that exist in the new database are not changed; different ones with the same id are reported as \
conflicts. At the end everything is read from both and compared; the exit code is 1 if they differ. Texts \
that a language model wrote about examples are not copied, since they are a cache.")]
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

/// Copies everything, until it is done or `stop` is cancelled. Fails if the databases differ at the end.
pub(crate) async fn run(
    args: &MigrateStoreArgs,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    if canonical(&args.from) == canonical(&args.to) {
        bail!("--from and --to name the same database");
    }
    if let Some(path) = sqlite_path(&args.from)
        && !path.exists()
    {
        bail!("there is no database {}; check --from", path.display());
    }
    let (source, _) = open(args, &args.from).await?;
    let (target, shown) = open(args, &args.to).await?;
    let moved = stop.run_until_cancelled(work(source.as_ref(), target.as_ref()));
    let moved = moved.await;
    source.close().await;
    target.close().await;
    let Some(moved) = moved else {
        bail!("stopped; the moved records are stored; run it again to move the rest");
    };
    let report = moved.context(
        "the move failed; the records moved so far are stored; run it again for the rest",
    )?;
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
    let on_event = |event: Event| match event {
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
            let message =
                format!("conflict: {kind} {id}: {differs}; the target's record is unchanged");
            match &moving {
                Some(progress) => progress.eprint(&message),
                None => eprint(&message),
            }
        }
        Event::Difference { kind, id, how } => {
            let message = format!("difference: {} {id}: {}", kind.as_str(), how.as_str());
            match &verifying {
                Some(progress) => progress.eprint(&message),
                None => eprint(&message),
            }
        }
    };
    match migrate_store::migrate_store(source, target, clock::now(), on_event).await {
        Err(StoreError::OtherModel { stored, configured }) => bail!(
            "the target's vectors were computed with {stored}, the source's with {configured}; move into \
             an empty database, or `reembed` one of them with the other's model first"
        ),
        moved => Ok(moved?),
    }
}

/// Prints the result, and how the databases compare.
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
        eprint(
            "the source changed meanwhile; run it again, preferably while no server writes to it",
        );
    }
    if has(Verdict::Different) {
        eprint(
            "the databases differ: the target has additional records, or different ones with the same \
             ids; move into an empty database, or remove these records there and run it again",
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

/// Returns the canonical form of an address, so that two addresses of one database are equal if possible.
fn canonical(url: &str) -> String {
    match sqlite_path(url) {
        Some(path) => {
            let absolute = std::fs::canonicalize(&path).or_else(|_| std::path::absolute(&path));
            absolute.unwrap_or(path).display().to_string()
        }
        None => url
            .replacen("postgresql://", "postgres://", 1)
            .trim_end_matches('/')
            .to_owned(),
    }
}
