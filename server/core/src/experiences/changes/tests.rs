//! Hidden and deleted experiences are visible only to callers who may restore them; deleted ones are purged.

#![allow(clippy::unwrap_used)]

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use jiff::Timestamp;
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_store::{ExperienceOrder, Page, Standing};

use super::*;
use crate::{
    app::App,
    clock::Clock,
    experiences::{Submission, inspect, show, similar, submit},
};

/// Returns an application, the seconds of its clock, and its folder.
async fn app() -> (Arc<App>, Arc<AtomicI64>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    let url = settings.database_url().unwrap();
    let options = recall_kit_store::StoreOptions::new(url, Duration::from_secs(5));
    let store = recall_kit_store::open(&options).await.unwrap();
    let second = Arc::new(AtomicI64::new(1_800_000_000));
    let shown = Arc::clone(&second);
    let clock = move || Timestamp::from_second(shown.load(Ordering::Relaxed)).unwrap();
    let app = App::with(settings, store, None, Clock::new(clock)).await;
    (app.unwrap(), second, folder)
}

fn content(title: &str) -> ExperienceContent {
    ExperienceContent {
        title: title.to_owned(),
        problem_description: "the wombat tunnel collapses".to_owned(),
        solution: "prop it up".to_owned(),
        ..ExperienceContent::default()
    }
}

async fn submitted(app: &Arc<App>, title: &str) -> Uuid {
    let submission = Submission {
        content: content(title),
        notes: Vec::new(),
        idempotency_key: None,
    };
    submit(&app.experiences, &Caller::local(), submission)
        .await
        .unwrap()
        .id
        .parse()
        .unwrap()
}

#[tokio::test]
async fn hidden_experiences_can_be_inspected_and_edited_but_are_not_found_as_similar() {
    let (app, _, _folder) = app().await;
    let mut ids = Vec::new();
    for title in ["first", "second", "third"] {
        ids.push(submitted(&app, title).await);
    }
    let similar_ids = async |id| {
        let records = similar(&app.experiences, id, 5).await.unwrap();
        records.iter().map(|record| record.id).collect::<Vec<_>>()
    };
    assert_eq!(similar_ids(ids[0]).await.len(), 2, "not itself");
    hide(&app.experiences, &Caller::local(), (ids[1], None))
        .await
        .unwrap();
    assert_eq!(similar_ids(ids[0]).await, [ids[2]]);
    assert_eq!(
        similar_ids(ids[1]).await.len(),
        2,
        "similar to a hidden one"
    );
    let refused = show(&app.experiences, &Caller::local(), ids[1])
        .await
        .unwrap_err();
    assert!(!refused.is_fault(), "{refused}");
    let seen = inspect(&app.experiences, &Caller::local(), ids[1])
        .await
        .unwrap();
    assert_eq!(
        (seen.state.standing(), seen.state.version),
        (Standing::Hidden, 2)
    );

    let stale = edit(
        &app.experiences,
        &Caller::local(),
        (ids[1], 1),
        content("late"),
    )
    .await
    .unwrap_err();
    assert!(matches!(
        stale,
        ServiceError::Store(StoreError::VersionChanged { current: 2 })
    ));
    let edited = edit(
        &app.experiences,
        &Caller::local(),
        (ids[1], 2),
        content("in time"),
    )
    .await
    .unwrap();
    assert_eq!(
        (edited.state.version, edited.state.standing()),
        (3, Standing::Hidden)
    );
    let blank = edit(
        &app.experiences,
        &Caller::local(),
        (ids[1], 3),
        content(" "),
    )
    .await;
    assert!(matches!(blank, Err(ServiceError::Invalid(_))));
}

#[tokio::test]
async fn a_deleted_experience_is_removed_after_thirty_days() {
    let (app, second, _folder) = app().await;
    let id = submitted(&app, "first").await;
    delete(&app.experiences, &Caller::local(), (id, None))
        .await
        .unwrap();
    let listing = ExperienceListing {
        standing: Standing::Deleted,
        order: ExperienceOrder::Newest,
        page: Page {
            offset: 0,
            limit: 9,
        },
    };
    let month = 30 * 24 * 60 * 60;
    second.fetch_add(month, Ordering::Relaxed);
    assert_eq!(super::purge(&app.experiences).await.unwrap(), 0);
    assert_eq!(list(&app.experiences, &listing).await.unwrap().total, 1);
    second.fetch_add(1, Ordering::Relaxed);
    assert_eq!(super::purge(&app.experiences).await.unwrap(), 1);
    assert_eq!(list(&app.experiences, &listing).await.unwrap().total, 0);
    assert!(
        inspect(&app.experiences, &Caller::local(), id)
            .await
            .is_err()
    );
}
