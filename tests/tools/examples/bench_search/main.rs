//! Measures the search at several sizes and prints a table, each figure beside those of other engines for the
//! same queries in the same run: `cargo run --release -p recall-kit-tools --example bench_search [-- 1000
//! 100000]`.

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it measured"
)]

mod rivals;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use recall_kit_search::{Allowed, Index, Query, Row, SavedFrom, Text};
use recall_kit_tools::{
    corpus::{Corpus, DIMENSIONS, NOW},
    measure::{self, Times},
};

use crate::rivals::{Fts5, Tantivy};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Records generated at once.
const BATCH: usize = 50_000;
const MODEL: &str = "made up";
const QUERIES: usize = 500;
/// The time limit for a row of the table.
const LIMIT: Duration = Duration::from_secs(20);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut sizes: Vec<usize> = std::env::args()
        .skip(1)
        .map(|size| {
            size.parse()
                .with_context(|| format!("{size:?} is no number of records"))
        })
        .collect::<anyhow::Result<_>>()?;
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000, 100_000, 1_000_000];
    }
    for size in sizes {
        measure_size(size).await?;
    }
    Ok(())
}

async fn measure_size(size: usize) -> anyhow::Result<()> {
    println!("\n{size} records");
    let folder = tempfile::tempdir()?;
    let place = folder.path().join("index");
    let mut corpus = Corpus::new();
    let mut fts5 = Fts5::create(folder.path()).await?;
    let (mut rows, recent) = fill(&place, &mut fts5, &mut corpus, size).await?;

    let began = Instant::now();
    let index = Index::open(Some(place.clone()))?;
    let saved = index.restore_saved(MODEL)?.map_or(0, |saved| saved.up_to);
    rows.retain(|row| row.seq > saved);
    index.restore(&rows)?;
    let start = began.elapsed();
    println!("  start {:>28.0} ms", start.as_secs_f64() * 1e3);
    // As after a start of the server: the texts of the last records are in memory.
    index.apply(&recent);

    let queries: Vec<String> = (0..QUERIES).map(|_| corpus.query()).collect();
    lexical(&index, &place, &mut fts5, &queries).await?;
    vectors(&index, &mut corpus, size)
}

/// Fills an index in a folder, and the rival engine; returns the rows whose text is on disk, and the records
/// whose text is not.
async fn fill(
    place: &Path,
    fts5: &mut Fts5,
    corpus: &mut Corpus,
    size: usize,
) -> anyhow::Result<(Vec<Row>, Vec<(Row, Text)>)> {
    let index = Index::open(Some(place.to_owned()))?;
    let mut rows = Vec::with_capacity(size);
    let mut recent: Vec<(Row, Text)> = Vec::new();
    let mut taken = Duration::ZERO;
    while rows.len() < size {
        let batch: Vec<(Row, Text)> = (0..BATCH.min(size - rows.len()))
            .map(|_| corpus.record())
            .collect();
        let began = Instant::now();
        index.apply(&batch);
        index.extend_base()?;
        taken += began.elapsed();
        fts5.insert(batch.iter().map(|(_, text)| text)).await?;
        rows.extend(batch.iter().map(|(row, _)| row.clone()));
        recent.extend(batch);
        recent.retain(|(row, _)| row.seq > index.base_seq());
    }
    let rate = size as f64 / taken.as_secs_f64();
    println!("  taking records in {rate:>16.0} /s");
    index.save(&SavedFrom {
        model: MODEL.to_owned(),
        counts_as_of: NOW,
    })?;
    rows.retain(|row: &Row| row.seq <= index.base_seq());
    Ok((rows, recent))
}

async fn lexical(
    index: &Index,
    place: &Path,
    fts5: &mut Fts5,
    queries: &[String],
) -> anyhow::Result<()> {
    let mut found = 0;
    let mut ours = |text: &String| {
        let hits = index.search(&Query {
            text,
            embedding: None,
            everyday: 0.0,
            language: Default::default(),
            context: None,
            turns: None,
            factors: None,
            allowed: Allowed::Everything,
            now: NOW,
            offset: 0,
            limit: 10,
        })?;
        found += hits.total;
        Ok(())
    };
    Times::of(queries, LIMIT, &mut ours)?;
    let ours = Times::of(queries, LIMIT, ours)?;
    let tantivy = Tantivy::open(place)?;
    Times::of(queries, LIMIT, |text| tantivy.search(text))?;
    let theirs = Times::of(queries, LIMIT, |text| tantivy.search(text))?;
    let mut slow = Vec::new();
    for text in queries {
        let began = Instant::now();
        fts5.search(text).await?;
        slow.push(began.elapsed());
        if slow.iter().sum::<Duration>() > LIMIT {
            break;
        }
    }
    let slow = Times::from(slow);
    println!("  segments {:>25}", tantivy.segments());
    println!(
        "  records that match, mean {:>9}",
        found / (2 * queries.len() as u64)
    );
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let [ours, theirs, slow] = [&ours, &theirs, &slow].map(|times| times.milliseconds(share));
        println!(
            "  query {name} {ours:>24.3} ms = {:.2} x tantivy ({theirs:.3}), {:.3} x FTS5 ({slow:.3})",
            ours / theirs,
            ours / slow
        );
    }
    Ok(())
}

fn vectors(index: &Index, corpus: &mut Corpus, size: usize) -> anyhow::Result<()> {
    let embeddings: Vec<Vec<f32>> = (0..50).map(|_| corpus.embedding()).collect();
    let pass = Times::of(&embeddings, LIMIT, |embedding| {
        std::hint::black_box(index.cosines(embedding));
        Ok(())
    })?;
    let ceiling = measure::reading(size * DIMENSIONS);
    let [best, middle] = [0.0, 0.5].map(|share| pass.milliseconds(share));
    println!(
        "  vector pass p50 {middle:>18.2} ms, best {best:.2} = {:.0} % of the ceiling ({ceiling:.2})",
        100.0 * ceiling / best
    );
    Ok(())
}
