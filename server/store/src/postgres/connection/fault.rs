//! Classification of failures, and retries.

use std::time::{Duration, Instant};

use super::cluster::Cluster;
use crate::StoreError;

/// How often a transaction is repeated after conflicts with others.
const CONFLICTS: u32 = 10;
/// The first pause after a conflict; each further one is twice as long.
const CONFLICT_PAUSE: Duration = Duration::from_millis(4);
/// The pause before an unavailable server is tried again.
const AWAY_PAUSE: Duration = Duration::from_millis(100);

/// What a failure means for retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The transaction conflicted with another one and must be repeated completely.
    Conflict,
    /// The server is unreachable, starting, stopping, or has become a standby.
    Away,
    /// It would fail again.
    Lasting,
}

/// Classifies a failure.
pub(crate) fn of(error: &StoreError) -> Fault {
    match error {
        StoreError::Database(error) => of_database(error),
        StoreError::Shared(error) => of(error),
        StoreError::NoPrimary | StoreError::NoAnswer(_) => Fault::Away,
        _ => Fault::Lasting,
    }
}

/// Whether only a free connection was missing, which says nothing about the existing connections.
pub(crate) fn is_busy(error: &StoreError) -> bool {
    match error {
        StoreError::Database(sqlx::Error::PoolTimedOut) => true,
        // too_many_connections
        StoreError::Database(sqlx::Error::Database(error)) => {
            error.code().as_deref() == Some("53300")
        }
        StoreError::Shared(error) => is_busy(error),
        _ => false,
    }
}

/// Whether a table does not exist.
pub(crate) fn is_missing_table(error: &StoreError) -> bool {
    match error {
        StoreError::Database(sqlx::Error::Database(error)) => {
            error.code().as_deref() == Some("42P01")
        }
        _ => false,
    }
}

/// Whether the transaction conflicted with another one.
pub(crate) fn is_conflict(error: &StoreError) -> bool {
    of(error) == Fault::Conflict
}

fn of_database(error: &sqlx::Error) -> Fault {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => Fault::Away,
        // A connection that ended in the middle of an answer.
        sqlx::Error::Protocol(_) => Fault::Away,
        sqlx::Error::Database(error) => match error.code().as_deref() {
            // serialization_failure, deadlock_detected
            Some("40001" | "40P01") => Fault::Conflict,
            // read_only_sql_transaction, idle_in_transaction_session_timeout, admin_shutdown,
            // crash_shutdown, cannot_connect_now, too_many_connections
            Some("25006" | "25P03" | "57P01" | "57P02" | "57P03" | "53300") => Fault::Away,
            // connection_exception
            Some(code) if code.starts_with("08") => Fault::Away,
            _ => Fault::Lasting,
        },
        _ => Fault::Lasting,
    }
}

/// Counts the attempts of one call.
pub(crate) struct Tries<'c> {
    cluster: &'c Cluster,
    began: Instant,
    conflicts: u32,
}

impl<'c> Tries<'c> {
    pub(crate) fn new(cluster: &'c Cluster) -> Self {
        Self {
            cluster,
            began: Instant::now(),
            conflicts: 0,
        }
    }

    /// Waits before the next attempt; `false` if another attempt makes no sense.
    pub(crate) async fn again(&mut self, error: &StoreError) -> bool {
        match of(error) {
            Fault::Conflict if self.conflicts < CONFLICTS => {
                let pause = CONFLICT_PAUSE * 2_u32.pow(self.conflicts);
                self.conflicts += 1;
                // A random factor, so that the same transactions do not conflict again.
                tokio::time::sleep(pause.mul_f64(0.5 + fraction())).await;
                true
            }
            Fault::Away if self.began.elapsed() < self.cluster.patience() => {
                self.cluster.find_primary().await;
                tokio::time::sleep(AWAY_PAUSE.mul_f64(0.5 + fraction())).await;
                true
            }
            _ => false,
        }
    }
}

/// Returns a random number from 0 to 1.
fn fraction() -> f64 {
    let bits = getrandom::u32().unwrap_or(u32::MAX / 2);
    f64::from(bits) / f64::from(u32::MAX)
}
