//! Recalls and episodes; see [`RecallStore`].

use async_trait::async_trait;
use jiff::Timestamp;

use super::{SqliteStore, read};
use crate::{
    Episode, Recall, RecallStore, Recovery, Result,
    sql::recalls,
    sqlite::connection::{long_read::long_read, writer::write},
};

#[async_trait]
impl RecallStore for SqliteStore {
    async fn add_recalls(&self, recalls: &[Recall]) -> Result<()> {
        write!(self, write, [recalls] => recalls::add(write, &recalls))
    }

    async fn add_episode(&self, episode: &Episode, most: u64) -> Result<bool> {
        write!(self, write, [episode] => recalls::add_episode(write, &episode, most))
    }

    async fn recalls(&self, limit: u32) -> Result<Vec<Recall>> {
        read!(self, connection => recalls::newest(connection, limit))
    }

    async fn recovery(&self, since: Timestamp) -> Result<Recovery> {
        long_read!(self, connection => recalls::recovery(connection, since))
    }

    async fn forget_recalls(&self, before: Timestamp, most: u64, limit: u32) -> Result<u64> {
        write!(self, write, [] => recalls::forget(write, before, most, limit))
    }
}
