//! Vectors for records that have none: all of them, by whoever's turn it is.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::knowledge::{EntryType, MemoryType};
use recall_kit_store::{
    self, EntryBatch, EntryContent, ExperienceContent, NewEntry, NewExperience,
};
use tempfile::TempDir;
use ulid::Ulid;

use super::*;

/// Embeds everything but texts with `refused` unless it is away, and counts.
#[derive(Default)]
struct Model {
    asked: AtomicU64,
    is_away: AtomicBool,
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
        self.asked.fetch_add(1, Ordering::Relaxed);
        if text.contains("refused") || self.is_away.load(Ordering::Relaxed) {
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
        };
        store.insert_experience(new).await.unwrap();
    }
    (store, folder)
}

#[tokio::test]
async fn all_get_theirs_and_it_is_told_how_many_are_left() {
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
    let place = folder.path().join("index");
    let completed = complete(store.as_ref(), &Model::default(), &place, |n| left.push(n)).await;
    completed.unwrap();
    assert_eq!(left, [71, 39, 7, 1, 0, 0]);
    let missing = vectors::missing(store.as_ref(), "model").await.unwrap();
    assert!(missing.is_none(), "{missing}");
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_rest_done_and_is_said() {
    let (store, folder) = store_with(&["a", "refused", "b"]).await;
    let place = folder.path().join("index");
    let failed = complete(store.as_ref(), &Model::default(), &place, |_| {}).await;
    let error = failed.unwrap_err();
    assert!(
        matches!(error, BackfillError::Embed { missing: 1, .. }),
        "{error:?}"
    );
    assert_eq!(store.count_without_vector("model").await.unwrap(), 1);
}

#[tokio::test]
async fn refused_records_keep_no_later_one_waiting() {
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
    model.is_away.store(true, Ordering::Relaxed);
    let mut pass = Pass::new(&model, &mut refusals);
    let made = embed_missing(store.as_ref(), &mut pass, |_| {}).await;
    assert_eq!((made.unwrap(), pass.is_over()), (0, true));
    let asked = model.asked.load(Ordering::Relaxed);
    assert!(
        asked <= 2 * u64::from(BATCH) + 1,
        "one batch and a probe: {asked}"
    );
}

#[tokio::test]
async fn while_it_is_anothers_turn_nothing_is_made_twice() {
    let (store, folder) = store_with(&["a"]).await;
    let place = folder.path().join("index");
    let (model, other) = (Model::default(), Model::default());
    let turn = Turn::take(&place).unwrap();
    assert!(Turn::take(&place).is_none());
    let working = async {
        let mut refusals = Refusals::default();
        let mut pass = Pass::new(&other, &mut refusals);
        let made = embed_missing(store.as_ref(), &mut pass, |_| {}).await;
        drop(turn);
        made.unwrap()
    };
    let waiting = complete(store.as_ref(), &model, &place, |_| {});
    let (waited, made) = futures::future::join(waiting, working).await;
    waited.unwrap();
    assert_eq!((made, model.asked.load(Ordering::Relaxed)), (1, 0));
}
