//! Databases of earlier versions, and connections whose transaction SQLite ended by itself.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use recall_kit_embed::{BuiltinEmbedder, Embedder as _};
use sqlx::{Connection as _, Row as _, SqliteConnection, sqlite::SqliteConnectOptions};

use super::SqliteStore;
use crate::{Store as _, database::migrations};

/// Creates a database in the format from before vectors were centred, with a record and its vector.
async fn with_vectors_of(model: &str) -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true);
    let mut old = SqliteConnection::connect_with(&options).await.unwrap();
    migrations::sqlite().run_to(2, &mut old).await.unwrap();
    let record = "insert into experiences values \
        (1, '0199aaaa-0000-7000-8000-000000000001', 't', 'p', null, 's', null, '[]', 0, 1, 1)";
    let vector = "insert into experience_vectors values \
        ('0199aaaa-0000-7000-8000-000000000001', 'm', x'0000803f01')";
    for statement in ["update head set seq = 1", record, vector] {
        sqlx::query(statement).execute(&mut old).await.unwrap();
    }
    sqlx::query("insert into database_facts values ('embedding_model', ?)")
        .bind(model)
        .execute(&mut old)
        .await
        .unwrap();
    old.close().await.unwrap();
    let store = SqliteStore::open(&path, Duration::from_secs(5)).await;
    (folder, store.unwrap())
}

#[tokio::test]
async fn migrating_drops_vectors_in_the_old_format_and_the_old_builtin_model() {
    let model = BuiltinEmbedder::new();
    let (_folder, store) = with_vectors_of("builtin:multilingual-e5-small-q4").await;
    store.claim_embedding_model(model.model()).await.unwrap();
    let rows = store.index_rows(0, 1, 10).await.unwrap();
    assert_eq!(rows.len(), 1, "the record exists");
    assert_eq!(
        rows[0].vector, None,
        "a vector in the old format is not read"
    );

    // The model of an endpoint is still the database's, so another model is refused.
    let (_folder, store) = with_vectors_of("openai:some-model").await;
    store
        .claim_embedding_model("openai:some-model")
        .await
        .unwrap();
    assert!(store.claim_embedding_model(model.model()).await.is_err());
}

#[tokio::test]
async fn a_connection_whose_transaction_ended_by_itself_does_not_read_old_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = SqliteStore::open(&path, Duration::from_secs(5))
        .await
        .unwrap();
    // As SQLite does after an I/O error, unnoticed by sqlx.
    let mut read = store.readers.begin().await.unwrap();
    sqlx::raw_sql("rollback").execute(&mut *read).await.unwrap();
    drop(read);
    let seq = async || {
        let mut read = store.readers.begin().await.unwrap();
        let row = sqlx::query("select seq from head").fetch_one(&mut *read);
        row.await.unwrap().get::<i64, _>(0)
    };
    assert_eq!(seq().await, 0);
    let url = format!("sqlite:{}", path.display());
    let mut other = SqliteConnection::connect(&url).await.unwrap();
    let written = sqlx::query("update head set seq = 7").execute(&mut other);
    written.await.unwrap();
    assert_eq!(seq().await, 7);
}
