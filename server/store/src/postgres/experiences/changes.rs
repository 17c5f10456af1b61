//! The administration of experiences; see [`ExperienceStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    ChangedExperience, ExperienceBrief, ExperienceListing, ExperienceState, ExperienceStore,
    Result, StoredExperience,
    postgres::{PostgresStore, fresh, read, write},
    sql::experiences::{changes, content_hashes, transfer},
};

#[async_trait]
impl ExperienceStore for PostgresStore {
    async fn stored_experience(&self, id: Uuid) -> Result<Option<StoredExperience>> {
        fresh!(self, connection => transfer::by_id(connection, id))
    }

    async fn change_experience(&self, changed: &ChangedExperience) -> Result<ExperienceState> {
        write!(self, transaction => changes::change(transaction, changed))
    }

    async fn overtake_experience(
        &self,
        model: Option<&str>,
        later: &StoredExperience,
    ) -> Result<bool> {
        write!(self, transaction => changes::overtake(transaction, model, later))
    }

    async fn list_experiences(
        &self,
        listing: &ExperienceListing,
    ) -> Result<(Vec<ExperienceBrief>, u64)> {
        fresh!(self, connection => changes::list(connection, listing))
    }

    async fn purge_experiences(&self, before: Timestamp, limit: u32) -> Result<u64> {
        // A read first: it does not block writers.
        if !fresh!(self, connection => changes::is_purge_due(connection, before))? {
            return Ok(0);
        }
        write!(self, transaction => changes::purge(transaction, before, limit))
    }

    async fn hash_experiences(&self, limit: u32) -> Result<u64> {
        // A read first: it does not block writers.
        if !fresh!(self, connection => content_hashes::lag(connection))? {
            return Ok(0);
        }
        write!(self, transaction => content_hashes::hash_next(transaction, limit))
    }

    async fn stored_experience_count(&self) -> Result<u64> {
        read!(self, connection => changes::count(connection))
    }
}
