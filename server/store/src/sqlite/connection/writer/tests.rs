//! Callers that leave or stand still, and files that take no writes for a while.

#![allow(clippy::unwrap_used)]

use std::{future::poll_fn, pin::pin, task::Poll};

use sqlx::Row as _;
use tokio::sync::oneshot;

use super::*;
use crate::{
    Store as _,
    sqlite::{SqliteStore, touch},
};

async fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("test.db"), Duration::from_secs(5)).await;
    (folder, store.unwrap())
}

async fn put_fact(write: &mut SqliteConnection, name: &str, value: &str) -> Result<()> {
    sqlx::query("insert into database_facts (name, value) values (?, ?)")
        .bind(name)
        .bind(value)
        .execute(write)
        .await?;
    Ok(())
}

async fn fact_is_there(store: &SqliteStore, name: &str) -> bool {
    let found = sqlx::query("select 1 from database_facts where name = ?")
        .bind(name)
        .fetch_optional(&store.readers);
    found.await.unwrap().is_some()
}

/// Writes a fact once it is told to; says when it has the connection.
async fn slow_write(store: &SqliteStore, begun: oneshot::Sender<()>, go: oneshot::Receiver<()>) {
    let written = store.writer.write(move |write| {
        Box::pin(async move {
            begun.send(()).unwrap();
            go.await.unwrap();
            put_fact(write, "slow", "x").await
        })
    });
    written.await.unwrap();
}

#[tokio::test]
async fn a_write_goes_on_to_its_commit_when_its_caller_leaves() {
    let (_folder, store) = store().await;
    let ((begun, has_begun), (let_go, go)) = (oneshot::channel(), oneshot::channel());
    {
        let mut write = pin!(slow_write(&store, begun, go));
        tokio::select! {
            () = &mut write => panic!("it waits"),
            told = has_begun => told.unwrap(),
        }
        // The caller leaves inside the transaction.
    }
    let_go.send(()).unwrap();
    // The next one waits for it.
    write!(store, write, [] => touch(write)).unwrap();
    assert!(fact_is_there(&store, "slow").await);
}

#[tokio::test]
async fn a_caller_that_is_not_polled_does_not_keep_the_connection() {
    let (_folder, store) = store().await;
    let ((begun, has_begun), (let_go, go)) = (oneshot::channel(), oneshot::channel());
    let mut write = pin!(slow_write(&store, begun, go));
    poll_fn(|context| {
        assert!(write.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    has_begun.await.unwrap();
    let_go.send(()).unwrap();
    // The first caller is polled no more until this is done.
    write!(store, write, [] => touch(write)).unwrap();
    write.await;
}

#[tokio::test]
async fn work_that_fails_or_breaks_down_leaves_nothing_behind() {
    let (_folder, store) = store().await;
    let failed: Result<()> = store
        .writer
        .write(|write| {
            Box::pin(async move {
                put_fact(write, "half", "x").await?;
                Err(StoreError::KeyReused)
            })
        })
        .await;
    assert!(matches!(failed, Err(StoreError::KeyReused)), "{failed:?}");
    let broken: Result<()> = store
        .writer
        .write(|write| {
            Box::pin(async move {
                put_fact(write, "half", "x").await?;
                panic!("as a bug would")
            })
        })
        .await;
    assert!(matches!(broken, Err(StoreError::BrokenOff)), "{broken:?}");
    let mut dropped = store.writer.begin().await.unwrap();
    put_fact(&mut dropped, "half", "x").await.unwrap();
    drop(dropped);
    write!(store, write, [] => touch(write)).unwrap();
    assert!(!fact_is_there(&store, "half").await);
    assert_eq!(store.write_fault().await, None, "the file is not to blame");
}

/// Lets the file grow no more, for this connection.
async fn fill(write: &mut SqliteConnection) -> Result<()> {
    sqlx::query("pragma max_page_count = 1")
        .fetch_one(write)
        .await?;
    Ok(())
}

async fn until_writable(store: &SqliteStore) {
    while store.write_fault().await.is_some() {
        // While a write is tried, who asks is answered at once.
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn writes_go_on_after_sqlite_ended_a_transaction_by_itself() {
    let (_folder, store) = store().await;
    let before = store.revision();
    write!(store, write, [] => fill(write)).unwrap();
    let large = "x".repeat(1_000_000);
    let full = write!(store, write, [large] => put_fact(write, "large", &large));
    let full = full.unwrap_err();
    assert_eq!(fault_of(&full), Some(WriteFault::Full), "{full}");
    assert_eq!(*store.writer.last_fault(), Some(WriteFault::Full));
    // The connection was replaced while the file stayed open: the new one has no limit.
    write!(store, write, [large] => put_fact(write, "large", &large)).unwrap();
    assert_eq!(*store.writer.last_fault(), None);
    assert!(fact_is_there(&store, "large").await);
    if before.is_some() {
        assert!(store.revision().is_some(), "the wal-index stayed");
    }
}

#[tokio::test]
async fn whether_writes_work_again_is_found_out_by_writing() {
    let (_folder, store) = store().await;
    write!(store, write, [] => fill(write)).unwrap();
    let large = "x".repeat(1_000_000);
    write!(store, write, [large] => put_fact(write, "large", &large)).unwrap_err();
    // There is room again; what was written to find out does not stay.
    until_writable(&store).await;
    while fact_is_there(&store, "write_probe").await {}

    // Another process has the lock.
    let options = SqliteConnectOptions::clone(&store.writer.0.options);
    let mut other = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql("begin immediate")
        .execute(&mut other)
        .await
        .unwrap();
    store.writer.set_fault(Some(WriteFault::Locked));
    assert_eq!(store.write_fault().await, Some(WriteFault::Locked));
    sqlx::raw_sql("rollback").execute(&mut other).await.unwrap();
    // The write that waited for the lock has it now.
    until_writable(&store).await;
}

#[tokio::test]
async fn after_its_end_nothing_is_written() {
    let (_folder, store) = store().await;
    store.close().await;
    let late = write!(store, write, [] => touch(write));
    assert!(matches!(
        late,
        Err(StoreError::Database(sqlx::Error::PoolClosed))
    ));
    let row = sqlx::query("select 1").fetch_one(&store.readers).await;
    assert!(row.map(|row| row.len()).is_err());
}
