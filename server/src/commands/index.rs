//! `recall-kit-server index`: copies the search index of one server into a file, from which another server
//! can start.

use std::{fs::File, io::BufReader, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use recall_kit_core::indexing::{
    index_folder,
    index_snapshot::{self, SnapshotError},
};
use recall_kit_settings::SearchEngine;
use uuid::Uuid;

use super::{eprint, print};
use crate::database_args::DatabaseArgs;

/// The subcommands of `index`.
#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Write the index into a file; also while servers run on it
    Save(SaveArgs),
    /// Start from the index of another server on the same database; no server may be using the
    /// folder
    Load(LoadArgs),
}

/// Flags of `index save`.
#[derive(Debug, Args)]
pub(crate) struct SaveArgs {
    /// Where to write a tar archive
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of `index load`.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// What `index save` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the index that is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Runs the subcommand.
pub(crate) async fn run(command: &IndexCommand) -> anyhow::Result<ExitCode> {
    match command {
        IndexCommand::Save(args) => save(args).await,
        IndexCommand::Load(args) => load(args).await,
    }
}

async fn save(args: &SaveArgs) -> anyhow::Result<ExitCode> {
    let (folder, database) = folder(&args.database).await?;
    let file = args.file.clone();
    let cannot = || format!("cannot write {}", args.file.display());
    let beside = args
        .file
        .parent()
        .filter(|path| !path.as_os_str().is_empty());
    let beside = beside.unwrap_or(std::path::Path::new("."));
    // Written under another name first, so that the file appears completely or not at all.
    let temporary = tempfile::NamedTempFile::new_in(beside).with_context(cannot)?;
    let saving = tokio::task::spawn_blocking(move || {
        let bytes = index_snapshot::save(&folder, database, temporary.as_file())?;
        temporary.as_file().sync_all()?;
        temporary.persist(&file).map_err(|error| error.error)?;
        Ok::<_, SnapshotError>(bytes)
    });
    let bytes = saving.await?.with_context(cannot)?;
    eprint(&format!(
        "saved {:.1} MB of the index of the database {database}",
        bytes as f64 / 1e6
    ));
    Ok(ExitCode::SUCCESS)
}

async fn load(args: &LoadArgs) -> anyhow::Result<ExitCode> {
    let cannot = || format!("cannot load {}", args.file.display());
    let file = BufReader::new(File::open(&args.file).with_context(cannot)?);
    let (folder, database) = folder(&args.database).await?;
    let replace = args.force;
    let loading =
        tokio::task::spawn_blocking(move || index_snapshot::load(&folder, database, file, replace));
    let count = loading.await?.with_context(cannot)?;
    print(&format!(
        "loaded {count} files of the index; the next start adds later records from the database"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the folder of the index of experiences, and the id of its database.
async fn folder(database: &DatabaseArgs) -> anyhow::Result<(PathBuf, Uuid)> {
    let settings = database.load()?;
    if settings.search.engine == SearchEngine::Postgres {
        eprint(
            "search.engine is \"postgres\": experiences have no index on disk, so this applies to entries \
             and documentation only",
        );
    }
    let (store, _) = super::open(&settings).await?;
    let id = store.database_id().await;
    store.close().await;
    let id = id?;
    Ok((index_folder::index_folder(&settings, id)?, id))
}
