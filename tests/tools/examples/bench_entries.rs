//! Measures the knowledge base, and prints each figure beside a reference that is measured in the same run:
//! `cargo run --release -p recall-kit-tools --example bench_entries [-- 100000]`.
//!
//! The embeddings are generated and cost no time, so that only everything else is measured.

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

use anyhow::Context as _;
use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_core::{
    access::Caller,
    app::App,
    clock::Clock,
    experiences::{self, Submission},
    indexing::{family::Family, labels::EntryFilter},
    knowledge::{
        entries::{self, Addition, Search},
        new_id,
    },
};
use recall_kit_embed::{EmbedError, Embedder, Unrelated};
use recall_kit_search::{Allowed, quantize};
use recall_kit_settings::Settings;
use recall_kit_shared_types::{
    applicability::Environment,
    knowledge::{EntryType, MemoryType},
};
use recall_kit_store::{
    self, EntryBatch, EntryContent, EntryVectors, Experience, ExperienceContent, ExperienceState,
    NewEntry, Store, StoredExperience,
};
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MODEL: &str = "made up";
const DIMENSIONS: usize = 384;
/// The number of entries about one topic, which are similar to each other.
const OF_TOPIC: usize = 5;
const WORDS: usize = 20_000;
const BATCH: usize = 1_000;
const QUERIES: usize = 500;
const ADDITIONS: usize = 300;

/// Embeds a text as a direction that depends on its last word, plus noise.
struct MadeUp;

#[async_trait]
impl Embedder for MadeUp {
    fn model(&self) -> &str {
        MODEL
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vector(text))
    }

    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vector(text))
    }

    fn unrelated(&self) -> Option<Unrelated> {
        // For random directions the deviation is 1 / sqrt(dimensions).
        let (mean, deviation) = (0.0, 0.051);
        Some(Unrelated { mean, deviation })
    }

    async fn passages(&self, text: &str, _most: usize) -> Result<Vec<String>, EmbedError> {
        Ok(vec![text.to_owned()])
    }
}

/// A pseudo-random number generator (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to 1.
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn vector(text: &str) -> Vec<f32> {
    let seed = |text: &str| {
        let bytes = text.bytes().map(u64::from);
        Random(bytes.fold(7, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)))
    };
    let mut topic = seed(text.split_whitespace().last().unwrap_or_default());
    let mut noise = seed(text);
    let mut vector: Vec<f32> = (0..DIMENSIONS)
        .map(|_| (2.0 * topic.uniform() + 1.6 * noise.uniform() - 1.8) as f32)
        .collect();
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= norm);
    vector
}

/// Generates texts.
struct Texts(Random);

impl Texts {
    /// Returns a word; common words are frequent, others rare.
    fn word(&mut self) -> String {
        format!("w{}", (self.0.uniform().powi(3) * WORDS as f64) as usize)
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn entry(&mut self, topic: usize) -> EntryContent {
        EntryContent {
            kind: EntryType::Bug,
            title: self.words(6),
            content: format!("{} topic{topic}", self.words(60)),
            tags: vec![self.word()],
            project: Some(format!("project{}", topic % 50)),
            context: None,
            confidence: 3,
            memory_type: MemoryType::Episodic,
            citations: Vec::new(),
        }
    }

    fn experience(&mut self, topic: usize) -> ExperienceContent {
        ExperienceContent {
            title: self.words(6),
            problem_description: self.words(20),
            solution: format!("{} topic{topic}", self.words(40)),
            keywords: vec![self.word()],
            ..ExperienceContent::default()
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let size = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "100000".to_owned());
    let size: usize = size.parse().context("the number of entries is none")?;
    let folder = tempfile::tempdir()?;
    let mut texts = Texts(Random(5));
    let app = filled(folder.path(), &mut texts, size).await?;
    println!("\n{size} entries, {size} experiences");
    searches(&app, &mut texts).await?;
    additions(&app, &mut texts, size).await
}

async fn filled(folder: &Path, texts: &mut Texts, size: usize) -> anyhow::Result<Arc<App>> {
    let url = format!("sqlite:{}", folder.join("bench.db").display());
    let store = recall_kit_store::open(&recall_kit_store::StoreOptions::new(
        url.as_str(),
        Duration::from_secs(5),
    ))
    .await?;
    store.claim_embedding_model(MODEL).await?;
    let began = Instant::now();
    for start in (0..size).step_by(BATCH) {
        fill(store.as_ref(), texts, start..(start + BATCH).min(size)).await?;
    }
    println!("filled in {:.0} s", began.elapsed().as_secs_f64());
    let settings = Settings {
        data_dir: Some(folder.to_owned()),
        ..Settings::default()
    };
    let began = Instant::now();
    let app = App::with(settings, store, Some(Arc::new(MadeUp)), Clock::system()).await?;
    for family in Family::ALL {
        app.records(family).index()?.extend_base()?;
    }
    println!("indexed in {:.0} s", began.elapsed().as_secs_f64());
    Ok(app)
}

async fn fill(
    store: &dyn Store,
    texts: &mut Texts,
    numbers: std::ops::Range<usize>,
) -> anyhow::Result<()> {
    let now = Timestamp::now();
    let mut batch = EntryBatch::default();
    let mut records = Vec::new();
    for number in numbers {
        let topic = number / OF_TOPIC;
        let content = texts.entry(topic);
        let summary = quantize(&[vector(&content.content)]);
        let vectors = EntryVectors {
            summary,
            context: None,
        };
        batch.entries.push(NewEntry {
            id: new_id(now)?,
            content,
            vectors: Some((MODEL.to_owned(), vectors)),
            created_at: now,
            idempotency: None,
            suggestions: Vec::new(),
        });
        let content = texts.experience(topic);
        records.push(StoredExperience {
            state: ExperienceState::default(),
            vector: Some(quantize(&[vector(&content.solution)])),
            author: None,
            experience: Experience {
                id: Uuid::now_v7(),
                content,
                query_count: 0,
                popularity: 0,
                created_at: now,
            },
        });
    }
    store.insert_entries(&batch).await?;
    store.import_experiences(Some(MODEL), &records).await?;
    Ok(())
}

async fn searches(app: &Arc<App>, texts: &mut Texts) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for number in 0..QUERIES + 50 {
        let search = Search {
            environment: Environment::default(),
            query: texts.words(2 + number % 3),
            context: None,
            limit: 5,
            filter: EntryFilter::default(),
            note: None,
            citations: false,
        };
        let began = Instant::now();
        entries::search(&app.knowledge, &Caller::local(), search).await?;
        // The first searches read files into memory.
        if number >= 50 {
            times.push(began.elapsed());
        }
    }
    times.sort_unstable();
    let at = |share: f64| milliseconds(times[((times.len() - 1) as f64 * share) as usize]);
    println!(
        "search               p50 {:>7.2} ms   p99 {:>7.2} ms",
        at(0.5),
        at(0.99)
    );
    Ok(())
}

/// Adds entries and submits experiences alternately, so that the disk is in the same state for both.
async fn additions(app: &Arc<App>, texts: &mut Texts, size: usize) -> anyhow::Result<()> {
    let (mut adds, mut without_suggestions, mut submits, mut passes) =
        (vec![], vec![], vec![], vec![]);
    let mut suggested = 0;
    for number in 0..ADDITIONS {
        let topic = number * 37 % (size / OF_TOPIC).max(1);
        let began = Instant::now();
        suggested += entries::add(&app.knowledge, &Caller::local(), addition(texts, topic))
            .await?
            .suggestions_created;
        adds.push(began.elapsed());

        let content = texts.experience(topic);
        let submission = Submission {
            content,
            idempotency_key: None,
            notes: Vec::new(),
        };
        let began = Instant::now();
        experiences::submit(&app.experiences, &Caller::local(), submission).await?;
        submits.push(began.elapsed());

        // Without embeddings there are no suggestions.
        app.embedding.set_replaced(true);
        let began = Instant::now();
        entries::add(&app.knowledge, &Caller::local(), addition(texts, topic)).await?;
        without_suggestions.push(began.elapsed());
        app.embedding.set_replaced(false);

        let direction = vector(&texts.words(3));
        let began = Instant::now();
        app.knowledge
            .records
            .index()?
            .nearest(&direction, 33, Allowed::Everything);
        passes.push(began.elapsed());
    }
    let [add, without_suggestions, submit, pass] =
        [adds, without_suggestions, submits, passes].map(median);
    println!("experience submit    p50 {submit:>7.2} ms");
    println!(
        "entry add            p50 {add:>7.2} ms   {:.2} × submit",
        add / submit
    );
    println!(
        "  without suggestions    {without_suggestions:>7.2} ms   {:.2} × submit",
        without_suggestions / submit
    );
    println!("one vector pass      p50 {pass:>7.2} ms");
    println!(
        "suggestions              {:>7.2} ms   {:.2} × pass",
        add - without_suggestions,
        (add - without_suggestions) / pass
    );
    println!(
        "suggested {:.1} of an entry",
        suggested as f64 / ADDITIONS as f64
    );
    Ok(())
}

fn addition(texts: &mut Texts, topic: usize) -> Addition {
    Addition {
        content: texts.entry(topic),
        notes: Vec::new(),
        idempotency_key: None,
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    milliseconds(times[times.len() / 2])
}
