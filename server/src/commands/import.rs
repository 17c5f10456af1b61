//! `recall-kit-server import`: takes in the records of an export, and waits for their vectors where that
//! is wanted. What became of them is the answer on standard output; each line that was not taken in is
//! named on standard error.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::Args;
use recall_kit_core::{app, vectors::backfill};
use recall_kit_embed::Embedder;
use recall_kit_store::Store;
use recall_kit_transfer::{Event, ImportReport};
use tokio_util::sync::CancellationToken;

use super::progress::Progress;
use crate::args::DatabaseArgs;

/// Bytes read from a file at once.
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

/// Imports, and waits for the vectors where that is wanted, unless it is told to stop. Fails when a
/// line was not taken in.
pub(crate) async fn run(args: &ImportArgs, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let settings = args.database.load()?;
    let (input, total) = input(&args.file)?;
    let embedder = app::embedder(&settings.embeddings);
    if args.wait && embedder.is_none() {
        bail!(
            "nothing makes vectors while embeddings are off; leave --wait out, or set embeddings.provider"
        );
    }
    let (store, shown) = super::open(&settings).await?;
    let work = Work {
        store: store.as_ref(),
        embedder: embedder.as_deref(),
        stop,
    };
    let waits_with = work.embedder.filter(|_| args.wait);
    let working = async {
        if let Some(embedder) = waits_with {
            store.claim_embedding_model(embedder.model()).await?;
        }
        let report = work.import(input, total).await?;
        print(&report, &shown, args.wait);
        if let Some(embedder) = waits_with {
            let folder = app::index_folder(&settings, store.database_id().await?)?;
            work.wait_for_vectors(embedder, &folder).await?;
        }
        anyhow::Ok(report)
    };
    let worked = working.await;
    store.close().await;
    let report = worked?;
    let is_complete = report.conflicts == 0 && report.refused == 0;
    Ok(if is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What both parts of the work need.
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
        let mut said_unfit = false;
        let heard = |event: Event<'_>| hear(&mut progress, &mut said_unfit, event);
        let importing = recall_kit_transfer::import(self.store, self.embedder, input, heard);
        let imported = self.stop.run_until_cancelled(importing).await;
        drop(progress);
        let Some(imported) = imported else {
            bail!("stopped; what was imported stays, and running it again takes in the rest");
        };
        imported.context("the import broke off; what was imported stays, run it again for the rest")
    }

    /// Ends when every record has its vector; `folder` is the index's.
    async fn wait_for_vectors(&self, embedder: &dyn Embedder, folder: &Path) -> anyhow::Result<()> {
        let mut begun: Option<(u64, Progress)> = None;
        let heard = |missing| {
            let begin = || (missing, Progress::new("making vectors", Some(missing)));
            let (total, progress) = begun.get_or_insert_with(begin);
            let done = total.saturating_sub(missing);
            progress.advance(done, done);
        };
        let waiting = backfill::complete(self.store, embedder, folder, heard);
        let waited = self.stop.run_until_cancelled(waiting).await;
        drop(begun);
        let Some(waited) = waited else {
            bail!("stopped; the vectors that were made stay, and a server makes the others");
        };
        waited.context("the vectors that were made stay; a server makes the others")?;
        tell_complete(embedder.model());
        Ok(())
    }
}

#[expect(clippy::print_stdout, reason = "the command's answer")]
fn tell_complete(model: &str) {
    println!("every record has a vector of {model}");
}

/// Opens what is to be read; also returns its size in bytes where that is known.
fn input(file: &Path) -> anyhow::Result<(Box<dyn BufRead + Send>, Option<u64>)> {
    if file.to_str() == Some("-") {
        let stdin = BufReader::with_capacity(BUFFER, io::stdin());
        return Ok((Box::new(stdin), None));
    }
    let cannot = || format!("cannot read {}", file.display());
    let opened = File::open(file).with_context(cannot)?;
    let present = opened.metadata().with_context(cannot)?;
    if present.is_dir() {
        bail!("{} is a folder", file.display());
    }
    let size = Some(present.len()).filter(|_| present.is_file());
    Ok((Box::new(BufReader::with_capacity(BUFFER, opened)), size))
}

fn hear(progress: &mut Progress, said_unfit: &mut bool, event: Event<'_>) {
    match event {
        Event::Progress { records, bytes } => progress.advance(bytes, records),
        Event::Refused { line, reason } => {
            progress.tell(&format!("line {line}: refused: {reason}"));
        }
        // They can be made anew, so the first one says enough.
        Event::UnfitVector { .. } if *said_unfit => {}
        Event::UnfitVector { line, reason } => {
            *said_unfit = true;
            progress.tell(&format!("line {line}: its vector is left out: {reason}"));
        }
        Event::Conflict { line, id, differs } => progress.tell(&format!(
            "line {line}: conflict: {id} is another record here, which is kept; they differ in {}",
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
            "{} vectors did not fit and were left out",
            report.unfit_vectors
        );
    }
    if report.without_vector > 0 && !waits {
        println!(
            "{} without a vector; a server with embeddings makes them in the background, --wait waits for \
             them",
            report.without_vector
        );
    }
}
