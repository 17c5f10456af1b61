//! `recall-kit-server import`: imports the records of an export, and waits for their vectors with `--wait`.
//! Standard output has the result; standard error names each line that was not imported.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::Args;
use recall_kit_core::{
    indexing::index_folder,
    vectors::{self, backfill},
};
use recall_kit_embed::Embedder;
use recall_kit_store::Store;
use recall_kit_transfer::{Event, ImportReport};
use tokio_util::sync::CancellationToken;

use super::progress::Progress;
use crate::database_args::DatabaseArgs;

/// The size of the read buffer, in bytes.
const BUFFER: usize = 256 * 1024;

/// Flags of `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// What `export` wrote; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Wait until every record of the database has its vector
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Imports, and waits for the vectors with `--wait`, until it is done or `stop` is cancelled. Fails if a
/// line was not imported.
pub(crate) async fn run(args: &ImportArgs, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let settings = args.database.load()?;
    let (input, total) = input(&args.file)?;
    let embedder = vectors::embedder(&settings.embeddings);
    if args.wait && embedder.is_none() {
        bail!(
            "no vectors are computed while embeddings are off; omit --wait, or set embeddings.provider"
        );
    }
    let (store, shown) = super::open(&settings).await?;
    let work = Work {
        store: store.as_ref(),
        embedder: embedder.as_deref(),
        stop,
    };
    let wait_embedder = work.embedder.filter(|_| args.wait);
    let working = async {
        if let Some(embedder) = wait_embedder {
            store.claim_embedding_model(embedder.model()).await?;
        }
        let report = work.import(input, total).await?;
        print(&report, &shown, args.wait);
        if let Some(embedder) = wait_embedder {
            let folder = index_folder::index_folder(&settings, store.database_id().await?)?;
            work.wait_for_vectors(embedder, &folder).await?;
        }
        anyhow::Ok(report)
    };
    let result = working.await;
    store.close().await;
    let report = result?;
    let is_complete = report.conflicts == 0 && report.refused == 0;
    Ok(if is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The data that both parts of the command need.
struct Work<'a> {
    store: &'a dyn Store,
    embedder: Option<&'a dyn Embedder>,
    stop: &'a CancellationToken,
}

impl Work<'_> {
    async fn import(
        &self,
        input: Box<dyn BufRead + Send>,
        total: Option<u64>,
    ) -> anyhow::Result<ImportReport> {
        let mut progress = Progress::new("importing", total);
        let mut reported_unfit = false;
        let on_event = |event: Event<'_>| report_event(&mut progress, &mut reported_unfit, event);
        let importing = recall_kit_transfer::import(self.store, self.embedder, input, on_event);
        let imported = self.stop.run_until_cancelled(importing).await;
        drop(progress);
        let Some(imported) = imported else {
            bail!("stopped; the imported records are stored; run it again to import the rest");
        };
        imported.context(
            "the import failed; the records imported so far are stored; run it again for the rest",
        )
    }

    /// Waits until every record has its vector; `folder` is that of the index.
    async fn wait_for_vectors(&self, embedder: &dyn Embedder, folder: &Path) -> anyhow::Result<()> {
        let mut started: Option<(u64, Progress)> = None;
        let on_missing = |missing| {
            let start = || (missing, Progress::new("computing vectors", Some(missing)));
            let (total, progress) = started.get_or_insert_with(start);
            let done = total.saturating_sub(missing);
            progress.advance(done, done);
        };
        let waiting = backfill::complete(self.store, embedder, folder, on_missing);
        let result = self.stop.run_until_cancelled(waiting).await;
        drop(started);
        let Some(result) = result else {
            bail!("stopped; the computed vectors are stored, and a server computes the others");
        };
        result.context("the computed vectors are stored; a server computes the others")?;
        print_complete(embedder.model());
        Ok(())
    }
}

#[expect(clippy::print_stdout, reason = "the command's answer")]
fn print_complete(model: &str) {
    println!("every record has a vector of {model}");
}

/// Opens the input; also returns its size in bytes if it is known.
fn input(file: &Path) -> anyhow::Result<(Box<dyn BufRead + Send>, Option<u64>)> {
    if file.to_str() == Some("-") {
        let stdin = BufReader::with_capacity(BUFFER, io::stdin());
        return Ok((Box::new(stdin), None));
    }
    let cannot = || format!("cannot read {}", file.display());
    let opened = File::open(file).with_context(cannot)?;
    let metadata = opened.metadata().with_context(cannot)?;
    if metadata.is_dir() {
        bail!("{} is a folder", file.display());
    }
    let size = Some(metadata.len()).filter(|_| metadata.is_file());
    Ok((Box::new(BufReader::with_capacity(BUFFER, opened)), size))
}

fn report_event(progress: &mut Progress, reported_unfit: &mut bool, event: Event<'_>) {
    match event {
        Event::Progress { records, bytes } => progress.advance(bytes, records),
        Event::Refused { line, reason } => {
            progress.eprint(&format!("line {line}: refused: {reason}"));
        }
        // Only the first one is reported, since vectors can be computed again.
        Event::UnfitVector { .. } if *reported_unfit => {}
        Event::UnfitVector { line, reason } => {
            *reported_unfit = true;
            progress.eprint(&format!("line {line}: its vector is not imported: {reason}"));
        }
        Event::Conflict { line, id, differs } => progress.eprint(&format!(
            "line {line}: conflict: {id} is another record in this database, which is unchanged; they \
             differ in {}",
            differs.join(", ")
        )),
    }
}

#[expect(clippy::print_stdout, reason = "the command's answer")]
fn print(report: &ImportReport, database: &str, waits: bool) {
    println!(
        "imported {}, already there {}, conflicts {}, refused {}: {database}",
        report.imported, report.already_there, report.conflicts, report.refused
    );
    if report.unfit_vectors > 0 {
        println!(
            "{} vectors did not match the model and were not imported",
            report.unfit_vectors
        );
    }
    if report.without_vector > 0 && !waits {
        println!(
            "{} without a vector; a server with embeddings computes them in the background, --wait waits \
             for them",
            report.without_vector
        );
    }
}
