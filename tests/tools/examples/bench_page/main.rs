//! Measures how long the server takes for a page of 50 results over 100,000 records, each page for another
//! search: from the request to the head of the answer, over one connection to this process.
//!
//! `cargo run --release -p recall-kit-tools --example bench_page -- FOLDER [RECORDS]` first fills the folder
//! with generated records, or uses those of an earlier run.

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it measured"
)]

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use recall_kit_core::{
    app::App,
    experiences::{self, Query},
    indexing,
    vectors::embedder,
};
use recall_kit_server::serve_app;
use recall_kit_settings::Settings;
use recall_kit_tools::{corpus::Corpus, fill::fill, measure::Times};
use reqwest::{Client, header};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use url::Url;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RECORDS: usize = 100_000;
/// The number of results on a page, and a text that the page contains once for each.
const RESULTS: usize = 50;
const RESULT: &str = "<h3>";
/// Measured pages, after some that read files into memory.
const PAGES: usize = 300;
const WARM_UP: usize = 30;
/// The maximum number of searches to try for finding those that fill a page.
const MOST_SEARCHES: usize = 20_000;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().context("which folder? FOLDER [RECORDS]")?;
    let records = match arguments.next() {
        Some(records) => records.parse().context("RECORDS is a number")?,
        None => RECORDS,
    };
    let settings = Settings {
        data_dir: Some(Path::new(&folder).to_owned()),
        ..Settings::default()
    };
    let model = embedder(&settings.embeddings).context("the settings have a model")?;
    fill(&settings, model.model(), records).await?;
    let app = App::open(settings).await?;
    model.ready().await?;
    // As a server's background task does, so that pages are built from the index on disk.
    indexing::catch_up(&app.experiences.records).await?;
    indexing::write_down(&app.experiences.records).await;
    let stop = CancellationToken::new();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}/", listener.local_addr()?);
    let server = tokio::spawn(serve_app(Arc::clone(&app), listener, stop.clone()));
    println!("{records} records");
    measure(&app, &address).await?;
    stop.cancel();
    server.await??;
    Ok(())
}

/// Opens pages one after the other, each for a search that was not made before, and then the same again; then
/// makes searches without a page, to show what the page adds.
async fn measure(app: &Arc<App>, address: &str) -> anyhow::Result<()> {
    let client = Client::builder().no_proxy().build()?;
    let mut corpus = Corpus::new();
    let (mut queries, mut full, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..MOST_SEARCHES {
        let query = corpus.query();
        let size = RESULTS.to_string();
        let parameters = [("q", query.as_str()), ("in", "experiences"), ("n", &size)];
        let page = Url::parse_with_params(address, parameters)?;
        let (took, results) = open(&client, &page).await?;
        if results == RESULTS {
            full.push(page);
            queries.push(query);
            times.push(took);
        }
        if full.len() == WARM_UP + PAGES {
            break;
        }
    }
    ensure!(
        full.len() == WARM_UP + PAGES,
        "only {} of {MOST_SEARCHES} searches fill a page",
        full.len()
    );
    print("searched for the first time", times);
    let mut times = Vec::new();
    for page in &full {
        times.push(open(&client, page).await?.0);
    }
    print("opened again", times);
    let mut times = Vec::new();
    for keywords in queries {
        let query = Query {
            keywords,
            limit: u32::try_from(RESULTS)?,
            offset: 0,
            ..Query::default()
        };
        let began = Instant::now();
        experiences::look_up(&app.experiences, query).await?;
        times.push(began.elapsed());
    }
    print("the search alone, again", times);
    Ok(())
}

fn print(what: &str, mut times: Vec<Duration>) {
    let times = Times::from(times.split_off(WARM_UP));
    println!(
        "  {RESULTS} results, {what:<28} p50 {:>7.2} ms   p99 {:>7.2} ms",
        times.milliseconds(0.5),
        times.milliseconds(0.99)
    );
}

/// Opens a page; returns the time that the server took, and the number of results on the page.
async fn open(client: &Client, address: &Url) -> anyhow::Result<(Duration, usize)> {
    let began = Instant::now();
    let request = client.get(address.clone());
    let answer = request.header(header::ACCEPT, "text/html").send().await?;
    // The page is complete before its head is sent.
    let took = began.elapsed();
    let text = answer.error_for_status()?.text().await?;
    Ok((took, text.matches(RESULT).count()))
}
