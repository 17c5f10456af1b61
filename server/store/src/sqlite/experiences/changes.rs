//! The administration of experiences; see [`ExperienceStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    ChangedExperience, ExperienceBrief, ExperienceListing, ExperienceState, ExperienceStore,
    Result, StoredExperience,
    sql::experiences::{changes, content_hashes, transfer},
    sqlite::{SqliteStore, connection::writer::write, read},
};

#[async_trait]
impl ExperienceStore for SqliteStore {
    async fn stored_experience(&self, id: Uuid) -> Result<Option<StoredExperience>> {
        read!(self, connection => transfer::by_id(connection, id))
    }

    async fn change_experience(&self, changed: &ChangedExperience) -> Result<ExperienceState> {
        write!(self, write, [changed] => changes::change(write, &changed))
    }

    async fn overtake_experience(
        &self,
        model: Option<&str>,
        later: &StoredExperience,
    ) -> Result<bool> {
        let model = model.map(str::to_owned);
        write!(self, write, [later] => changes::overtake(write, model.as_deref(), &later))
    }

    async fn list_experiences(
        &self,
        listing: &ExperienceListing,
    ) -> Result<(Vec<ExperienceBrief>, u64)> {
        read!(self, connection => changes::list(connection, listing))
    }

    async fn purge_experiences(&self, before: Timestamp, limit: u32) -> Result<u64> {
        // A read first: it does not block writers.
        if !read!(self, connection => changes::is_purge_due(connection, before))? {
            return Ok(0);
        }
        write!(self, write, [] => changes::purge(write, before, limit))
    }

    async fn hash_experiences(&self, limit: u32) -> Result<u64> {
        // A read first: it does not block writers.
        if !read!(self, connection => content_hashes::lag(connection))? {
            return Ok(0);
        }
        write!(self, write, [] => content_hashes::hash_next(write, limit))
    }

    async fn stored_experience_count(&self) -> Result<u64> {
        read!(self, connection => changes::count(connection))
    }
}
