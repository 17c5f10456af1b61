//! A standby for what may be read there: as soon as it has what this server has seen elsewhere.
//!
//! A standby applies commits in their order. So when its heads are where the primary's were, it has
//! everything up to there, and what was just written is never missed. Where it lags, or is away, the
//! primary answers; with `synchronous_commit = remote_apply` it never lags.

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

/// How long a standby may take for a connection: the primary is there too.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long it may take for a statement.
const ANSWER: Duration = Duration::from_secs(1);
/// How long it may take to say how far it has come.
const LOOK: Duration = Duration::from_millis(500);
/// How long one that failed is left alone.
const AWAY: Duration = Duration::from_secs(5);

/// A standby, and how far it has come.
pub(crate) struct Standby {
    cluster: Cluster,
    /// The database that it is a copy of.
    database: Uuid,
    needed: [AtomicU64; Head::ALL.len()],
    seen: [AtomicU64; Head::ALL.len()],
    standing: Mutex<Standing>,
    /// Held by whoever looks how far it has come.
    looking: tokio::sync::Mutex<()>,
}

/// What is known of a standby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Whether it answers is not known.
    Unknown,
    /// It answered the last time.
    Works,
    /// It failed, and is left alone until then.
    Away(Instant),
}

impl Standby {
    /// Connects, and makes sure that it is a copy of the primary. One that does not answer is looked
    /// at again later.
    ///
    /// *Errors*: [`StoreError::NoCopy`], [`StoreError::Encryption`], else what the primary said.
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
            standing: Mutex::new(Standing::Unknown),
            looking: tokio::sync::Mutex::default(),
        };
        match standby.look().await {
            Err(error @ (StoreError::NoCopy | StoreError::Encryption(_))) => Err(error),
            _ => Ok(standby),
        }
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Notes that readers must have a family's rows up to a `seq`.
    pub(crate) fn must_have(&self, head: Head, seq: u64) {
        if let Some(needed) = self.needed.get(head as usize) {
            needed.fetch_max(seq, Ordering::Relaxed);
        }
    }

    /// Draws conclusions from a read that failed there.
    pub(crate) fn note(&self, error: &StoreError) {
        // What it applied from the primary was in the way of a read.
        if !fault::is_conflict(error) {
            self.set_standing(Standing::Away(Instant::now() + AWAY));
        }
    }

    /// Whether it answers and everything that readers must have is there.
    pub(crate) async fn has_caught_up(&self) -> bool {
        match self.standing() {
            Standing::Away(until) if Instant::now() < until => return false,
            Standing::Works if self.is_enough() => return true,
            _ => {}
        }
        // Of many who read one looks, and the others read from the primary.
        let Ok(_looking) = self.looking.try_lock() else {
            return false;
        };
        match self.look().await {
            Ok(()) => self.set_standing(Standing::Works),
            Err(error) => self.note(&error),
        }
        self.standing() == Standing::Works && self.is_enough()
    }

    fn standing(&self) -> Standing {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_standing(&self, standing: Standing) {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = standing;
    }

    fn is_enough(&self) -> bool {
        let heads = self.needed.iter().zip(&self.seen);
        let mut enough = heads
            .map(|(needed, seen)| seen.load(Ordering::Relaxed) >= needed.load(Ordering::Relaxed));
        enough.all(|enough| enough)
    }

    /// Reads how far it has come.
    async fn look(&self) -> Result<()> {
        let looked = async {
            let mut connection = self.cluster.connection().await?;
            if schema::database_id(&mut connection).await? != self.database {
                return Err(StoreError::NoCopy);
            }
            let rows = sqlx::query("select family, seq from heads").fetch_all(&mut *connection);
            Ok(rows.await?)
        };
        for row in self.cluster.within(LOOK, looked).await? {
            let family: &str = row.try_get(0)?;
            let known = Head::ALL.into_iter().find(|head| head.as_str() == family);
            if let Some(seen) = known.and_then(|head| self.seen.get(head as usize)) {
                // Less than the last time after it was put back behind another primary.
                seen.store(count_of(row.try_get(1)?), Ordering::Relaxed);
            }
        }
        Ok(())
    }
}
