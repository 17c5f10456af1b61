//! Backfill of vectors: completeness, failures of the model, and the lock between processes.

#![allow(clippy::unwrap_used)]

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::knowledge::{EntryType, MemoryType};
use recall_kit_store::{
    self, EntryBatch, EntryContent, ExperienceContent, NewEntry, NewExperience,
};
use tempfile::TempDir;
use ulid::Ulid;

use super::*;

/// Embeds every text without the word `refused`, unless it is unavailable; counts its calls.
#[derive(Default)]
struct Model {
    calls: AtomicU64,
    is_unavailable: AtomicBool,
}

#[async_trait]
impl Embedder for Model {
    fn model(&self) -> &str {
        "model"
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed_record(text).await
    }

    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if text.contains("refused") || self.is_unavailable.load(Ordering::Relaxed) {
            return Err(EmbedError::Unusable);
        }
        Ok(vec![1.0, 0.0])
    }

    async fn passages(&self, text: &str, _most: usize) -> Result<Vec<String>, EmbedError> {
        Ok(vec![text.to_owned()])
    }
}

async fn store_with(titles: &[&str]) -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("test.db").display());
    let store = recall_kit_store::open(&recall_kit_store::StoreOptions::new(
        url.as_str(),
        Duration::from_secs(5),
    ))
    .await
    .unwrap();
    store.claim_embedding_model("model").await.unwrap();
    for (number, title) in titles.iter().enumerate() {
        let content = ExperienceContent {
            title: (*title).to_owned(),
            problem_description: format!("it fails with {number}"),
            solution: "mend it".to_owned(),
            ..ExperienceContent::default()
        };
        let new = NewExperience {
            id: Uuid::now_v7(),
            content,
            vector: None,
            created_at: Timestamp::UNIX_EPOCH,
            idempotency: None,
            author: None,
        };
        store.insert_experience(new).await.unwrap();
    }
    (store, folder)
}

#[tokio::test]
async fn every_record_gets_its_vectors_and_progress_is_reported() {
    let (store, folder) = store_with(&["a"; 70]).await;
    let entry = NewEntry {
        id: Ulid(1),
        content: EntryContent {
            kind: EntryType::Bug,
            title: "It fails".to_owned(),
            content: "Mend it.".to_owned(),
            tags: Vec::new(),
            project: None,
            context: None,
            confidence: 3,
            memory_type: MemoryType::Episodic,
            citations: Vec::new(),
        },
        vectors: None,
        created_at: Timestamp::UNIX_EPOCH,
        idempotency: None,
        suggestions: Vec::new(),
    };
    let entries = EntryBatch {
        entries: vec![entry],
        ..EntryBatch::default()
    };
    store.insert_entries(&entries).await.unwrap();
    let mut left = Vec::new();
    let index_folder = folder.path().join("index");
    let completed = complete(store.as_ref(), &Model::default(), &index_folder, |n| {
        left.push(n)
    })
    .await;
    completed.unwrap();
    assert_eq!(left, [71, 39, 7, 1, 0, 0]);
    let missing = vectors::missing(store.as_ref(), "model").await.unwrap();
    assert!(missing.is_none(), "{missing}");
}

#[tokio::test]
async fn a_failure_of_the_model_is_reported_and_other_vectors_are_stored() {
    let (store, folder) = store_with(&["a", "refused", "b"]).await;
    let index_folder = folder.path().join("index");
    let failed = complete(store.as_ref(), &Model::default(), &index_folder, |_| {}).await;
    let error = failed.unwrap_err();
    assert!(
        matches!(error, BackfillError::Embed { missing: 1, .. }),
        "{error:?}"
    );
    assert_eq!(store.count_without_vector("model").await.unwrap(), 1);
}

#[tokio::test]
async fn rejected_records_do_not_block_later_ones() {
    let titles = [["refused"; 2 * BATCH as usize].as_slice(), &["accepted"; 3]].concat();
    let (store, _folder) = store_with(&titles).await;
    let (model, mut refusals) = (Model::default(), Refusals::default());
    for expected in [3, 0] {
        let mut pass = Pass::new(&model, &mut refusals);
        let made = embed_missing(store.as_ref(), &mut pass, |_| {}).await;
        assert_eq!(made.unwrap(), expected);
        assert!(!pass.is_over() && pass.into_failure().is_some());
    }
    let left = store.count_without_vector("model").await.unwrap();
    assert_eq!(left, u64::from(2 * BATCH));
}

#[tokio::test]
async fn a_model_that_does_not_answer_ends_the_pass() {
    let (store, _folder) = store_with(&["a"; 2 * BATCH as usize]).await;
    let (model, mut refusals) = (Model::default(), Refusals::default());
    model.is_unavailable.store(true, Ordering::Relaxed);
    let mut pass = Pass::new(&model, &mut refusals);
    let made = embed_missing(store.as_ref(), &mut pass, |_| {}).await;
    assert_eq!((made.unwrap(), pass.is_over()), (0, true));
    let calls = model.calls.load(Ordering::Relaxed);
    assert!(
        calls <= 2 * u64::from(BATCH) + 1,
        "one batch and a probe: {calls}"
    );
}

#[tokio::test]
async fn no_vector_is_computed_twice_while_another_process_works() {
    let (store, folder) = store_with(&["a"]).await;
    let index_folder = folder.path().join("index");
    let (model, other) = (Model::default(), Model::default());
    let turn = Turn::try_take(&index_folder).unwrap();
    assert!(Turn::try_take(&index_folder).is_none());
    let working = async {
        let mut refusals = Refusals::default();
        let mut pass = Pass::new(&other, &mut refusals);
        let made = embed_missing(store.as_ref(), &mut pass, |_| {}).await;
        drop(turn);
        made.unwrap()
    };
    let waiting = complete(store.as_ref(), &model, &index_folder, |_| {});
    let (waited, made) = futures::future::join(waiting, working).await;
    waited.unwrap();
    assert_eq!((made, model.calls.load(Ordering::Relaxed)), (1, 0));
}
