//! The application for the benchmarks of experiences: it uses a real SQLite file with many records.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use recall_kit_core::{app::App, clock::Clock, vectors::embedder};
use recall_kit_search::quantize;
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_store::{ExperienceContent, NewExperience};
use uuid::Uuid;

use crate::records::{Sequence, content};

/// Opens an application in a folder with this many records; if the model is on, each record has a vector.
pub async fn app(
    folder: &std::path::Path,
    provider: EmbeddingProvider,
    records: usize,
) -> Arc<App> {
    app_with(folder, provider, records, content).await
}

/// Opens an application as [`app`] does, with records of this content.
pub async fn app_with(
    folder: &std::path::Path,
    provider: EmbeddingProvider,
    records: usize,
    content: impl Fn(&mut Sequence) -> ExperienceContent,
) -> Arc<App> {
    let mut settings = Settings {
        data_dir: Some(folder.to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = provider;
    let url = settings.database_url().expect("the folder is known");
    let store = recall_kit_store::open(&recall_kit_store::StoreOptions::new(
        url,
        Duration::from_secs(5),
    ))
    .await
    .expect("a fresh database opens");
    let embedder = embedder(&settings.embeddings);
    let mut sequence = Sequence(0x9E37_79B9_7F4A_7C15);
    for _ in 0..records {
        let vector = embedder
            .as_ref()
            .map(|embedder| (embedder.model().to_owned(), vector(&mut sequence)));
        let new = NewExperience {
            id: Uuid::new_v4(),
            content: content(&mut sequence),
            vector,
            created_at: Timestamp::now(),
            idempotency: None,
            author: None,
        };
        store
            .insert_experience(new)
            .await
            .expect("the record is stored");
    }
    let app = App::with(settings, store, embedder, Clock::system())
        .await
        .expect("the application opens");
    if let Some(embedder) = app.embedding.model() {
        embedder
            .embed_query("warm up")
            .await
            .expect("the model works");
    }
    app
}

/// Returns a generated embedding. All embeddings have a common centre, as those of real models do.
fn vector(sequence: &mut Sequence) -> Vec<u8> {
    let raw: Vec<f32> = (0..384)
        .map(|i| {
            0.05 + ((sequence.draw() % 1_000) as f32 / 1e4) * if i % 2 == 0 { 1.0 } else { -1.0 }
        })
        .collect();
    let norm = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    quantize(&[raw.iter().map(|x| x / norm).collect::<Vec<f32>>()])
}
