//! Which rows are served from the cache, and which never are.

#![allow(clippy::unwrap_used)]

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use recall_kit_search::Hit;
use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_store::{ExperienceContent, NewExperience, Store};
use uuid::Uuid;

use super::{CAPACITY, rows};
use crate::{
    app::App,
    experiences::{Query, query},
    indexing::popularity,
};

/// An application without a model, another store on its database, and their folder.
async fn app() -> (Arc<App>, Arc<dyn Store>, tempfile::TempDir) {
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
    (app, other, folder)
}

fn new(title: &str, solution: String) -> NewExperience {
    NewExperience {
        id: Uuid::now_v7(),
        content: ExperienceContent {
            title: title.to_owned(),
            problem_description: "it breaks".to_owned(),
            solution,
            ..ExperienceContent::default()
        },
        vector: None,
        created_at: Timestamp::UNIX_EPOCH,
        idempotency: None,
        author: None,
    }
}

fn hit(id: Uuid, seq: u64) -> Hit {
    Hit {
        id,
        seq,
        query_count: 3,
        relevance: 0.5,
    }
}

#[tokio::test]
async fn each_version_of_a_row_is_read_once() {
    let (app, _other, _folder) = app().await;
    let known = new("known", "mend it".to_owned());
    app.store.insert_experience(known.clone()).await.unwrap();
    let page = [hit(known.id, 1), hit(Uuid::nil(), 9)];
    let first = rows(&app.experiences, &page).await.unwrap().records();
    assert_eq!(first.len(), 1, "a missing record is left out");
    assert_eq!((first[0].query_count, first[0].relevance_score), (3, 0.5));

    app.store.close().await;
    let again = rows(&app.experiences, &[hit(known.id, 1)])
        .await
        .unwrap()
        .records();
    assert_eq!(again, first, "from memory");
    let changed = rows(&app.experiences, &[hit(known.id, 2)]).await;
    assert!(
        changed.is_err(),
        "another version is read from the database: {changed:?}"
    );
}

#[tokio::test]
async fn a_row_shows_counts_as_soon_as_they_are_stored() {
    let (app, _other, _folder) = app().await;
    let known = new("known", "mend it".to_owned());
    app.store.insert_experience(known).await.unwrap();
    for counted in 0..3 {
        let query_for = Query {
            keywords: "known".to_owned(),
            limit: 1,
            offset: 0,
            ..Query::default()
        };
        let found = query(&app.experiences, query_for).await.unwrap();
        assert_eq!(found.experiences[0].query_count, counted);
        popularity::flush(&app.experiences.records).await.unwrap();
    }
    popularity::refresh(&app.experiences.records).await.unwrap();
    let index = app.experiences.records.index().unwrap();
    let id = app.store.experiences_after(0, 1).await.unwrap()[0].row.id;
    assert_eq!(index.query_counts([id]), [3], "nothing is counted twice");
}

#[tokio::test]
async fn large_rows_do_not_fill_the_memory() {
    let (app, _other, _folder) = app().await;
    let megabyte = "x".repeat(1 << 20);
    for seq in 1..=64 {
        let large = new(&format!("large {seq}"), megabyte.clone());
        let id = app.store.insert_experience(large).await.unwrap().id;
        rows(&app.experiences, &[hit(id, seq)])
            .await
            .unwrap()
            .records();
        assert!(app.experiences.rows.rows.weight() <= CAPACITY);
    }
    assert!(
        app.experiences.rows.rows.weight() > 1 << 20,
        "some of them stay"
    );
}

#[tokio::test]
async fn records_committed_by_another_store_are_found_by_the_next_query() {
    let (app, other, _folder) = app().await;
    let total = async || {
        let query_for = Query {
            keywords: "known".to_owned(),
            limit: 1,
            offset: 0,
            ..Query::default()
        };
        query(&app.experiences, query_for).await.unwrap().total
    };
    for stored in 0..30 {
        assert_eq!(total().await, stored);
        assert_eq!(total().await, stored);
        let record = new("known", format!("mend it {stored}"));
        other.insert_experience(record).await.unwrap();
    }
}
