//! `recall-kit-server export`: writes every record as a JSON line, into a file or to standard output.
//!
//! A file appears completely or not at all: it is written under another name first.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::Args;
use recall_kit_store::Store;
use recall_kit_transfer as transfer;
use tokio_util::sync::CancellationToken;

use super::{eprint, progress::Progress};
use crate::database_args::DatabaseArgs;

/// Flags of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Where to write; - is standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave out the vectors: the file is smaller, and the import makes them again
    #[arg(long)]
    no_vectors: bool,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Exports, until it is done or `stop` is cancelled.
pub(crate) async fn run(args: &ExportArgs, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let target = match args.file.to_str() {
        Some("-") => None,
        _ => Some(target(&args.file, args.force)?),
    };
    let (store, shown) = super::open(&args.database.load()?).await?;
    let exporting = async {
        match &target {
            Some(path) => export_to(store.as_ref(), path, args).await,
            None => export(store.as_ref(), &mut io::stdout(), args).await,
        }
    };
    let exported = stop.run_until_cancelled(exporting).await;
    store.close().await;
    let Some(exported) = exported else {
        bail!("stopped; nothing was exported");
    };
    let records = exported?;
    eprint(&format!("exported {records} records of {shown}"));
    Ok(ExitCode::SUCCESS)
}

/// Returns the final path of the export.
///
/// *Errors*: if something else than a file has the path, or if a file has it and `force` is false.
fn target(file: &Path, force: bool) -> anyhow::Result<PathBuf> {
    let Ok(metadata) = fs::metadata(file) else {
        return Ok(file.to_owned());
    };
    let name = file.display();
    if !metadata.is_file() {
        bail!("{name} is not a file; use - to write to standard output");
    }
    if !force {
        bail!("{name} exists already; use another name, or --force to replace it");
    }
    // If the path is a link, the file that it points to is replaced, not the link.
    fs::canonicalize(file).with_context(|| format!("cannot use {name}"))
}

/// Exports into a temporary file in the target's folder, then renames it.
async fn export_to(store: &dyn Store, target: &Path, args: &ExportArgs) -> anyhow::Result<u64> {
    let folder = target.parent().filter(|path| !path.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let cannot = || format!("cannot write {}", target.display());
    let temporary = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
    let mut file = BufWriter::new(temporary);
    let records = export(store, &mut file, args).await.with_context(cannot)?;
    let temporary = file.into_inner().map_err(io::IntoInnerError::into_error);
    let temporary = temporary.with_context(cannot)?;
    temporary.as_file().sync_all().with_context(cannot)?;
    let renamed = match args.force {
        true => temporary.persist(target),
        false => temporary.persist_noclobber(target),
    };
    renamed.map_err(|error| error.error).with_context(cannot)?;
    Ok(records)
}

async fn export(
    store: &dyn Store,
    out: &mut (dyn Write + Send),
    args: &ExportArgs,
) -> anyhow::Result<u64> {
    let knowledge = store.knowledge_counts().await?;
    let total = store.stored_experience_count().await?
        + knowledge.entries
        + knowledge.links
        + knowledge.suggestions;
    let mut progress = Progress::new("exporting", Some(total));
    let advance = |records| progress.advance(records, records);
    Ok(transfer::export(store, !args.no_vectors, out, advance).await?)
}
