//! Where experiences apply; see [`ApplicabilityStore`].

use async_trait::async_trait;
use uuid::Uuid;

use super::{SqliteStore, read};
use crate::{
    ApplicabilityStore, ReadTexts, Result, StoredApplicability, UnreadExperiences,
    sql::outcomes::applicability, sqlite::connection::writer::write,
};

#[async_trait]
impl ApplicabilityStore for SqliteStore {
    async fn applicability_after(
        &self,
        revision: u64,
        limit: u32,
    ) -> Result<Vec<StoredApplicability>> {
        read!(self, connection => applicability::after(connection, revision, limit))
    }

    async fn applicability(&self, experiences: &[Uuid]) -> Result<Vec<StoredApplicability>> {
        read!(self, connection => applicability::of(connection, experiences))
    }

    async fn unread_experiences(&self, reader: u32, limit: u32) -> Result<UnreadExperiences> {
        read!(self, connection => applicability::unread(connection, reader, limit))
    }

    async fn put_read_texts(&self, read: &ReadTexts) -> Result<bool> {
        write!(self, write, [read] => applicability::put_read(write, &read))
    }
}
