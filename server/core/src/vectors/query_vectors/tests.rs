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
use jiff::Timestamp;
use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_settings::{EmbeddingSettings, Settings};
use recall_kit_store::ExperienceContent;
use tempfile::TempDir;

use super::{embed_query, noting_lexical};
use crate::{app::App, vectors::embed_record};

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

async fn app(model: &Arc<Model>) -> (Arc<App>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        embeddings: EmbeddingSettings {
            timeout_ms: 50,
            record_wait_ms: 50,
            ..EmbeddingSettings::default()
        },
        ..Settings::default()
    };
    let store = recall_kit_store::open(&recall_kit_store::StoreOptions::new(
        settings.database_url().unwrap(),
        Duration::from_secs(5),
    ))
    .await;
    let embedder: Arc<dyn Embedder> = model.clone();
    let clock = Arc::new(Timestamp::now);
    let app = App::with(settings, store.unwrap(), Some(embedder), clock);
    (app.await.unwrap(), folder)
}

#[tokio::test]
async fn a_query_is_embedded_once_and_a_failure_is_tried_again() {
    let model = Arc::new(Model::default());
    let (app, _folder) = app(&model).await;
    let cases = [
        ("first", Some(5.0), 1),
        ("another", Some(7.0), 2),
        ("first", Some(5.0), 2),
        ("refused", None, 3),
        ("refused", None, 4),
        ("another", Some(7.0), 4),
    ];
    for (text, expected, asked) in cases {
        let embedded = embed_query(&app, text).await;
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
    let (app, _folder) = app(&Arc::default()).await;
    for (text, is_lexical) in [
        ("first", false),
        ("refused", true),
        ("busy", true),
        ("hanging", true),
        ("first", false),
    ] {
        let (embedded, noted) = noting_lexical(embed_query(&app, text)).await;
        assert_eq!(
            (embedded.is_none(), noted),
            (is_lexical, is_lexical),
            "{text}"
        );
    }
    app.model_replaced.store(true, Ordering::Relaxed);
    let (embedded, noted) = noting_lexical(embed_query(&app, "first")).await;
    assert!(embedded.is_none() && noted);
}

#[tokio::test]
async fn a_record_whose_vectors_take_too_long_is_stored_without() {
    let (app, _folder) = app(&Arc::default()).await;
    let record = |title: &str| ExperienceContent {
        title: title.to_owned(),
        ..ExperienceContent::default()
    };
    let embedded = embed_record(&app, &record("short")).await;
    assert_eq!(embedded.map(|(model, _)| model).as_deref(), Some("model"));
    assert_eq!(embed_record(&app, &record("hanging")).await, None);
}
