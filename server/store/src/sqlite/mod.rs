//! The SQLite back end: one file, any number of processes, one writer at a time.
//!
//! It uses WAL mode with full synchronisation: readers never wait for the writer, and an acknowledged
//! write is on disk. Within this process writers queue for the only connection that writes, and across
//! processes for SQLite's own lock, for at most the busy timeout.

mod access;
mod applicability;
mod connection;
mod experiences;
mod knowledge;
mod libraries;
mod moving;
mod outcomes;
mod questions;
mod recalls;
mod schema;
mod statements;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{
    Connection as _, SqliteConnection, SqlitePool,
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
    sql::{
        access::api_keys,
        experiences::{self as records, ExperienceWrites as _, transfer, vectors},
        models, query,
    },
    sqlite::{
        connection::{
            wal_index::WalIndex,
            writer::{Writer, write},
        },
        experiences::batches,
    },
};

/// Number of connections that read; more would bring little, as the number of cores is the limit.
const READERS: u32 = 4;

/// The pause between two attempts to open a file that another process is creating.
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// Runs a read on a connection.
macro_rules! read {
    ($store:expr, $connection:ident => $work:expr) => {
        async {
            let mut acquired = $store.readers.acquire().await?;
            let $connection = &mut *acquired;
            $work.await
        }
        .await
    };
}

/// Runs a read of several statements in a transaction, so that they see the same commits.
macro_rules! snapshot {
    ($store:expr, $connection:ident => $work:expr) => {
        async {
            let mut begun = $store.readers.begin().await?;
            let $connection = &mut *begun;
            $work.await
        }
        .await
    };
}

use {read, snapshot};

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

/// Writes without changing anything.
async fn touch(write: &mut SqliteConnection) -> Result<()> {
    query("update head set seq = seq").execute(write).await?;
    Ok(())
}

// SQLite databases are searched in memory.
impl SearchStore for SqliteStore {}

#[async_trait]
impl Store for SqliteStore {
    async fn database_id(&self) -> Result<Uuid> {
        let id = query("select value from database_facts where name = 'database_id'");
        let id: String = read!(self, connection => id.fetch_scalar(connection))?;
        id_of(&id)
    }

    fn revision(&self) -> Option<u64> {
        self.wal_index.revision()
    }

    async fn head_seq(&self) -> Result<u64> {
        read!(self, connection => query("select seq from head").fetch_count(connection))
    }

    async fn head_seq_and_size(&self) -> Result<(u64, u64)> {
        let head_and_size = query(
            "select (select seq from head), (select count(*) from experiences \
             where hidden_at is null and deleted_at is null)",
        );
        let (seq, size) = read!(self, connection => head_and_size.fetch_one(connection))?;
        Ok((count_of(seq), count_of(size)))
    }

    async fn insert_experience(&self, new: NewExperience) -> Result<SubmittedExperience> {
        self.new_experiences.insert(new).await
    }

    async fn experiences(&self, ids: &[Uuid]) -> Result<Vec<Experience>> {
        read!(self, connection => records::visible(connection, ids))
    }

    async fn experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>> {
        read!(self, connection => records::with_prefix(connection, prefix, (limit, false)))
    }

    async fn all_experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>> {
        read!(self, connection => records::with_prefix(connection, prefix, (limit, true)))
    }

    async fn experiences_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedExperience>> {
        read!(self, connection => records::after(connection, seq, limit))
    }

    async fn index_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        read!(self, connection => records::index_rows(connection, (after, up_to), limit))
    }

    async fn add_query_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        if counts.is_empty() {
            return Ok(());
        }
        write!(self, write, [counts] => write.add_query_counts(&counts, now))
    }

    async fn query_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>> {
        read!(self, connection => records::counts_since(connection, moment))
    }

    async fn embedding_model(&self) -> Result<Option<String>> {
        read!(self, connection => models::model(connection))
    }

    async fn claim_embedding_model(&self, model: &str) -> Result<()> {
        // If the model is already stored, nothing is written.
        match read!(self, connection => models::model(connection))? {
            Some(stored) => models::check_claim(stored, model),
            None => write!(self, write, [model] => models::claim(write, &model)),
        }
    }

    async fn without_vector(
        &self,
        model: &str,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Unembedded>> {
        read!(self, connection => vectors::missing(connection, model, after, limit))
    }

    async fn count_without_vector(&self, model: &str) -> Result<u64> {
        read!(self, connection => vectors::count_missing(connection, model))
    }

    async fn any_vector(&self, model: &str) -> Result<Option<Vec<u8>>> {
        read!(self, connection => vectors::any(connection, model))
    }

    async fn put_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64> {
        write!(self, write, [model, vectors] => vectors::put(write, &model, &vectors))
    }

    async fn replace_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64> {
        write!(self, write, [model, vectors] => vectors::replace(write, &model, &vectors))
    }

    async fn experience_count(&self, up_to: u64) -> Result<u64> {
        read!(self, connection => transfer::count(connection, up_to))
    }

    async fn experiences_by_id(
        &self,
        after: Uuid,
        model: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredExperience>> {
        read!(self, connection => transfer::by_page(connection, after, model, limit))
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
        read!(self, connection => api_keys::by_hash(connection, hash))
    }

    async fn api_key(&self, id: Uuid) -> Result<Option<ApiKey>> {
        let found = read!(self, connection => api_keys::by_id(connection, id))?;
        Ok(found.map(|key| key.record))
    }

    async fn api_keys(&self) -> Result<Vec<ApiKey>> {
        read!(self, connection => api_keys::all(connection))
    }

    async fn has_active_api_key(&self, now: Timestamp) -> Result<bool> {
        read!(self, connection => api_keys::has_active(connection, now))
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
        write!(self, write, [uses] => access::note_key_uses(write, &uses))
    }

    async fn integrity(&self) -> Result<Option<String>> {
        let check = query("pragma integrity_check(1)");
        let verdict: String = read!(self, connection => check.fetch_scalar(connection))?;
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
