//! Recalls and episodes; see [`RecallStore`].

use async_trait::async_trait;
use jiff::Timestamp;

use super::{PostgresStore, long_read, read, write};
use crate::{Episode, Recall, RecallStore, Recovery, Result, sql::recalls};

#[async_trait]
impl RecallStore for PostgresStore {
    async fn add_recalls(&self, recalls: &[Recall]) -> Result<()> {
        write!(self, transaction => recalls::add(transaction, recalls))
    }

    async fn add_episode(&self, episode: &Episode, most: u64) -> Result<bool> {
        write!(self, transaction => recalls::add_episode(transaction, episode, most))
    }

    async fn recalls(&self, limit: u32) -> Result<Vec<Recall>> {
        read!(self, connection => recalls::newest(connection, limit))
    }

    async fn recovery(&self, since: Timestamp) -> Result<Recovery> {
        long_read!(self, connection => recalls::recovery(connection, since))
    }

    async fn forget_recalls(&self, before: Timestamp, most: u64, limit: u32) -> Result<u64> {
        write!(self, transaction => recalls::forget(transaction, before, most, limit))
    }
}
