//! `recall-kit-server import`: takes in the records of an export. What became of them is the answer
//! on standard output; each line that was not taken in is named on standard error.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use clap::Args;
use recall_kit_server::{
    app,
    service::transfer::{self, Event, ImportReport},
};
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
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Imports, unless it is told to stop. Fails when a line was not taken in.
pub(crate) async fn run(args: &ImportArgs, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let settings = args.database.load()?;
    let (input, total) = input(&args.file)?;
    let embedder = app::embedder(&settings.embeddings);
    let configured = embedder.as_ref().map(|embedder| embedder.model());
    let (store, shown) = super::open(&settings).await?;
    let mut progress = Progress::new("importing", total);
    let heard = |event: Event<'_>| hear(&mut progress, event);
    let importing = transfer::import(store.as_ref(), configured, input, heard);
    let imported = stop.run_until_cancelled(importing).await;
    drop(progress);
    store.close().await;
    let Some(imported) = imported else {
        bail!("stopped; what was imported stays, and running it again takes in the rest");
    };
    let report = imported
        .context("the import broke off; what was imported stays, run it again for the rest")?;
    print(&report, &shown);
    let is_complete = report.conflicts == 0 && report.refused == 0;
    Ok(if is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
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

fn hear(progress: &mut Progress, event: Event<'_>) {
    match event {
        Event::Progress { records, bytes } => progress.advance(bytes, records),
        Event::Refused { line, reason } => {
            progress.tell(&format!("line {line}: refused: {reason}"));
        }
        Event::Conflict { line, id, differs } => progress.tell(&format!(
            "line {line}: conflict: {id} is another record here, which is kept; they differ in {}",
            differs.join(", ")
        )),
    }
}

#[expect(clippy::print_stdout, reason = "the command's answer")]
fn print(report: &ImportReport, database: &str) {
    println!(
        "imported {}, already there {}, conflicts {}, refused {}: {database}",
        report.imported, report.already_there, report.conflicts, report.refused
    );
    if report.without_vector > 0 {
        println!(
            "{} without a vector; a server with embeddings makes them in the background",
            report.without_vector
        );
    }
}
