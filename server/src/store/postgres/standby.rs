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

use super::{
    Head,
    cluster::{Cluster, Role},
};
use crate::store::{Result, StoreError, StoreOptions, columns::count_of};

/// How long a standby may take for a connection: the primary is there too.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long one that failed is left alone.
const AWAY: Duration = Duration::from_secs(5);

/// A standby, and how far it has come.
pub(super) struct Standby {
    cluster: Cluster,
    needed: [AtomicU64; Head::ALL.len()],
    seen: [AtomicU64; Head::ALL.len()],
    away_until: Mutex<Instant>,
}

impl Standby {
    pub(super) fn new(url: &str, options: &StoreOptions) -> Result<Self> {
        let options = StoreOptions {
            patience: PATIENCE,
            ..options.clone()
        };
        Ok(Self {
            cluster: Cluster::new(url, Role::Any, &options)?,
            needed: Default::default(),
            seen: Default::default(),
            away_until: Mutex::new(Instant::now()),
        })
    }

    pub(super) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Notes that readers must have a family's rows up to a `seq`.
    pub(super) fn must_have(&self, head: Head, seq: u64) {
        if let Some(needed) = self.needed.get(head as usize) {
            needed.fetch_max(seq, Ordering::Relaxed);
        }
    }

    /// Whether everything that readers must have is there.
    pub(super) async fn has_caught_up(&self) -> bool {
        if self.is_enough() {
            return true;
        }
        let mut away_until = match self.away_until.lock() {
            Ok(until) if *until > Instant::now() => return false,
            Ok(until) => *until,
            Err(poisoned) => *poisoned.into_inner(),
        };
        if self.look().await.is_err() {
            away_until = Instant::now() + AWAY;
        }
        *self
            .away_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = away_until;
        self.is_enough()
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
            let rows = sqlx::query("select family, seq from heads").fetch_all(&mut *connection);
            Ok::<_, StoreError>(rows.await?)
        };
        for row in self.cluster.in_time(looked).await? {
            let family: &str = row.try_get(0)?;
            let known = Head::ALL.into_iter().find(|head| head.as_str() == family);
            if let Some(seen) = known.and_then(|head| self.seen.get(head as usize)) {
                seen.fetch_max(count_of(row.try_get(1)?), Ordering::Relaxed);
            }
        }
        Ok(())
    }
}
