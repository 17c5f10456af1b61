//! Opening index folders, importing many records, and restarts.

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
use recall_kit_search::quantize;
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_store::{Experience, ExperienceContent, ExperienceState, StoredExperience};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{LAST_ROWS, catch_up, open_index};
use crate::{app::App, background::BackgroundTasks, clock::Clock};

#[test]
fn an_unusable_folder_results_in_an_index_in_memory() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    assert!(open_index(&file.join("index")).unwrap().is_empty());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "in the way");
}

#[test]
fn a_damaged_folder_is_rebuilt() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    drop(open_index(&folder).unwrap());
    std::fs::write(folder.join("meta.json"), "{\"not\": \"ours\"}").unwrap();
    assert!(open_index(&folder).unwrap().is_empty());
    let meta = std::fs::read_to_string(folder.join("meta.json")).unwrap();
    assert!(meta.contains("segments"), "{meta}");
}

#[tokio::test]
async fn a_large_import_is_written_to_disk_while_it_is_indexed() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    let url = settings.database_url().unwrap();
    let app = App::open(settings).await.unwrap();
    let other = recall_kit_store::open(&recall_kit_store::StoreOptions::new(
        url,
        Duration::from_secs(5),
    ))
    .await
    .unwrap();
    let records: Vec<_> = (1..=4_500).map(|number| record(number, None)).collect();
    other.import_experiences(None, &records).await.unwrap();
    app.experiences
        .records
        .index()
        .unwrap()
        .set_delta_most(4_000);
    catch_up(&app.experiences.records).await.unwrap();
    let status = app.experiences.records.index().unwrap().status();
    assert_eq!(status.records, records.len());
    assert!(
        !app.experiences.records.index().unwrap().is_full(),
        "{status:?}"
    );
    assert!(status.base_seq >= 4_000, "{status:?}");
}

fn record(number: u128, vector: Option<Vec<u8>>) -> StoredExperience {
    StoredExperience {
        experience: Experience {
            id: Uuid::from_u128(number),
            content: ExperienceContent {
                title: format!("problem {number}"),
                problem_description: "it breaks".to_owned(),
                solution: "mend it".to_owned(),
                ..ExperienceContent::default()
            },
            query_count: 0,
            popularity: 0,
            created_at: Timestamp::UNIX_EPOCH,
        },
        state: ExperienceState::default(),
        vector,
        author: None,
    }
}

/// A model that counts the vectors that are mapped.
#[derive(Default)]
struct Counting {
    mapped: AtomicUsize,
}

#[async_trait]
impl Embedder for Counting {
    fn model(&self) -> &str {
        "a-model"
    }

    fn space(&self) -> String {
        "a-model/mapped".to_owned()
    }

    async fn embed_query(&self, _text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vec![1.0, 0.0])
    }

    async fn embed_record(&self, _text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vec![1.0, 0.0])
    }

    fn compared(&self, vector: &[f32]) -> Vec<f32> {
        self.mapped.fetch_add(1, Ordering::Relaxed);
        vector.to_vec()
    }

    async fn passages(&self, text: &str, _most: usize) -> Result<Vec<String>, EmbedError> {
        Ok(vec![text.to_owned()])
    }
}

#[tokio::test]
async fn a_restart_after_an_early_stop_does_not_map_saved_vectors_again() {
    const RECORDS: usize = 5_000;
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    let url = settings.database_url().unwrap();
    let options = recall_kit_store::StoreOptions::new(url, Duration::from_secs(5));
    let start = async || {
        let model = Arc::new(Counting::default());
        let store = recall_kit_store::open(&options).await.unwrap();
        let embedder = Some(Arc::clone(&model) as Arc<dyn Embedder>);
        let app = App::with(settings.clone(), store, embedder, Clock::system());
        (app.await.unwrap(), model.mapped.load(Ordering::Relaxed))
    };
    let store = recall_kit_store::open(&options).await.unwrap();
    store.claim_embedding_model("a-model").await.unwrap();
    let vector = |number: u128| quantize(&[[number as f32, 1.0]]);
    let records = (1..=RECORDS as u128).map(|number| record(number, Some(vector(number))));
    let records: Vec<_> = records.collect();
    store
        .import_experiences(Some("a-model"), &records)
        .await
        .unwrap();
    store.close().await;

    let (app, mapped) = start().await;
    assert_eq!(mapped, RECORDS);
    let background = BackgroundTasks::spawn(&app, &CancellationToken::new());
    background.close(&app).await;

    let (app, mapped) = start().await;
    assert_eq!(app.experiences.records.index().unwrap().len(), RECORDS);
    let behind_the_base = RECORDS as u64 - app.experiences.records.index().unwrap().base_seq();
    assert!(
        mapped as u64 <= behind_the_base + LAST_ROWS,
        "{mapped} vectors, {behind_the_base} records behind the base"
    );
    assert!(behind_the_base < 2_000, "{behind_the_base}");
}
