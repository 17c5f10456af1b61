//! Adding entries while other additions are slow.

#![allow(clippy::unwrap_used)]

use async_trait::async_trait;
use recall_kit_embed::{EmbedError, Embedder, Unrelated};
use recall_kit_settings::Settings;
use recall_kit_shared_types::knowledge::{EntryType, SuggestionType};
use recall_kit_store::StoreOptions;

use super::*;
use crate::{
    app::App,
    clock::Clock,
    validation::{AddInput, validate_add},
    vectors::ENTRIES_AT_ONCE,
};

/// How long a step may take before a test fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An embedder for which all texts are equal.
struct Alike;

#[async_trait]
impl Embedder for Alike {
    fn model(&self) -> &str {
        "alike"
    }

    async fn embed_query(&self, _text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vec![1.0, 0.0])
    }

    async fn embed_record(&self, _text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vec![1.0, 0.0])
    }

    fn unrelated(&self) -> Option<Unrelated> {
        Some(Unrelated {
            mean: 0.0,
            deviation: 0.1,
        })
    }

    async fn passages(&self, text: &str, _most: usize) -> Result<Vec<String>, EmbedError> {
        Ok(vec![text.to_owned()])
    }
}

/// An embedder that never answers.
struct Busy;

#[async_trait]
impl Embedder for Busy {
    fn model(&self) -> &str {
        "busy"
    }

    async fn embed_query(&self, _text: &str) -> Result<Vec<f32>, EmbedError> {
        std::future::pending().await
    }

    async fn embed_record(&self, _text: &str) -> Result<Vec<f32>, EmbedError> {
        std::future::pending().await
    }

    async fn passages(&self, text: &str, _most: usize) -> Result<Vec<String>, EmbedError> {
        Ok(vec![text.to_owned()])
    }
}

async fn app() -> (Arc<App>, tempfile::TempDir) {
    app_with(Arc::new(Alike)).await
}

async fn app_with(embedder: Arc<dyn Embedder>) -> (Arc<App>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    let url = format!("sqlite:{}", folder.path().join("test.db").display());
    let options = StoreOptions::new(url.as_str(), Duration::from_secs(5));
    let store = recall_kit_store::open(&options).await.unwrap();
    let app = App::with(settings, store, Some(embedder), Clock::system());
    (app.await.unwrap(), folder)
}

fn addition(title: &str) -> Addition {
    let input = AddInput {
        kind: Some(EntryType::Bug.to_string()),
        title: Some(title.to_owned()),
        content: Some("The pool runs dry".to_owned()),
        ..AddInput::default()
    };
    validate_add(input).unwrap()
}

async fn pending_links(app: &App) -> u64 {
    let pending = app
        .store
        .pending_suggestions(SuggestionType::Link, 10)
        .await;
    pending.unwrap().1
}

#[tokio::test]
async fn an_addition_does_not_wait_long_for_others_and_gets_its_suggestions_later() {
    let (app, _folder) = app().await;
    let caller = Caller::local();
    add(&app.knowledge, &caller, addition("One")).await.unwrap();
    // Holds the lock, like a caller whose database writes hang.
    let others = app.knowledge.suggesting.lock().await;
    let added = tokio::time::timeout(TIMEOUT, add(&app.knowledge, &caller, addition("Two"))).await;
    let added = added.expect("it waits for a moment only").unwrap();
    assert_eq!(added.suggestions_created, 0);
    assert!(
        added.notes.iter().any(|note| note.contains("later")),
        "{added:?}"
    );
    let id = Ulid::from_string(&added.id).unwrap();
    assert!(app.store.entry(id).await.unwrap().is_some());
    assert_eq!(pending_links(&app).await, 0);
    drop(others);
    let suggested = async { while pending_links(&app).await == 0 {} };
    let suggested = tokio::time::timeout(TIMEOUT, suggested).await;
    suggested.expect("the two are alike");
}

#[tokio::test]
async fn a_caller_that_is_not_polled_does_not_block_others() {
    let (app, _folder) = app().await;
    let caller = Caller::local();
    for polls in 1..12 {
        let mut first = Box::pin(add(&app.knowledge, &caller, addition("One")));
        for _ in 0..polls {
            if futures::poll!(&mut first).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
        let others = add(&app.knowledge, &caller, addition("Two"));
        let others = tokio::time::timeout(TIMEOUT, others).await;
        let others = others.expect("no lock is held").unwrap();
        assert!(others.embeddings_calculated, "{others:?}");
    }
}

#[tokio::test]
async fn additions_do_not_queue_for_a_busy_model() {
    let (app, _folder) = app_with(Arc::new(Busy)).await;
    let caller = Caller::local();
    let mut waiting = Vec::new();
    for number in 0..ENTRIES_AT_ONCE {
        let title = format!("Waits {number}");
        let mut one = Box::pin(add(&app.knowledge, &caller, addition(&title)));
        assert!(futures::poll!(&mut one).is_pending());
        waiting.push(one);
    }
    // The waiting additions time out later; this one must be stored first.
    let next = add(&app.knowledge, &caller, addition("Next"));
    let mut others = futures::future::select_all(waiting);
    let next = tokio::select! {
        next = next => next.unwrap(),
        _ = &mut others => panic!("the next addition waits"),
    };
    assert!(!next.embeddings_calculated, "{next:?}");
    assert!(
        next.notes.iter().any(|note| note.contains("later")),
        "{next:?}"
    );
    let id = Ulid::from_string(&next.id).unwrap();
    assert!(app.store.entry(id).await.unwrap().is_some());
    // The permits of cancelled additions are free again.
    drop(others);
    let mut last = Box::pin(add(&app.knowledge, &caller, addition("Last")));
    let waits = tokio::time::timeout(Duration::from_millis(200), &mut last).await;
    assert!(waits.is_err(), "it waits for the model");
}
