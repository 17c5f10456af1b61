//! Callers that stop waiting or are not polled, and files that accept no writes for a while.

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

async fn fact_exists(store: &SqliteStore, name: &str) -> bool {
    let found = sqlx::query("select 1 from database_facts where name = ?")
        .bind(name)
        .fetch_optional(&store.readers);
    found.await.unwrap().is_some()
}

/// Sends `begun` once it has the connection, waits for `resume`, and then writes a fact.
async fn slow_write(
    store: &SqliteStore,
    begun: oneshot::Sender<()>,
    resume: oneshot::Receiver<()>,
) {
    let written = store.writer.write(move |write| {
        Box::pin(async move {
            begun.send(()).unwrap();
            resume.await.unwrap();
            put_fact(write, "slow", "x").await
        })
    });
    written.await.unwrap();
}

#[tokio::test]
async fn a_write_is_committed_although_its_caller_stops_waiting() {
    let (_folder, store) = store().await;
    let ((begun, has_begun), (resume, resumed)) = (oneshot::channel(), oneshot::channel());
    {
        let mut write = pin!(slow_write(&store, begun, resumed));
        tokio::select! {
            () = &mut write => panic!("it waits"),
            received = has_begun => received.unwrap(),
        }
        // The caller's future is dropped inside the transaction.
    }
    resume.send(()).unwrap();
    // The next write waits for it.
    write!(store, write, [] => touch(write)).unwrap();
    assert!(fact_exists(&store, "slow").await);
}

#[tokio::test]
async fn a_caller_that_is_not_polled_does_not_block_the_connection() {
    let (_folder, store) = store().await;
    let ((begun, has_begun), (resume, resumed)) = (oneshot::channel(), oneshot::channel());
    let mut write = pin!(slow_write(&store, begun, resumed));
    poll_fn(|context| {
        assert!(write.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    has_begun.await.unwrap();
    resume.send(()).unwrap();
    // The first caller is not polled again until this write is done.
    write!(store, write, [] => touch(write)).unwrap();
    write.await;
}

#[tokio::test]
async fn work_that_fails_panics_or_is_dropped_is_rolled_back() {
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
    assert!(!fact_exists(&store, "half").await);
    assert_eq!(store.write_fault().await, None, "the file is not the cause");
}

/// Keeps the file from growing, for this connection.
async fn limit_size(write: &mut SqliteConnection) -> Result<()> {
    sqlx::query("pragma max_page_count = 1")
        .fetch_one(write)
        .await?;
    Ok(())
}

async fn until_writable(store: &SqliteStore) {
    while store.write_fault().await.is_some() {
        // While another call tries the test write, `write_fault` returns at once.
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn writes_work_again_after_sqlite_ended_a_transaction_by_itself() {
    let (_folder, store) = store().await;
    let before = store.revision();
    write!(store, write, [] => limit_size(write)).unwrap();
    let large = "x".repeat(1_000_000);
    let full = write!(store, write, [large] => put_fact(write, "large", &large));
    let full = full.unwrap_err();
    assert_eq!(fault_of(&full), Some(WriteFault::Full), "{full}");
    assert_eq!(*store.writer.last_fault(), Some(WriteFault::Full));
    // The connection was replaced while the file stayed open: the new one has no limit.
    write!(store, write, [large] => put_fact(write, "large", &large)).unwrap();
    assert_eq!(*store.writer.last_fault(), None);
    assert!(fact_exists(&store, "large").await);
    if before.is_some() {
        assert!(store.revision().is_some(), "the wal-index still exists");
    }
}

#[tokio::test]
async fn a_write_fault_is_cleared_by_a_successful_test_write() {
    let (_folder, store) = store().await;
    write!(store, write, [] => limit_size(write)).unwrap();
    let large = "x".repeat(1_000_000);
    write!(store, write, [large] => put_fact(write, "large", &large)).unwrap_err();
    // There is space again; the value of the test write is removed.
    until_writable(&store).await;
    while fact_exists(&store, "write_probe").await {}

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
    // The test write that waited for the lock succeeds now.
    until_writable(&store).await;
}

#[tokio::test]
async fn a_closed_store_refuses_writes_and_reads() {
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
