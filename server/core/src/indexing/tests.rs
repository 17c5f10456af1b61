//! Opening an index folder, whatever is there.

#![allow(clippy::unwrap_used)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_search::quantize;
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_sources::SourceOptions;
use recall_kit_store::{Experience, ExperienceContent, ExperienceState, StoredExperience};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{LAST_ROWS, catch_up, open_index};
use crate::{
    access::Caller,
    app::App,
    background::BackgroundTasks,
    indexing::family::Family,
    libraries::{
        self,
        ingest::{Means, Request, ingest},
    },
};

#[test]
fn a_folder_that_cannot_be_used_gives_an_index_in_memory() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    assert!(open_index(&file.join("index")).unwrap().is_empty());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "in the way");
}

#[test]
fn a_damaged_folder_is_made_anew() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("index");
    drop(open_index(&folder).unwrap());
    std::fs::write(folder.join("meta.json"), "{\"not\": \"ours\"}").unwrap();
    assert!(open_index(&folder).unwrap().is_empty());
    let meta = std::fs::read_to_string(folder.join("meta.json")).unwrap();
    assert!(meta.contains("segments"), "{meta}");
}

#[tokio::test]
async fn replaced_documentation_leaves_index_memory_and_table() {
    const PAGES: usize = 3;
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let mut settings = Settings {
        data_dir: Some(folder.path().join("data")),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    let app = App::open(settings.clone()).await.unwrap();
    let caller = Caller::local();
    for round in 1..=6 {
        for page in 0..PAGES {
            let text = format!("# Page {page}\n\nWhat round {round} says on it.\n");
            std::fs::write(docs.join(format!("{page}.md")), text).unwrap();
        }
        let means = Means {
            store: app.store.as_ref(),
            chat: None,
            sandbox: &app.sandbox,
            now: app.now(),
            by: &caller,
        };
        let request = Request {
            library: "gin".to_owned(),
            description: None,
            version: "1".to_owned(),
            at: None,
            is_default: false,
            source: docs.display().to_string().into(),
            options: SourceOptions::default(),
        };
        ingest(means, request, |_| {}).await.unwrap();
        catch_up(&app, Family::Chunks).await.unwrap();
        let status = app.chunks.index().unwrap().status();
        let counts = (status.records, status.without_vector, status.delta_records);
        assert_eq!(counts, (PAGES, PAGES, PAGES), "round {round}");
    }
    let head = app.store.chunk_head_seq().await.unwrap();
    let rows = async || app.store.chunk_rows(0, head, 99).await.unwrap().len();
    assert_eq!(
        (libraries::purge(&app).await.unwrap(), rows().await),
        (0, 6 * PAGES)
    );

    let later = || Timestamp::now() + SignedDuration::from_hours(31 * 24);
    let store = Arc::clone(&app.store);
    let late = App::with(settings, store, None, Arc::new(later))
        .await
        .unwrap();
    assert_eq!(late.chunks.index().unwrap().len(), PAGES, "after a restart");
    let purged = libraries::purge(&late).await.unwrap();
    assert_eq!((purged, rows().await), (5 * PAGES as u64, PAGES));
    let size = app.store.chunk_head_seq_and_size().await.unwrap();
    assert_eq!(size, (head, PAGES as u64));
}

#[tokio::test]
async fn a_large_import_goes_to_disk_while_it_is_taken_in() {
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
    app.experiences.index().unwrap().set_delta_most(4_000);
    catch_up(&app, Family::Experiences).await.unwrap();
    let status = app.experiences.index().unwrap().status();
    assert_eq!(status.records, records.len());
    assert!(!app.experiences.index().unwrap().is_full(), "{status:?}");
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
async fn a_start_after_a_server_that_stopped_at_once_maps_no_vector_again() {
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
        let app = App::with(settings.clone(), store, embedder, Arc::new(Timestamp::now));
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
    assert_eq!(app.experiences.index().unwrap().len(), RECORDS);
    let behind_the_base = RECORDS as u64 - app.experiences.index().unwrap().base_seq();
    assert!(
        mapped as u64 <= behind_the_base + LAST_ROWS,
        "{mapped} vectors, {behind_the_base} records behind the base"
    );
    assert!(behind_the_base < 2_000, "{behind_the_base}");
}
