//! Users, sessions and the audit list in PostgreSQL; see [`PeopleStore`]. Everything is read from the
//! primary, so that revoked access ends at once.

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    AuditEvent, AuditRecord, EventOf, HashedUser, KeyImport, NewSession, PeopleStore, Result,
    Session, SessionOf, User, UserChange,
    postgres::{PostgresStore, fresh, write},
    sql::access::{audit, sessions, users, waits},
};

#[async_trait]
impl PeopleStore for PostgresStore {
    async fn insert_user(&self, user: &HashedUser, event: Option<&AuditEvent>) -> Result<()> {
        write!(self, transaction => users::insert(transaction, user, event))
    }

    async fn insert_first_admin(
        &self,
        user: &HashedUser,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        write!(self, transaction => users::insert_first_admin(transaction, user, event))
    }

    async fn has_admin(&self) -> Result<bool> {
        fresh!(self, connection => users::has_admin(connection))
    }

    async fn users(&self) -> Result<Vec<User>> {
        fresh!(self, connection => users::all(connection))
    }

    async fn user_by_name(&self, name: &str) -> Result<Option<HashedUser>> {
        fresh!(self, connection => users::by_name(connection, name))
    }

    async fn user(&self, id: Uuid) -> Result<Option<HashedUser>> {
        fresh!(self, connection => users::by_id(connection, id))
    }

    async fn change_user(
        &self,
        id: Uuid,
        change: &UserChange,
        now: Timestamp,
        event: Option<&EventOf<User>>,
    ) -> Result<Option<User>> {
        write!(self, transaction => users::change(transaction, id, (change, now), event))
    }

    async fn clear_sign_in_waits(&self, now: Timestamp) -> Result<()> {
        write!(self, transaction => waits::clear(transaction, now))
    }

    async fn sign_in_waits_cleared_at(&self) -> Result<Option<Timestamp>> {
        fresh!(self, connection => waits::cleared_at(connection))
    }

    async fn insert_session(&self, new: &NewSession) -> Result<()> {
        write!(self, transaction => sessions::insert(transaction, new))
    }

    async fn session(&self, hash: &[u8; 32]) -> Result<Option<Session>> {
        fresh!(self, connection => sessions::by_hash(connection, hash))
    }

    async fn note_session_use(&self, hash: &[u8; 32], now: Timestamp) -> Result<()> {
        write!(self, transaction => sessions::note_use(transaction, hash, now))
    }

    async fn end_session(&self, hash: &[u8; 32]) -> Result<bool> {
        write!(self, transaction => sessions::end(transaction, hash))
    }

    async fn end_sessions(&self, of: SessionOf, event: Option<&EventOf<u64>>) -> Result<u64> {
        write!(self, transaction => sessions::end_of(transaction, of, event))
    }

    async fn purge_sessions(&self, now: Timestamp, used_before: Timestamp) -> Result<u64> {
        write!(self, transaction => sessions::purge(transaction, now, used_before))
    }

    async fn note_audit(&self, events: &[AuditEvent]) -> Result<()> {
        write!(self, transaction => audit::note(transaction, events))
    }

    async fn audit(&self, before: Option<u64>, limit: u32) -> Result<Vec<AuditRecord>> {
        fresh!(self, connection => audit::newest(connection, before, limit))
    }

    async fn hashed_users(&self) -> Result<Vec<HashedUser>> {
        fresh!(self, connection => users::hashed(connection))
    }

    async fn import_users(&self, users: &[HashedUser]) -> Result<Vec<KeyImport>> {
        write!(self, transaction => users::import(transaction, users))
    }

    async fn audit_after(&self, after: u64, limit: u32) -> Result<Vec<AuditRecord>> {
        fresh!(self, connection => audit::after(connection, after, limit))
    }

    async fn import_audit(&self, records: &[AuditRecord]) -> Result<Vec<KeyImport>> {
        write!(self, transaction => audit::import(transaction, records))
    }
}
