//! Which queries the model is asked for.

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

use super::embed_query;
use crate::{
    app::App,
    embed::{EmbedError, Embedder},
    settings::Settings,
    store,
};

/// Embeds a text as its length, fails for `refused`, and counts.
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
            _ => Ok(vec![text.len() as f32]),
        }
    }

    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed_query(text).await
    }

    async fn passages(&self, text: &str) -> Result<Vec<String>, EmbedError> {
        Ok(vec![text.to_owned()])
    }
}

#[tokio::test]
async fn a_query_is_embedded_once_and_a_failure_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    let store = store::open(&store::StoreOptions::new(
        settings.database_url().unwrap(),
        Duration::from_secs(5),
    ))
    .await;
    let model = Arc::new(Model::default());
    let embedder: Arc<dyn Embedder> = model.clone();
    let clock = Arc::new(Timestamp::now);
    let app = App::with(settings, store.unwrap(), Some(embedder), clock)
        .await
        .unwrap();
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
