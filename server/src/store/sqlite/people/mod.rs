//! People in SQLite; see [`PeopleStore`].

mod audit;
mod sessions;
mod users;

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use super::SqliteStore;
use crate::store::{
    AuditEvent, AuditRecord, HashedUser, KeyImport, NewSession, PeopleStore, Result, Session,
    SessionOf, User, UserChange,
};

#[async_trait]
impl PeopleStore for SqliteStore {
    async fn insert_user(&self, user: &HashedUser) -> Result<()> {
        users::insert(&self.writer, user).await
    }

    async fn insert_first_admin(&self, user: &HashedUser) -> Result<bool> {
        users::insert_first_admin(&self.writer, user).await
    }

    async fn has_admin(&self) -> Result<bool> {
        users::has_admin(&self.readers).await
    }

    async fn users(&self) -> Result<Vec<User>> {
        users::all(&self.readers).await
    }

    async fn user_by_name(&self, name: &str) -> Result<Option<HashedUser>> {
        users::by_name(&self.readers, name).await
    }

    async fn user(&self, id: Uuid) -> Result<Option<HashedUser>> {
        users::by_id(&self.readers, id).await
    }

    async fn change_user(
        &self,
        id: Uuid,
        change: &UserChange,
        now: Timestamp,
    ) -> Result<Option<User>> {
        users::change(&self.writer, id, change, now).await
    }

    async fn insert_session(&self, new: &NewSession) -> Result<()> {
        sessions::insert(&self.writer, new).await
    }

    async fn session(&self, hash: &[u8; 32]) -> Result<Option<Session>> {
        sessions::by_hash(&self.readers, hash).await
    }

    async fn note_session_use(&self, hash: &[u8; 32], now: Timestamp) -> Result<()> {
        sessions::note_use(&self.writer, hash, now).await
    }

    async fn end_session(&self, hash: &[u8; 32]) -> Result<bool> {
        sessions::end(&self.writer, hash).await
    }

    async fn end_sessions(&self, of: SessionOf) -> Result<u64> {
        sessions::end_all(&self.writer, of, None).await
    }

    async fn purge_sessions(&self, now: Timestamp, used_before: Timestamp) -> Result<u64> {
        sessions::purge(&self.writer, now, used_before).await
    }

    async fn note_audit(&self, events: &[AuditEvent]) -> Result<()> {
        audit::note(&self.writer, events).await
    }

    async fn audit(&self, before: Option<u64>, limit: u32) -> Result<Vec<AuditRecord>> {
        audit::newest(&self.readers, before, limit).await
    }

    async fn hashed_users(&self) -> Result<Vec<HashedUser>> {
        users::hashed(&self.readers).await
    }

    async fn import_users(&self, users: &[HashedUser]) -> Result<Vec<KeyImport>> {
        users::import(&self.writer, users).await
    }

    async fn audit_after(&self, after: u64, limit: u32) -> Result<Vec<AuditRecord>> {
        audit::after(&self.readers, after, limit).await
    }

    async fn import_audit(&self, records: &[AuditRecord]) -> Result<Vec<KeyImport>> {
        audit::import(&self.writer, records).await
    }
}
