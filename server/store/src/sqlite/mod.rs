//! The SQLite back end: one file, any number of processes, one writer at a time.
//!
//! It uses WAL mode with full synchronisation: readers never wait for the writer, and an acknowledged
//! write is on disk. Within this process writers queue for the only connection that writes, and across
//! processes for SQLite's own lock, for at most the busy timeout.

mod access;
mod connection;
mod experiences;
mod knowledge;
mod libraries;
mod questions;
mod schema;
mod transfer;
mod vectors;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{
    Connection as _, Row, SqliteConnection, SqlitePool,
    error::DatabaseError,
    sqlite::{
        SqliteConnectOptions, SqliteError, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
    },
};
use uuid::Uuid;

use super::{
    ApiKey, AuditEvent, Encryption, Experience, ExperienceVector, HashedApiKey, Import, IndexRow,
    IndexedExperience, NewCount, NewExperience, QueryCount, Result, SearchStore, Store, StoreError,
    StoredExperience, SubmittedExperience, Unembedded, WriteFault,
};
pub use crate::sqlite::connection::backup::{FileError, HeldFile, Holdings, check_file, copy_file};
use crate::{
    database::columns::{count_of, id_of},
    experiences::group_commit::GroupCommit,
    sqlite::{
        access::api_keys,
        connection::{
            wal_index::WalIndex,
            writer::{Writer, write},
        },
        experiences::{batches, counts},
    },
};

/// Number of connections that read; more would bring little, as the number of cores is the limit.
const READERS: u32 = 4;

/// The pause between two attempts to open a file that another process is creating.
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// An open SQLite database.
pub(super) struct SqliteStore {
    readers: SqlitePool,
    writer: Writer,
    wal_index: WalIndex,
    new_experiences: Arc<GroupCommit<batches::Experiences>>,
    new_entries: Arc<GroupCommit<batches::Entries>>,
}

impl SqliteStore {
    /// Opens or creates the file and migrates it; safe if several processes do so at once.
    pub(super) async fn open(path: &Path, busy_timeout: Duration) -> Result<Self> {
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder).map_err(|source| StoreError::Folder {
                path: folder.to_owned(),
                source,
            })?;
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(busy_timeout);
        let mut connection = connect(&options, busy_timeout).await?;
        schema::prepare(&mut connection).await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(busy_timeout * 2)
            // After an I/O error SQLite ends a transaction by itself, but sqlx still counts it as
            // open and nests the next one in it: the connection would keep reading an old snapshot.
            .after_release(|connection, _| {
                Box::pin(async move {
                    connection.ping().await?;
                    Ok(!connection.is_in_transaction())
                })
            })
            .connect_lazy_with(options.clone());
        // The writer's connection stays open: closing the last connection would delete the wal-index.
        let writer = Writer::new(connection, options, busy_timeout * 2);
        Ok(Self {
            readers,
            new_experiences: Arc::new(GroupCommit::new(batches::Experiences(writer.clone()))),
            new_entries: Arc::new(GroupCommit::new(batches::Entries(writer.clone()))),
            writer,
            wal_index: WalIndex::open(path),
        })
    }
}

/// Opens the writer's connection. While several processes create one file, the switch to WAL fails at once
/// with "locked" (SQLite does not call the busy handler there), so the retries are done here.
async fn connect(
    options: &SqliteConnectOptions,
    busy_timeout: Duration,
) -> Result<SqliteConnection> {
    let started = Instant::now();
    loop {
        match SqliteConnection::connect_with(options).await {
            Err(error) if is_busy(&error) && started.elapsed() < busy_timeout => {
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            other => return Ok(other?),
        }
    }
}

/// Whether another process held the lock (`SQLITE_BUSY`).
fn is_busy(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .and_then(primary_code)
        .is_some_and(|code| code == 5)
}

/// Whether the file is damaged (`SQLITE_CORRUPT`).
pub(super) fn is_damage(error: &dyn DatabaseError) -> bool {
    primary_code(error).is_some_and(|code| code == 11)
}

/// Returns SQLite's primary result code, without the extended part.
fn primary_code(error: &dyn DatabaseError) -> Option<i32> {
    error.try_downcast_ref::<SqliteError>()?;
    let code: i32 = error.code()?.parse().ok()?;
    Some(code & 0xff)
}

/// Converts a list to a parameter for `json_each`.
fn json_of<T: Clone + Into<serde_json::Value>>(values: &[T]) -> String {
    serde_json::Value::from(values.to_vec()).to_string()
}

/// Allocates the next `seq` inside a write transaction, for a record whose content hash is correct.
async fn next_seq(write: &mut SqliteConnection) -> Result<i64> {
    let row = sqlx::query(
        "update head set hashed = case when hashed >= seq then seq + 1 else hashed end, \
         seq = seq + 1 returning seq",
    )
    .fetch_one(write)
    .await?;
    Ok(row.try_get(0)?)
}

/// Writes without changing anything.
async fn touch(write: &mut SqliteConnection) -> Result<()> {
    sqlx::query("update head set seq = seq")
        .execute(write)
        .await?;
    Ok(())
}

// SQLite databases are searched in memory.
impl SearchStore for SqliteStore {}

#[async_trait]
impl Store for SqliteStore {
    async fn database_id(&self) -> Result<Uuid> {
        let row = sqlx::query("select value from database_facts where name = 'database_id'")
            .fetch_one(&self.readers)
            .await?;
        id_of(row.try_get(0)?)
    }

    fn revision(&self) -> Option<u64> {
        self.wal_index.revision()
    }

    async fn head_seq(&self) -> Result<u64> {
        let row = sqlx::query("select seq from head")
            .fetch_one(&self.readers)
            .await?;
        Ok(count_of(row.try_get(0)?))
    }

    async fn head_seq_and_size(&self) -> Result<(u64, u64)> {
        let row = sqlx::query(
            "select (select seq from head), (select count(*) from experiences \
             where hidden_at is null and deleted_at is null)",
        )
        .fetch_one(&self.readers)
        .await?;
        Ok((count_of(row.try_get(0)?), count_of(row.try_get(1)?)))
    }

    async fn insert_experience(&self, new: NewExperience) -> Result<SubmittedExperience> {
        self.new_experiences.insert(new).await
    }

    async fn experiences(&self, ids: &[Uuid]) -> Result<Vec<Experience>> {
        experiences::by_ids(&self.readers, ids).await
    }

    async fn experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>> {
        experiences::with_prefix(&self.readers, prefix, (limit, false)).await
    }

    async fn all_experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>> {
        experiences::with_prefix(&self.readers, prefix, (limit, true)).await
    }

    async fn experiences_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedExperience>> {
        experiences::after(&self.readers, seq, limit).await
    }

    async fn index_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        experiences::index_rows(&self.readers, after, up_to, limit).await
    }

    async fn add_query_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        if counts.is_empty() {
            return Ok(());
        }
        write!(self, write, [counts] => counts::add(write, &counts, now))
    }

    async fn query_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>> {
        counts::since(&self.readers, moment).await
    }

    async fn embedding_model(&self) -> Result<Option<String>> {
        vectors::model(&self.readers).await
    }

    async fn claim_embedding_model(&self, model: &str) -> Result<()> {
        // If the model is already stored, nothing is written.
        let stored = match vectors::model(&self.readers).await? {
            Some(stored) => stored,
            None => write!(self, write, [model] => vectors::claim(write, &model))?,
        };
        match stored == model {
            true => Ok(()),
            false => Err(StoreError::OtherModel {
                stored,
                configured: model.to_owned(),
            }),
        }
    }

    async fn without_vector(
        &self,
        model: &str,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Unembedded>> {
        vectors::missing(&self.readers, model, after, limit).await
    }

    async fn count_without_vector(&self, model: &str) -> Result<u64> {
        vectors::count_missing(&self.readers, model).await
    }

    async fn any_vector(&self, model: &str) -> Result<Option<Vec<u8>>> {
        vectors::any(&self.readers, model).await
    }

    async fn put_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64> {
        write!(self, write, [model, vectors] => vectors::put(write, &model, &vectors))
    }

    async fn replace_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64> {
        write!(self, write, [model, vectors] => vectors::replace(write, &model, &vectors))
    }

    async fn experience_count(&self, up_to: u64) -> Result<u64> {
        transfer::count(&self.readers, up_to).await
    }

    async fn experiences_by_id(
        &self,
        after: Uuid,
        model: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredExperience>> {
        transfer::by_id(&self.readers, after, model, limit).await
    }

    async fn import_experiences(
        &self,
        model: Option<&str>,
        records: &[StoredExperience],
    ) -> Result<Vec<Import>> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let model = model.map(str::to_owned);
        write!(self, write, [records] => transfer::import(write, model.as_deref(), &records))
    }

    async fn insert_api_key(&self, key: &HashedApiKey, event: Option<&AuditEvent>) -> Result<()> {
        let event = event.cloned();
        write!(self, write, [key] => api_keys::insert(write, &key, event.as_ref()))
    }

    async fn api_key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<HashedApiKey>> {
        api_keys::by_hash(&self.readers, hash).await
    }

    async fn api_key(&self, id: Uuid) -> Result<Option<ApiKey>> {
        let found = api_keys::by_id(&self.readers, id).await?;
        Ok(found.map(|key| key.record))
    }

    async fn api_keys(&self) -> Result<Vec<ApiKey>> {
        api_keys::all(&self.readers).await
    }

    async fn has_active_api_key(&self, now: Timestamp) -> Result<bool> {
        api_keys::has_active(&self.readers, now).await
    }

    async fn revoke_api_key(
        &self,
        id: Uuid,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        let event = event.cloned();
        write!(self, write, [] => api_keys::revoke(write, id, now, event.as_ref()))
    }

    async fn note_api_key_uses(&self, uses: &[(Uuid, Timestamp)]) -> Result<()> {
        if uses.is_empty() {
            return Ok(());
        }
        write!(self, write, [uses] => api_keys::note_uses(write, &uses))
    }

    async fn integrity(&self) -> Result<Option<String>> {
        let row = sqlx::query("pragma integrity_check(1)")
            .fetch_one(&self.readers)
            .await?;
        let verdict: String = row.try_get(0)?;
        // Only a write shows whether the file can be written.
        write!(self, write, [] => touch(write))?;
        Ok((verdict != "ok").then_some(verdict))
    }

    async fn write_fault(&self) -> Option<WriteFault> {
        self.writer.fault().await
    }

    async fn encryption(&self) -> Result<Vec<Encryption>> {
        Ok(Vec::new())
    }

    async fn close(&self) {
        self.writer.close().await;
        self.readers.close().await;
    }
}

#[cfg(test)]
mod tests;
