//! Writes: one connection, one transaction at a time, each in a task of its own.
//!
//! A caller that stops waiting does not interrupt its transaction, and a caller whose future is not polled
//! does not block the only connection that writes. When the disk is full or fails, SQLite ends a
//! transaction by itself; a connection that did not confirm its rollback is replaced.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::BoxFuture;
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::{runtime::Handle, sync::OwnedMutexGuard};
use tracing::Instrument as _;

use crate::{
    Result, StoreError, WriteFault,
    sqlite::{is_busy, primary_code},
};

/// How long [`Writer::fault`] waits for its test write.
const PROBE: Duration = Duration::from_secs(1);
/// Size of the test write of [`Writer::fault`] in characters: that of a large record.
const PROBE_CHARS: i64 = 256 * 1024;
const HELD: &str = "the connection is held until the transaction is over";

/// Writes to one SQLite file. Clones share the connection.
#[derive(Clone)]
pub(crate) struct Writer(Arc<Shared>);

struct Shared {
    options: SqliteConnectOptions,
    /// How long a write waits for earlier ones.
    patience: Duration,
    slot: Arc<tokio::sync::Mutex<Slot>>,
    /// Why the latest write failed.
    fault: Mutex<Option<WriteFault>>,
    /// Held during the test write of [`Writer::fault`].
    probe: Arc<tokio::sync::Mutex<()>>,
}

/// Holds the connection between two transactions.
struct Slot {
    /// `None` if a broken connection could not be replaced.
    connection: Option<SqliteConnection>,
    is_closed: bool,
}

impl Writer {
    /// Creates a writer for a connection that was opened with these options.
    pub(crate) fn new(
        connection: SqliteConnection,
        options: SqliteConnectOptions,
        patience: Duration,
    ) -> Self {
        let slot = Slot {
            connection: Some(connection),
            is_closed: false,
        };
        Self(Arc::new(Shared {
            options,
            patience,
            slot: Arc::new(tokio::sync::Mutex::new(slot)),
            fault: Mutex::default(),
            probe: Arc::default(),
        }))
    }

    /// Runs work in a transaction, and commits it if the work succeeds. Both continue if the caller stops
    /// waiting.
    ///
    /// *Errors*: those of the work, in which case nothing is stored; the database's errors.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut SqliteConnection) -> BoxFuture<'t, Result<T>> + Send + 'static,
        T: Send + 'static,
    {
        let writer = self.clone();
        let written = async move {
            let mut write = writer.begin().await?;
            match writer.noted(work(&mut write).await) {
                Ok(done) => write.commit().await.map(|()| done),
                Err(error) => {
                    write.roll_back().await;
                    Err(error)
                }
            }
        };
        let written = tokio::spawn(written.in_current_span()).await;
        written.unwrap_or(Err(StoreError::BrokenOff))
    }

    /// Begins a transaction, for callers that run in a task of their own.
    pub(crate) async fn begin(&self) -> Result<Write> {
        self.noted(self.try_begin().await)
    }

    async fn try_begin(&self) -> Result<Write> {
        let slot = Arc::clone(&self.0.slot).lock_owned();
        let slot = tokio::time::timeout(self.0.patience, slot).await;
        let mut slot = slot.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let mut connection = match slot.connection.take() {
            Some(connection) => connection,
            None if slot.is_closed => return Err(sqlx::Error::PoolClosed.into()),
            None => SqliteConnection::connect_with(&self.0.options).await?,
        };
        let begun = sqlx::raw_sql("begin immediate").execute(&mut connection);
        match begun.await {
            Ok(_) => Ok(Write {
                writer: self.clone(),
                held: Some((connection, slot)),
            }),
            Err(error) => {
                match is_busy(&error) {
                    true => slot.connection = Some(connection),
                    false => self.replace(connection, &mut slot).await,
                }
                Err(error.into())
            }
        }
    }

    /// Rolls back a transaction, and puts its connection back into the slot.
    async fn roll_back(
        &self,
        (mut connection, mut slot): (SqliteConnection, OwnedMutexGuard<Slot>),
    ) {
        match sqlx::raw_sql("rollback").execute(&mut connection).await {
            Ok(_) => slot.connection = Some(connection),
            Err(_) => self.replace(connection, &mut slot).await,
        }
    }

    /// Replaces a connection on which a transaction may still be open.
    async fn replace(&self, broken: SqliteConnection, slot: &mut Slot) {
        // Opened first: closing the last connection would delete the wal-index.
        slot.connection = SqliteConnection::connect_with(&self.0.options).await.ok();
        broken.close().await.ok();
    }

    /// Records why writes fail, if a step of a write failed because of the database; returns the result.
    pub(crate) fn noted<T>(&self, result: Result<T>) -> Result<T> {
        if let Some(fault) = result.as_ref().err().and_then(fault_of) {
            self.set_fault(Some(fault));
        }
        result
    }

    fn set_fault(&self, fault: Option<WriteFault>) {
        let before = std::mem::replace(&mut *self.last_fault(), fault);
        match (before, fault) {
            (Some(_), None) => tracing::info!("the database takes writes again"),
            (before, Some(fault)) if before != Some(fault) => {
                tracing::error!(reason = %fault, "the database takes no writes");
            }
            _ => {}
        }
    }

    fn last_fault(&self) -> std::sync::MutexGuard<'_, Option<WriteFault>> {
        let fault = &self.0.fault;
        fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns why writes fail. If the latest write failed, first tries a test write of the size of a large
    /// record.
    pub(crate) async fn fault(&self) -> Option<WriteFault> {
        let last = *self.last_fault();
        last?;
        let Ok(lock) = Arc::clone(&self.0.probe).try_lock_owned() else {
            return last;
        };
        let writer = self.clone();
        let probe = tokio::spawn(async move {
            let _lock = lock;
            writer.probe().await
        });
        tokio::time::timeout(PROBE, probe).await.ok();
        *self.last_fault()
    }

    /// Writes a value and removes it again; the outcome is recorded as that of any write.
    async fn probe(&self) -> Result<()> {
        self.write(|write| {
            Box::pin(async move {
                sqlx::query(
                    "insert into database_facts (name, value) \
                     values ('write_probe', printf('%.*c', ?, '0')) \
                     on conflict (name) do update set value = excluded.value",
                )
                .bind(PROBE_CHARS)
                .execute(write)
                .await?;
                Ok(())
            })
        })
        .await?;
        self.write(|write| {
            Box::pin(async move {
                sqlx::query("delete from database_facts where name = 'write_probe'")
                    .execute(write)
                    .await?;
                Ok(())
            })
        })
        .await
    }

    /// Waits for the current write and closes the connection; later writes are refused.
    pub(crate) async fn close(&self) {
        let mut slot = self.0.slot.lock().await;
        slot.is_closed = true;
        if let Some(connection) = slot.connection.take() {
            connection.close().await.ok();
        }
    }
}

/// A write transaction; one that is dropped is rolled back.
pub(crate) struct Write {
    writer: Writer,
    /// `None` once it is over.
    held: Option<(SqliteConnection, OwnedMutexGuard<Slot>)>,
}

impl Write {
    /// Commits.
    ///
    /// *Errors*: the database's error, in which case nothing is stored.
    pub(crate) async fn commit(mut self) -> Result<()> {
        let committed = sqlx::raw_sql("commit").execute(&mut *self).await;
        self.writer.noted(committed.map_err(StoreError::from))?;
        // Before the connection is released, so that it does not overwrite the fault of the next write.
        self.writer.set_fault(None);
        if let Some((connection, mut slot)) = self.held.take() {
            slot.connection = Some(connection);
        }
        Ok(())
    }

    /// Rolls back.
    pub(crate) async fn roll_back(mut self) {
        if let Some(held) = self.held.take() {
            self.writer.roll_back(held).await;
        }
    }
}

impl Deref for Write {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.held.as_ref().expect(HELD).0
    }
}

impl DerefMut for Write {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.held.as_mut().expect(HELD).0
    }
}

impl Drop for Write {
    fn drop(&mut self) {
        // Without a runtime the process is about to exit, which closes the connection.
        if let Some((held, runtime)) = self.held.take().zip(Handle::try_current().ok()) {
            let writer = self.writer.clone();
            runtime.spawn(async move { writer.roll_back(held).await });
        }
    }
}

/// Returns why the file accepts no writes, if an error says so.
fn fault_of(error: &StoreError) -> Option<WriteFault> {
    let error = match error {
        StoreError::Shared(error) => return fault_of(error),
        StoreError::Database(sqlx::Error::PoolTimedOut) => return Some(WriteFault::Locked),
        StoreError::Database(error) => error.as_database_error()?,
        _ => return None,
    };
    // Source: SQLite, "Result and Error Codes".
    match primary_code(error)? {
        5 | 6 => Some(WriteFault::Locked),
        7 => Some(WriteFault::Memory),
        8 => Some(WriteFault::ReadOnly),
        10 => Some(WriteFault::Io),
        11 | 26 => Some(WriteFault::Damaged),
        13 => Some(WriteFault::Full),
        14 => Some(WriteFault::Unopenable),
        _ => None,
    }
}

/// Runs work in a write transaction of a store. The borrowed arguments that the work uses are listed and
/// copied, since the caller may stop waiting before the end.
macro_rules! write {
    ($store:expr, $write:ident, [$($argument:ident),*] => $work:expr) => {{
        $(let $argument = $argument.to_owned();)*
        $store.writer.write(move |$write| Box::pin(async move { $work.await })).await
    }};
}

pub(crate) use write;

#[cfg(test)]
mod tests;
