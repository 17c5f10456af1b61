//! The PostgreSQL back end: a cluster that any number of servers use.
//!
//! It uses only plain tables and READ COMMITTED transactions. Every write of a searchable row locks the
//! row of its family in `heads` until the commit, so that `seq` is the commit order. A transaction that
//! fails because of a conflict with another one is repeated, and so is one that a failover interrupted
//! before its commit.

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
mod search;
mod statements;
mod text;

use std::{ptr, sync::Arc};

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::PgConnection;
use tokio::sync::watch;
use uuid::Uuid;

use super::{
    ApiKey, AuditEvent, Encryption, Experience, ExperienceVector, HashedApiKey, Import, IndexRow,
    IndexedExperience, NewCount, NewExperience, QueryCount, Result, Store, StoreError,
    StoreOptions, StoredExperience, SubmittedExperience, Unembedded,
};
use crate::{
    database::columns::{count_of, integer_of},
    experiences::group_commit::GroupCommit,
    postgres::{
        connection::{
            cluster::{Cluster, Role},
            listener::Listener,
            standby::Standby,
        },
        experiences::batches,
    },
    sql::{
        Family,
        access::api_keys,
        experiences::{self as records, ExperienceWrites as _, transfer, vectors},
        models, query,
    },
};

/// Runs an attempt on a server for reads: on the standby if it has caught up, otherwise on the primary.
/// The attempt may run several times.
macro_rules! on_reader {
    ($store:expr, $cluster:ident => $attempt:expr) => {{
        let mut $cluster = $store.reader().await;
        let mut tries = $store.primary.tries();
        loop {
            match $cluster.in_time($attempt).await {
                Err(error) if $store.falls_back($cluster, &error) => $cluster = &$store.primary,
                Err(error) if tries.again(&error).await => {}
                other => break other,
            }
        }
    }};
}

/// Runs an attempt on the primary. The attempt may run several times.
macro_rules! on_primary {
    ($store:expr, $cluster:ident => $attempt:expr) => {{
        let $cluster = &$store.primary;
        let mut tries = $cluster.tries();
        loop {
            match $cluster.in_time($attempt).await {
                Err(error) if tries.again(&error).await => {}
                other => break other,
            }
        }
    }};
}

/// One attempt to run work on a connection.
macro_rules! on_connection {
    ($cluster:expr, $connection:ident => $work:expr) => {
        async {
            let mut acquired = $cluster.connection().await?;
            let $connection = &mut *acquired;
            $work.await
        }
    };
}

/// One attempt to run a read in a transaction that begins with a particular command.
macro_rules! in_transaction {
    ($cluster:expr, $begin:expr, $transaction:ident => $work:expr) => {
        async {
            let mut begun = $cluster.begin_read($begin).await?;
            let $transaction = &mut *begun;
            let read = $work.await?;
            begun.roll_back().await?;
            Ok(read)
        }
    };
}

/// Runs a read on a connection: on the standby if it has caught up, otherwise on the primary.
macro_rules! read {
    ($store:expr, $connection:ident => $work:expr) => {
        $crate::postgres::on_reader!($store, cluster =>
            $crate::postgres::on_connection!(cluster, $connection => $work))
    };
}

/// Runs a read on the primary, so that it sees the latest commits.
macro_rules! fresh {
    ($store:expr, $connection:ident => $work:expr) => {
        $crate::postgres::on_primary!($store, cluster =>
            $crate::postgres::on_connection!(cluster, $connection => $work))
    };
}

/// Runs a read of large parts of the database on the primary, with the statement timeout for such reads.
macro_rules! long_read {
    ($store:expr, $transaction:ident => $work:expr) => {
        $crate::postgres::on_primary!($store, cluster =>
            $crate::postgres::in_transaction!(
                cluster, cluster.long_read(), $transaction => $work))
    };
}

/// Runs a write in a transaction and commits it if it succeeds. The write may run several times, but it
/// is not repeated after a commit whose outcome is unknown.
macro_rules! write {
    ($store:expr, $transaction:ident => $work:expr) => {{
        let mut tries = $store.primary.tries();
        loop {
            let mut begun = match $store.primary.begin().await {
                Ok(begun) => begun,
                Err(error) => break Err(error),
            };
            let $transaction = &mut *begun;
            let written = match $store.primary.in_time($work).await {
                Ok(written) => written,
                Err(error) => {
                    // Releases its locks before the pause, so that others need not wait for them.
                    drop(begun);
                    match tries.again(&error).await {
                        true => continue,
                        false => break Err(error),
                    }
                }
            };
            match $store.primary.commit(begun).await {
                Err(error)
                    if $crate::postgres::connection::fault::is_conflict(&error)
                        && tries.again(&error).await => {}
                Err(error) => break Err(error),
                Ok(()) => break Ok(written),
            }
        }
    }};
}

use {fresh, in_transaction, long_read, on_connection, on_primary, on_reader, read, write};

/// The rows of the table `heads`: one for each family of searchable rows, and one for the search tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    /// Experiences.
    Experiences,
    /// Entries of the knowledge base.
    Entries,
    /// Chunks of documentation.
    Chunks,
    /// The search tables, if the database searches experiences itself: the `seq` of the last experience
    /// in them.
    ExperienceSearch,
}

impl Head {
    const ALL: [Self; 4] = [
        Self::Experiences,
        Self::Entries,
        Self::Chunks,
        Self::ExperienceSearch,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Experiences => "experiences",
            Self::Entries => "entries",
            Self::Chunks => "chunks",
            Self::ExperienceSearch => "experience_search",
        }
    }
}

impl From<Family> for Head {
    fn from(family: Family) -> Self {
        match family {
            Family::Experiences => Self::Experiences,
            Family::Entries => Self::Entries,
            Family::Chunks => Self::Chunks,
        }
    }
}

/// Locks the head of a family: waits until no other transaction writes rows of the family, and keeps
/// others from writing until the commit.
pub(crate) async fn lock_head(transaction: &mut PgConnection, head: Head) -> Result<()> {
    take_seqs(transaction, head, 0).await.map(drop)
}

/// Allocates the next `count` `seq`s of a family inside a transaction, for records that are written with
/// their content hash if the family has hashes; returns the `seq` before the first.
pub(crate) async fn take_seqs(
    transaction: &mut PgConnection,
    head: Head,
    count: usize,
) -> Result<i64> {
    query(
        "update heads set hashed = case when hashed >= seq then seq + $2 else hashed end, \
         seq = seq + $2 where family = $1 returning seq - $2",
    )
    .bind(head.as_str())
    .bind(integer_of(count as u64))
    .fetch_scalar(transaction)
    .await
}

/// Reads the `seq` of a family's last write.
async fn head_seq(connection: &mut PgConnection, head: Head) -> Result<u64> {
    query("select seq from heads where family = $1")
        .bind(head.as_str())
        .fetch_count(connection)
        .await
}

/// Reads the `seq` of the last write of experiences and the number of visible ones in one statement.
async fn head_and_size(connection: &mut PgConnection) -> Result<(u64, u64)> {
    let (seq, size) = query(
        "select (select seq from heads where family = 'experiences'), \
         (select count(*) from experiences where hidden_at is null and deleted_at is null)",
    )
    .fetch_one(connection)
    .await?;
    Ok((count_of(seq), count_of(size)))
}

/// Returns one column of the rows.
fn each<'a, R, T>(rows: &'a [R], column: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(column).collect()
}

/// An open PostgreSQL database.
pub(super) struct PostgresStore {
    primary: Arc<Cluster>,
    standby: Option<Standby>,
    new_experiences: Arc<GroupCommit<batches::Experiences>>,
    new_entries: Arc<GroupCommit<batches::Entries>>,
    listener: Listener,
    /// Whether this server may change the schema.
    migrates: bool,
}

impl PostgresStore {
    /// Connects, and migrates the schema or checks that it is up to date; safe if several servers do so at
    /// once.
    pub(super) async fn open(options: &StoreOptions) -> Result<Self> {
        let primary = Arc::new(Cluster::new(&options.url, Role::Primary, options)?);
        schema::prepare(&primary, options.migrate).await?;
        let standby = match &options.read_url {
            Some(url) => Some(Standby::open(url, options, &primary).await?),
            None => None,
        };
        let server = Uuid::new_v4();
        Ok(Self {
            new_experiences: Arc::new(GroupCommit::new(batches::Experiences::new(
                &primary, server,
            ))),
            new_entries: Arc::new(GroupCommit::new(batches::Entries::new(&primary, server))),
            listener: Listener::start(&primary, server),
            primary,
            standby,
            migrates: options.migrate,
        })
    }

    /// Returns the server for reads that may be served by a standby.
    async fn reader(&self) -> &Cluster {
        match &self.standby {
            Some(standby) if standby.has_caught_up().await => standby.cluster(),
            _ => &self.primary,
        }
    }

    /// Records a failed read; returns whether it ran on the standby and must be repeated on the primary.
    fn falls_back(&self, cluster: &Cluster, error: &StoreError) -> bool {
        match &self.standby {
            Some(standby) if ptr::eq(cluster, standby.cluster()) => {
                standby.record_failure(error);
                true
            }
            _ => false,
        }
    }

    /// Sets the `seq` that a standby must have reached to serve reads from now on.
    fn must_have(&self, head: Head, seq: u64) {
        if let Some(standby) = &self.standby {
            standby.must_have(head, seq);
        }
    }

    /// Reads the `seq` of a family's last write, which a standby must have reached to serve reads from
    /// now on.
    async fn current_head(&self, head: Head) -> Result<u64> {
        let seq = fresh!(self, connection => head_seq(connection, head))?;
        self.must_have(head, seq);
        Ok(seq)
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn database_id(&self) -> Result<Uuid> {
        fresh!(self, connection => schema::database_id(connection))
    }

    // Other servers' commits can only be seen with a query.
    fn revision(&self) -> Option<u64> {
        None
    }

    fn written_by_others(&self) -> Option<watch::Receiver<u64>> {
        Some(self.listener.changes())
    }

    async fn head_seq(&self) -> Result<u64> {
        self.current_head(Head::Experiences).await
    }

    async fn head_seq_and_size(&self) -> Result<(u64, u64)> {
        let (seq, size) = fresh!(self, connection => head_and_size(connection))?;
        self.must_have(Head::Experiences, seq);
        Ok((seq, size))
    }

    async fn insert_experience(&self, new: NewExperience) -> Result<SubmittedExperience> {
        self.new_experiences.insert(new).await
    }

    async fn experiences(&self, ids: &[Uuid]) -> Result<Vec<Experience>> {
        let found: Vec<Experience> = read!(self, connection => records::visible(connection, ids))?;
        // A record that the standby lacks may be new.
        if self.standby.is_none() || found.len() == ids.len() {
            return Ok(found);
        }
        fresh!(self, connection => records::visible(connection, ids))
    }

    async fn experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>> {
        fresh!(self, connection => records::with_prefix(connection, prefix, (limit, false)))
    }

    async fn all_experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>> {
        fresh!(self, connection => records::with_prefix(connection, prefix, (limit, true)))
    }

    async fn experiences_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedExperience>> {
        read!(self, connection => records::after(connection, seq, limit))
    }

    async fn index_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        read!(self, connection => records::index_rows(connection, (after, up_to), limit))
    }

    async fn add_query_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        write!(self, transaction => transaction.add_query_counts(counts, now))
    }

    async fn query_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>> {
        fresh!(self, connection => records::counts_since(connection, moment))
    }

    async fn embedding_model(&self) -> Result<Option<String>> {
        fresh!(self, connection => models::model(connection))
    }

    async fn claim_embedding_model(&self, model: &str) -> Result<()> {
        write!(self, transaction => models::claim(transaction, model))
    }

    async fn without_vector(
        &self,
        model: &str,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Unembedded>> {
        fresh!(self, connection => vectors::missing(connection, model, after, limit))
    }

    async fn count_without_vector(&self, model: &str) -> Result<u64> {
        read!(self, connection => vectors::count_missing(connection, model))
    }

    async fn any_vector(&self, model: &str) -> Result<Option<Vec<u8>>> {
        read!(self, connection => vectors::any(connection, model))
    }

    async fn put_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64> {
        write!(self, transaction => vectors::put(transaction, model, vectors))
    }

    async fn replace_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64> {
        write!(self, transaction => vectors::replace(transaction, model, vectors))
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
        write!(self, transaction => transfer::import(transaction, model, records))
    }

    async fn insert_api_key(&self, key: &HashedApiKey, event: Option<&AuditEvent>) -> Result<()> {
        write!(self, transaction => api_keys::insert(transaction, key, event))
    }

    async fn api_key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<HashedApiKey>> {
        fresh!(self, connection => api_keys::by_hash(connection, hash))
    }

    async fn api_key(&self, id: Uuid) -> Result<Option<ApiKey>> {
        let found: Option<HashedApiKey> =
            fresh!(self, connection => api_keys::by_id(connection, id))?;
        Ok(found.map(|key| key.record))
    }

    async fn api_keys(&self) -> Result<Vec<ApiKey>> {
        fresh!(self, connection => api_keys::all(connection))
    }

    async fn has_active_api_key(&self, now: Timestamp) -> Result<bool> {
        fresh!(self, connection => api_keys::has_active(connection, now))
    }

    async fn revoke_api_key(
        &self,
        id: Uuid,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        write!(self, transaction => api_keys::revoke(transaction, id, now, event))
    }

    async fn note_api_key_uses(&self, uses: &[(Uuid, Timestamp)]) -> Result<()> {
        write!(self, transaction => access::note_key_uses(transaction, uses))
    }

    async fn integrity(&self) -> Result<Option<String>> {
        schema::integrity(&self.primary).await
    }

    async fn encryption(&self) -> Result<Vec<Encryption>> {
        let mut all = vec![self.primary.encryption().await?];
        if let Some(standby) = &self.standby {
            all.push(standby.cluster().encryption().await?);
        }
        Ok(all)
    }

    async fn close(&self) {
        self.listener.stop();
        self.primary.close().await;
        if let Some(standby) = &self.standby {
            standby.cluster().close().await;
        }
    }
}
