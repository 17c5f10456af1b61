//! Quality of the suggestions for entries about twenty topics in three languages, and for entries about
//! ten other topics that were not used for fitting.
//!
//! The vectors were computed by the built-in model beforehand, since that takes minutes in a debug build;
//! a sample of them is computed again and compared.

#![allow(clippy::unwrap_used)]

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use recall_kit_embed::{BuiltinEmbedder, EmbedError, Embedder, Unrelated};
use recall_kit_settings::Settings;
use recall_kit_shared_types::knowledge::{EntryType, MemoryType, SuggestionType};
use recall_kit_store::EntryContent;

use crate::{
    access::Caller,
    app::App,
    clock::Clock,
    knowledge::entries::{self, Addition},
};

const DIMENSIONS: usize = 384;

/// An entry and what it is about.
struct Sample {
    topic: &'static str,
    title: &'static str,
    content: &'static str,
    vector: Vec<f32>,
}

impl Sample {
    fn text(&self) -> String {
        format!("{}\n{}", self.title, self.content)
    }
}

fn samples(text: &'static str, vectors: &[u8]) -> Vec<Sample> {
    let mut topic = "";
    let mut vectors = vectors.chunks_exact(DIMENSIONS);
    let mut samples = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            topic = name;
            continue;
        }
        let mut parts = line.split('\t').skip(1);
        let vector = vectors.next().unwrap().iter();
        samples.push(Sample {
            topic,
            title: parts.next().unwrap(),
            content: parts.next().unwrap(),
            vector: recall_kit_embed::normalized(
                vector.map(|b| f32::from(b.cast_signed())).collect(),
            ),
        });
    }
    assert!(vectors.next().is_none(), "a vector for every entry");
    samples
}

/// The built-in model with precomputed vectors.
struct Precomputed {
    model: BuiltinEmbedder,
    known: HashMap<String, Vec<f32>>,
}

#[async_trait]
impl Embedder for Precomputed {
    fn model(&self) -> &str {
        self.model.model()
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.embed_query(text).await
    }

    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        // Other texts are headlines, whose vectors suggestions do not use.
        let any = || self.known.values().next().unwrap();
        Ok(self.known.get(text).unwrap_or_else(any).clone())
    }

    fn unrelated(&self) -> Option<Unrelated> {
        self.model.unrelated()
    }

    fn compared(&self, vector: &[f32]) -> Vec<f32> {
        self.model.compared(vector)
    }

    async fn passages(&self, text: &str, _most: usize) -> Result<Vec<String>, EmbedError> {
        Ok(vec![text.to_owned()])
    }
}

/// Figures about the suggestions for all entries.
#[derive(Debug)]
struct Quality {
    /// Share of the suggested links that join one topic.
    precision: f64,
    /// Share of the entries for which a link was suggested.
    coverage: f64,
    /// Number of topics for which a generalisation was suggested.
    generalised: usize,
    /// Number of generalisations that span several topics.
    crossing: usize,
}

async fn quality(samples: &[Sample]) -> Quality {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("test.db").display());
    let store = recall_kit_store::open(&recall_kit_store::StoreOptions::new(
        url.as_str(),
        Duration::from_secs(5),
    ))
    .await
    .unwrap();
    let known = samples.iter().map(|one| (one.text(), one.vector.clone()));
    let embedder = Precomputed {
        model: BuiltinEmbedder::new(),
        known: known.collect(),
    };
    let settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    let app = App::with(settings, store, Some(Arc::new(embedder)), Clock::system());
    let app = app.await.unwrap();
    let mut topics = HashMap::new();
    for one in samples {
        let content = EntryContent {
            kind: EntryType::Bug,
            title: one.title.to_owned(),
            content: one.content.to_owned(),
            tags: Vec::new(),
            project: None,
            context: None,
            confidence: 3,
            memory_type: MemoryType::Episodic,
            citations: Vec::new(),
        };
        let added = entries::add(
            &app.knowledge,
            &Caller::local(),
            Addition {
                content,
                notes: Vec::new(),
                idempotency_key: None,
            },
        )
        .await
        .unwrap();
        topics.insert(added.id, one.topic);
    }
    let pending = async |kind| {
        app.store
            .pending_suggestions(kind, u32::MAX)
            .await
            .unwrap()
            .0
    };
    let topics_of = |entries: &[(ulid::Ulid, String)]| -> HashSet<&str> {
        entries
            .iter()
            .map(|(id, _)| topics[&id.to_string()])
            .collect()
    };
    let links = pending(SuggestionType::Link).await;
    let right = links
        .iter()
        .filter(|link| topics_of(&link.entries).len() == 1)
        .count();
    let linked: HashSet<_> = links
        .iter()
        .flat_map(|link| link.entries.iter().map(|e| e.0))
        .collect();
    let clusters = pending(SuggestionType::Generalize).await;
    let (pure, crossing): (Vec<_>, Vec<_>) = clusters
        .iter()
        .map(|one| topics_of(&one.entries))
        .partition(|topics| topics.len() == 1);
    Quality {
        precision: right as f64 / links.len() as f64,
        coverage: linked.len() as f64 / samples.len() as f64,
        generalised: pure.into_iter().flatten().collect::<HashSet<_>>().len(),
        crossing: crossing.len(),
    }
}

#[tokio::test]
async fn suggestions_join_entries_about_one_topic_across_three_languages() {
    let fitted = samples(
        include_str!("../../../../../tests/data/knowledge/topics.txt"),
        include_bytes!("../../../../../tests/data/knowledge/topics.vectors"),
    );
    let found = quality(&fitted).await;
    assert!(found.precision >= 0.9 && found.coverage >= 0.8, "{found:?}");
    assert!(found.generalised >= 15 && found.crossing == 0, "{found:?}");

    let others = samples(
        include_str!("../../../../../tests/data/knowledge/other-topics.txt"),
        include_bytes!("../../../../../tests/data/knowledge/other-topics.vectors"),
    );
    let found = quality(&others).await;
    assert!(found.precision >= 0.9 && found.coverage >= 0.8, "{found:?}");
    assert!(found.generalised >= 8 && found.crossing <= 1, "{found:?}");
}

#[tokio::test]
async fn the_precomputed_vectors_match_the_model() {
    let fitted = samples(
        include_str!("../../../../../tests/data/knowledge/topics.txt"),
        include_bytes!("../../../../../tests/data/knowledge/topics.vectors"),
    );
    let model = BuiltinEmbedder::new();
    for one in fitted.iter().step_by(31) {
        let made = model.embed_record(&one.text()).await.unwrap();
        let cosine: f32 = made.iter().zip(&one.vector).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.999, "{}: {cosine}", one.title);
    }
}
