//! `recall-kit-server backup` and `restore`: copies a SQLite database into one checked file, and back.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::bail;
use clap::Args;
use recall_kit_core::indexing::index_folder;
use recall_kit_store::{Holdings, StoreOptions};
use recall_kit_transfer::backup;
use tokio_util::sync::CancellationToken;

use super::print;
use crate::database_args::DatabaseArgs;

/// The message for a PostgreSQL database, after its address.
const POSTGRES: &str = "is PostgreSQL, which has its own tools: `pg_dump` and `pg_restore`, or base backups with \
                        WAL archiving to return to any moment; docs/operations/backup.md has the commands";

/// Flags of `backup`.
#[derive(Debug, Args)]
#[command(after_help = "\
Servers may keep writing: the backup is a snapshot of the database at one moment. It is checked before it \
gets its name, and contains everything but the search index, which servers rebuild. Only for SQLite; for \
PostgreSQL see docs/operations/backup.md.")]
pub(crate) struct BackupArgs {
    /// Where to write
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `restore`.
#[derive(Debug, Args)]
#[command(after_help = "\
The backup is checked first. The database is replaced in one step or not at all, never while a server uses \
it. The next start rebuilds its search index. Only for SQLite; for PostgreSQL see \
docs/operations/backup.md.")]
pub(crate) struct RestoreArgs {
    /// What `backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the database when there is one already; what it holds is lost
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Makes a backup, until it is done or `stop` is cancelled.
pub(crate) async fn backup(
    args: &BackupArgs,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    let options = args.database.load()?.store_options()?;
    let database = sqlite_file(&options)?;
    let making = backup::backup(&database, &args.file, args.force, options.patience);
    let Some(result) = stop.run_until_cancelled(making).await else {
        bail!("stopped; no backup was made");
    };
    let (holdings, bytes) = result?;
    let file = args.file.display();
    print(&format!(
        "backed up {}: {file}, {bytes} bytes, {}",
        options.url,
        summary(&holdings)
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Restores a backup; the first signal to stop does not interrupt it.
pub(crate) async fn restore(args: &RestoreArgs) -> anyhow::Result<ExitCode> {
    let settings = args.database.load()?;
    let options = settings.store_options()?;
    let database = sqlite_file(&options)?;
    // The index may contain records that the restored database lacks, under numbers that will be reused.
    let remove_index = |holdings: &Holdings| {
        let index = index_folder::index_folder(&settings, holdings.id).map_err(io::Error::other)?;
        match index.parent().filter(|folder| folder.exists()) {
            Some(folder) => std::fs::remove_dir_all(folder),
            None => Ok(()),
        }
    };
    let (force, patience) = (args.force, options.patience);
    let restoring = backup::restore(&args.file, &database, force, patience, remove_index);
    let holdings = restoring.await?;
    print(&format!("restored {}: {}", options.url, summary(&holdings)))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the file of a SQLite database.
///
/// *Errors*: if the database is PostgreSQL.
fn sqlite_file(options: &StoreOptions) -> anyhow::Result<PathBuf> {
    let Some(path) = options.url.expose().strip_prefix("sqlite:") else {
        bail!("{} {POSTGRES}", options.url);
    };
    Ok(Path::new(path.strip_prefix("//").unwrap_or(path)).to_owned())
}

/// Returns the schema and the number of records of each kind.
fn summary(holdings: &Holdings) -> String {
    let counts = holdings.counts.iter();
    let counts: Vec<String> = counts
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    format!("schema {}: {}", holdings.schema, counts.join(", "))
}
