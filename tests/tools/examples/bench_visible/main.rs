//! Measures how long an author waits with a million records: for a submission, and until a query finds it,
//! alone and beside two readers that send queries without a pause.
//!
//! `cargo run --release -p recall-kit-tools --example bench_visible -- FOLDER [RECORDS]` first fills the folder
//! with generated records, or uses those of an earlier run.

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it measured"
)]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use anyhow::Context as _;
use jiff::Timestamp;
use recall_kit_core::{
    access::Caller,
    app::App,
    experiences::{self, Query, Submission},
    indexing,
    vectors::embedder,
};
use recall_kit_embed::Embedder;
use recall_kit_settings::Settings;
use recall_kit_store::ExperienceContent;
use recall_kit_tools::{
    corpus::{Corpus, Sequence},
    fill::fill,
    measure::Times,
};
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RECORDS: usize = 1_000_000;
const SUBMITS: usize = 300;
const READERS: usize = 2;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().context("which folder? FOLDER [RECORDS]")?;
    let records = match arguments.next() {
        Some(records) => records.parse().context("RECORDS is a number")?,
        None => RECORDS,
    };
    let folder = Path::new(&folder);
    let settings = Settings {
        data_dir: Some(folder.to_owned()),
        ..Settings::default()
    };
    let model = embedder(&settings.embeddings).context("the settings have a model")?;
    fill(&settings, model.model(), records).await?;
    let began = Instant::now();
    let app = App::open(settings).await?;
    println!(
        "{records} records; opened in {:.2} s",
        began.elapsed().as_secs_f64()
    );
    model.ready().await?;
    // As a server's background task does, so that the next run opens the index on disk.
    indexing::catch_up(&app.experiences.records).await?;
    indexing::write_down(&app.experiences.records).await;

    let minimal_commit = minimal_commits(folder).await?;
    println!("  {:<34}{}", "bare SQLite commit", shown(&minimal_commit));
    let embedding = embeddings(model.as_ref()).await?;
    println!("  {:<34}{}", "embedding of a record", shown(&embedding));
    let least = minimal_commit.milliseconds(0.5) + embedding.milliseconds(0.5);
    for readers in [0, READERS] {
        measure(&app, readers, least).await?;
    }
    app.store.close().await;
    Ok(())
}

/// Returns a submission like those of people: about 76 tokens, and not similar to any other.
fn submission(number: usize) -> (String, ExperienceContent) {
    let mut sequence = Sequence(number as u64);
    let name = format!("wombat{:x}", sequence.draw());
    let content = ExperienceContent {
        title: format!("{name}: state does not update after the setter was called"),
        problem_description: "The new value is shown only after the next click.".to_owned(),
        solution: "Pass a function to the setter, so that it gets the newest value.".to_owned(),
        keywords: vec!["react".to_owned()],
        ..ExperienceContent::default()
    };
    (name, content)
}

/// Inserts one row after the other, each in its own transaction, in a database with the same settings.
async fn minimal_commits(folder: &Path) -> anyhow::Result<Times> {
    let options = SqliteConnectOptions::new()
        .filename(folder.join("bare.db"))
        .create_if_missing(true)
        .pragma("journal_mode", "wal")
        .pragma("synchronous", "full");
    let mut connection = SqliteConnection::connect_with(&options).await?;
    sqlx::query("create table if not exists records (id text primary key, body text)")
        .execute(&mut connection)
        .await?;
    let mut times = Vec::new();
    for number in 0..SUBMITS {
        let (_, content) = submission(number);
        let id = Timestamp::now().as_nanosecond().to_string();
        let began = Instant::now();
        sqlx::query("insert into records (id, body) values (?, ?)")
            .bind(id)
            .bind(&content.problem_description)
            .execute(&mut connection)
            .await?;
        times.push(began.elapsed());
    }
    Ok(Times::from(times))
}

async fn embeddings(model: &dyn Embedder) -> anyhow::Result<Times> {
    let mut times = Vec::new();
    for number in 0..SUBMITS {
        let (_, content) = submission(number);
        let text = format!(
            "{}\n{}\n{}",
            content.title, content.problem_description, content.solution
        );
        let began = Instant::now();
        model.embed_record(&text).await?;
        times.push(began.elapsed());
    }
    Ok(Times::from(times))
}

/// Submits and queries beside this many readers; `least` is the minimum time of a submission.
async fn measure(app: &Arc<App>, readers: usize, least: f64) -> anyhow::Result<()> {
    let (done, query_count) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let reading: Vec<_> = (0..readers)
        .map(|reader| {
            let (app, done, query_count) =
                (Arc::clone(app), Arc::clone(&done), Arc::clone(&query_count));
            tokio::spawn(async move { read(&app, reader, &done, &query_count).await })
        })
        .collect();
    let began = Instant::now();
    let (mut submits, mut visible) = (Vec::new(), Vec::new());
    for number in 0..SUBMITS {
        let nonce = Timestamp::now().as_nanosecond() as usize;
        let (name, content) = submission(number ^ nonce);
        let began = Instant::now();
        let stored = experiences::submit(
            &app.experiences,
            &Caller::local(),
            Submission {
                content,
                idempotency_key: None,
                notes: Vec::new(),
            },
        )
        .await?;
        submits.push(began.elapsed());
        let found = ask(app, name).await?;
        visible.push(began.elapsed());
        anyhow::ensure!(
            found.contains(&stored.id),
            "a submit was not found by the next query"
        );
    }
    done.store(true, Ordering::Relaxed);
    let rate = query_count.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
    for reader in reading {
        reader.await??;
    }
    println!("  beside {readers} readers, who ask {rate:.0} times a second");
    let submits = Times::from(submits);
    let ratio = submits.milliseconds(0.5) / least;
    println!(
        "  {:<34}{} = {ratio:.2} x commit and embedding",
        "submit",
        shown(&submits)
    );
    println!(
        "  {:<34}{}",
        "and the query that finds it",
        shown(&Times::from(visible))
    );
    Ok(())
}

/// Sends queries without a pause until `done` is set.
async fn read(
    app: &Arc<App>,
    reader: usize,
    done: &AtomicBool,
    query_count: &AtomicUsize,
) -> anyhow::Result<()> {
    let mut corpus = Corpus::new();
    for _ in 0..reader * 1_000 {
        corpus.record();
    }
    while !done.load(Ordering::Relaxed) {
        ask(app, corpus.query()).await?;
        query_count.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Sends a query and returns the ids of the results.
async fn ask(app: &Arc<App>, keywords: String) -> anyhow::Result<Vec<String>> {
    let query = Query {
        keywords,
        limit: 10,
        offset: 0,
        ..Query::default()
    };
    let found = experiences::query(&app.experiences, query).await?;
    Ok(found
        .experiences
        .into_iter()
        .map(|found| found.id)
        .collect())
}

fn shown(times: &Times) -> String {
    let [median, high] = [0.5, 0.99].map(|share| times.milliseconds(share));
    format!("p50 {median:.2} ms, p99 {high:.2} ms")
}
