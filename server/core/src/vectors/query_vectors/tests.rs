//! Which queries are embedded, and what happens if the model has no time.

#![allow(clippy::unwrap_used)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_settings::EmbeddingSettings;
use recall_kit_store::ExperienceContent;

use super::{embed_query, noting_lexical};
use crate::vectors::{Embedding, embed_record};

/// Embeds a text as its length, fails for `refused` and `busy`, never ends for `hanging`; counts its calls.
#[derive(Default)]
struct Model(AtomicUsize);

#[async_trait]
impl Embedder for Model {
    fn model(&self) -> &str {
        "model"
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        match text {
            "refused" => Err(EmbedError::Unusable),
            "busy" => Err(EmbedError::Busy(Duration::ZERO)),
            "hanging" => std::future::pending().await,
            _ => Ok(vec![text.len() as f32]),
        }
    }

    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed_query(text).await
    }

    async fn passages(&self, text: &str, _most: usize) -> Result<Vec<String>, EmbedError> {
        Ok(vec![text.to_owned()])
    }
}

fn embedding(model: &Arc<Model>) -> Embedding {
    let settings = EmbeddingSettings {
        timeout_ms: 50,
        record_wait_ms: 50,
        ..EmbeddingSettings::default()
    };
    Embedding::new(Some(model.clone()), &settings, Arc::default())
}

#[tokio::test]
async fn a_query_is_embedded_once_and_a_failure_is_tried_again() {
    let model = Arc::new(Model::default());
    let embedding = embedding(&model);
    let cases = [
        ("first", Some(5.0), 1),
        ("another", Some(7.0), 2),
        ("first", Some(5.0), 2),
        ("refused", None, 3),
        ("refused", None, 4),
        ("another", Some(7.0), 4),
    ];
    for (text, expected, asked) in cases {
        let embedded = embed_query(&embedding, text).await;
        let found = embedded.map(|embedded| embedded.vector[0]);
        assert_eq!(
            (found, model.0.load(Ordering::Relaxed)),
            (expected, asked),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_query_without_its_vector_is_reported_as_lexical() {
    let embedding = embedding(&Arc::default());
    for (text, is_lexical) in [
        ("first", false),
        ("refused", true),
        ("busy", true),
        ("hanging", true),
        ("first", false),
    ] {
        let (embedded, noted) = noting_lexical(|| embed_query(&embedding, text)).await;
        assert_eq!(
            (embedded.is_none(), noted),
            (is_lexical, is_lexical),
            "{text}"
        );
    }
    embedding.set_replaced(true);
    let (embedded, noted) = noting_lexical(|| embed_query(&embedding, "first")).await;
    assert!(embedded.is_none() && noted);
}

#[tokio::test]
async fn a_record_whose_vectors_take_too_long_is_stored_without() {
    let embedding = embedding(&Arc::default());
    let record = |title: &str| ExperienceContent {
        title: title.to_owned(),
        ..ExperienceContent::default()
    };
    let embedded = embed_record(&embedding, &record("short")).await;
    assert_eq!(embedded.map(|(model, _)| model).as_deref(), Some("model"));
    assert_eq!(embed_record(&embedding, &record("hanging")).await, None);
}
