//! Measures how long one caller's queries take while another caller has much work for the model: two contexts
//! of 600 kB of digits, and fifty queries of 10,000 characters.
//!
//! `cargo run --release -p recall-kit-tools --example bench_shares`

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it measured"
)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use recall_kit_core::{
    access::Caller,
    app::App,
    background,
    experiences::{self, Query, Submission},
    vectors::{embedding_pass::Refusals, query_vectors::noting_lexical},
};
use recall_kit_fair_queue::flow::{self, Flow, Voice};
use recall_kit_settings::Settings;
use recall_kit_store::ExperienceContent;
use recall_kit_tools::{corpus::Sequence, measure::Times};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RECORDS: u64 = 200;
/// The pause between two queries of a reader.
const PAUSE: Duration = Duration::from_millis(20);
/// The minimum number of queries: enough for a 99th percentile.
const QUERIES: usize = 300;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    let app = App::open(settings).await?;
    for number in 0..RECORDS {
        submit(&app, record(number, "Nothing more is known.".to_owned())).await?;
    }
    measure(&app, "alone", async { Ok(()) }).await?;
    let large = Arc::clone(&app);
    let records = async move {
        for seed in [1, 2] {
            submit(&large, record(RECORDS + seed, digits(600_000, seed))).await?;
        }
        Ok(background::backfill(&large, &mut Refusals::default()).await?)
    };
    measure(&app, "beside two records of 600 kB", records).await?;
    let long = Arc::clone(&app);
    let queries = async move {
        for seed in 0..50 {
            ask(&long, digits(10_000, seed)).await?;
        }
        Ok(())
    };
    measure(&app, "beside 50 queries of 10,000 characters", queries).await?;
    app.store.close().await;
    Ok(())
}

/// Sends queries until there are enough and the other caller's work is done, and prints how long they took.
async fn measure(
    app: &Arc<App>,
    what: &str,
    work: impl Future<Output = anyhow::Result<()>> + Send + 'static,
) -> anyhow::Result<()> {
    let began = Instant::now();
    let working = tokio::spawn(flow::scope(
        Flow::new(&"another", Voice::new(&"another")),
        work,
    ));
    let (mut times, mut lexical) = (Vec::new(), 0);
    while times.len() < QUERIES || !working.is_finished() {
        let keywords = format!("{what}: why is the setter of state {} late?", times.len());
        let started = Instant::now();
        let asking = flow::scope(
            Flow::new(&"reader", Voice::new(&"reader")),
            ask(app, keywords),
        );
        lexical += usize::from(asking.await?);
        times.push(started.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    working.await??;
    let (count, took) = (times.len(), began.elapsed().as_secs_f64());
    let times = Times::from(times);
    println!(
        "{what}: {count} queries in {took:.1} s, p50 {:.1} ms, p99 {:.1} ms, none failed, {lexical} by \
         words alone",
        times.milliseconds(0.5),
        times.milliseconds(0.99),
    );
    Ok(())
}

/// Sends a query, and returns whether it was answered lexically only.
async fn ask(app: &Arc<App>, keywords: String) -> anyhow::Result<bool> {
    let query = Query {
        keywords,
        limit: 10,
        offset: 0,
        ..Query::default()
    };
    let (answer, is_lexical) = noting_lexical(|| experiences::query(&app.experiences, query)).await;
    answer?;
    Ok(is_lexical)
}

async fn submit(app: &Arc<App>, content: ExperienceContent) -> anyhow::Result<()> {
    let submission = Submission {
        content,
        idempotency_key: None,
        notes: Vec::new(),
    };
    experiences::submit(&app.experiences, &Caller::local(), submission).await?;
    Ok(())
}

fn record(number: u64, context: String) -> ExperienceContent {
    ExperienceContent {
        title: format!("Case {number}: state does not update after the setter was called"),
        problem_description: "The new value is shown only after the next click.".to_owned(),
        solution: "Pass a function to the setter, so that it gets the newest value.".to_owned(),
        context: Some(context),
        ..ExperienceContent::default()
    }
}

fn digits(bytes: usize, seed: u64) -> String {
    let mut sequence = Sequence(seed);
    let digit = |_| char::from(b'0' + (sequence.draw() % 10) as u8);
    (0..bytes).map(digit).collect()
}
