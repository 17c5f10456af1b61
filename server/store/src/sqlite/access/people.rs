//! Users, sessions and the audit list in SQLite; see [`PeopleStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    AuditEvent, AuditRecord, EventOf, HashedUser, KeyImport, NewSession, PeopleStore, Result,
    Session, SessionOf, User, UserChange,
    sql::access::{audit, sessions, users, waits},
    sqlite::{SqliteStore, connection::writer::write, read, snapshot},
};

#[async_trait]
impl PeopleStore for SqliteStore {
    async fn insert_user(&self, user: &HashedUser, event: Option<&AuditEvent>) -> Result<()> {
        let event = event.cloned();
        write!(self, write, [user] => users::insert(write, &user, event.as_ref()))
    }

    async fn insert_first_admin(
        &self,
        user: &HashedUser,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        let event = event.cloned();
        write!(self, write, [user] => users::insert_first_admin(write, &user, event.as_ref()))
    }

    async fn has_admin(&self) -> Result<bool> {
        read!(self, connection => users::has_admin(connection))
    }

    async fn users(&self) -> Result<Vec<User>> {
        read!(self, connection => users::all(connection))
    }

    async fn user_by_name(&self, name: &str) -> Result<Option<HashedUser>> {
        read!(self, connection => users::by_name(connection, name))
    }

    async fn user(&self, id: Uuid) -> Result<Option<HashedUser>> {
        read!(self, connection => users::by_id(connection, id))
    }

    async fn change_user(
        &self,
        id: Uuid,
        change: &UserChange,
        now: Timestamp,
        event: Option<&EventOf<User>>,
    ) -> Result<Option<User>> {
        let event = event.cloned();
        write!(self, write, [change] => users::change(write, id, (&change, now), event.as_ref()))
    }

    async fn clear_sign_in_waits(&self, now: Timestamp) -> Result<()> {
        write!(self, write, [] => waits::clear(write, now))
    }

    async fn sign_in_waits_cleared_at(&self) -> Result<Option<Timestamp>> {
        read!(self, connection => waits::cleared_at(connection))
    }

    async fn insert_session(&self, new: &NewSession) -> Result<()> {
        write!(self, write, [new] => sessions::insert(write, &new))
    }

    async fn session(&self, hash: &[u8; 32]) -> Result<Option<Session>> {
        snapshot!(self, connection => sessions::by_hash(connection, hash))
    }

    async fn note_session_use(&self, hash: &[u8; 32], now: Timestamp) -> Result<()> {
        write!(self, write, [hash] => sessions::note_use(write, &hash, now))
    }

    async fn end_session(&self, hash: &[u8; 32]) -> Result<bool> {
        write!(self, write, [hash] => sessions::end(write, &hash))
    }

    async fn end_sessions(&self, of: SessionOf, event: Option<&EventOf<u64>>) -> Result<u64> {
        let event = event.cloned();
        write!(self, write, [] => sessions::end_of(write, of, event.as_ref()))
    }

    async fn purge_sessions(&self, now: Timestamp, used_before: Timestamp) -> Result<u64> {
        write!(self, write, [] => sessions::purge(write, now, used_before))
    }

    async fn note_audit(&self, events: &[AuditEvent]) -> Result<()> {
        write!(self, write, [events] => audit::note(write, &events))
    }

    async fn audit(&self, before: Option<u64>, limit: u32) -> Result<Vec<AuditRecord>> {
        read!(self, connection => audit::newest(connection, before, limit))
    }

    async fn hashed_users(&self) -> Result<Vec<HashedUser>> {
        read!(self, connection => users::hashed(connection))
    }

    async fn import_users(&self, users: &[HashedUser]) -> Result<Vec<KeyImport>> {
        write!(self, write, [users] => users::import(write, &users))
    }

    async fn audit_after(&self, after: u64, limit: u32) -> Result<Vec<AuditRecord>> {
        read!(self, connection => audit::after(connection, after, limit))
    }

    async fn import_audit(&self, records: &[AuditRecord]) -> Result<Vec<KeyImport>> {
        write!(self, write, [records] => audit::import(write, &records))
    }
}
