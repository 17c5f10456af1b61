//! Reads from a standby, once it has applied everything that this server has seen on the primary.
//!
//! A standby applies commits in order. So if its heads have reached a state of the primary's heads, it has
//! everything up to that state, and a read never misses an earlier write. While it lags or does not
//! answer, reads go to the primary; with `synchronous_commit = remote_apply` it never lags.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use sqlx::Row;
use uuid::Uuid;

use super::{
    cluster::{Cluster, Role},
    fault,
};
use crate::{
    DatabaseUrl, Result, StoreError, StoreOptions,
    database::columns::count_of,
    postgres::{Head, schema},
};

/// How long to wait for a connection to a standby before the primary is used.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long a statement on a standby may take.
const ANSWER: Duration = Duration::from_secs(1);
/// How long it may take to read the standby's heads.
const POLL: Duration = Duration::from_millis(500);
/// How long a standby is not used after a failure.
const AWAY: Duration = Duration::from_secs(5);

/// A standby and its replication progress.
pub(crate) struct Standby {
    cluster: Cluster,
    /// The id of the database of which it must be a copy.
    database: Uuid,
    /// For each head, the `seq` that reads need.
    needed: [AtomicU64; Head::ALL.len()],
    /// For each head, the `seq` that the standby had when it was last polled.
    seen: [AtomicU64; Head::ALL.len()],
    health: Mutex<Health>,
    /// Held by the task that polls the standby's heads.
    polling: tokio::sync::Mutex<()>,
}

/// Whether a standby can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    /// It has not been polled yet.
    Unknown,
    /// The last poll succeeded.
    Works,
    /// It failed and is not used until then.
    Away(Instant),
}

impl Standby {
    /// Connects, and checks that it is a copy of the primary. If it does not answer, it is polled again
    /// later.
    ///
    /// *Errors*: [`StoreError::NoCopy`], [`StoreError::Encryption`], otherwise the primary's error.
    pub(crate) async fn open(
        url: &DatabaseUrl,
        options: &StoreOptions,
        primary: &Cluster,
    ) -> Result<Self> {
        let mut connection = primary.connection().await?;
        let database = schema::database_id(&mut connection).await?;
        let options = StoreOptions {
            patience: PATIENCE,
            statement_timeout: options.statement_timeout.min(ANSWER),
            ..options.clone()
        };
        let standby = Self {
            cluster: Cluster::new(url, Role::Any, &options)?,
            database,
            needed: Default::default(),
            seen: Default::default(),
            health: Mutex::new(Health::Unknown),
            polling: tokio::sync::Mutex::default(),
        };
        match standby.poll().await {
            Err(error @ (StoreError::NoCopy | StoreError::Encryption(_))) => Err(error),
            _ => Ok(standby),
        }
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Sets that reads need a family's rows up to a `seq`.
    pub(crate) fn must_have(&self, head: Head, seq: u64) {
        if let Some(needed) = self.needed.get(head as usize) {
            needed.fetch_max(seq, Ordering::Relaxed);
        }
    }

    /// Stops using the standby for some time after a failed read, unless it failed with a conflict.
    pub(crate) fn record_failure(&self, error: &StoreError) {
        // A conflict only means that the read collided with changes that the standby applied.
        if !fault::is_conflict(error) {
            self.set_health(Health::Away(Instant::now() + AWAY));
        }
    }

    /// Whether the standby answers and has everything that reads need.
    pub(crate) async fn has_caught_up(&self) -> bool {
        match self.health() {
            Health::Away(until) if Instant::now() < until => return false,
            Health::Works if self.has_needed() => return true,
            _ => {}
        }
        // Only one of several concurrent reads polls; the others read from the primary.
        let Ok(_polling) = self.polling.try_lock() else {
            return false;
        };
        match self.poll().await {
            Ok(()) => self.set_health(Health::Works),
            Err(error) => self.record_failure(&error),
        }
        self.health() == Health::Works && self.has_needed()
    }

    fn health(&self) -> Health {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_health(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }

    fn has_needed(&self) -> bool {
        let mut heads = self.needed.iter().zip(&self.seen);
        heads.all(|(needed, seen)| seen.load(Ordering::Relaxed) >= needed.load(Ordering::Relaxed))
    }

    /// Reads the standby's heads.
    async fn poll(&self) -> Result<()> {
        let heads = async {
            let mut connection = self.cluster.connection().await?;
            if schema::database_id(&mut connection).await? != self.database {
                return Err(StoreError::NoCopy);
            }
            let rows = sqlx::query("select family, seq from heads").fetch_all(&mut *connection);
            Ok(rows.await?)
        };
        for row in self.cluster.within(POLL, heads).await? {
            let family: &str = row.try_get(0)?;
            let known = Head::ALL.into_iter().find(|head| head.as_str() == family);
            if let Some(seen) = known.and_then(|head| self.seen.get(head as usize)) {
                // It may be lower than before: after a failover the standby may have been rewound.
                seen.store(count_of(row.try_get(1)?), Ordering::Relaxed);
            }
        }
        Ok(())
    }
}
