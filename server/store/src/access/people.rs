//! Users, their sessions on the web pages, and the audit list.
//!
//! The rules for passwords and tokens, and the permissions, are in `core`, `access::people`.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{ApiKey, KeyImport, Projects, Result, Scope};

/// The maximum number of sessions of one user or key; a new one removes the oldest.
pub(crate) const SESSIONS_MAX: u32 = 20;
/// The maximum number of audit records; the oldest are removed.
pub(crate) const AUDIT_MAX: u64 = 100_000;
/// The maximum length of an audit record's details, in characters.
pub const DETAILS_MAX: usize = 500;

/// A password as it is stored: an argon2id hash in PHC string format. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Wraps a hash.
    pub fn new(phc: String) -> Self {
        Self(phc)
    }

    /// Returns the hash, for the one place that verifies it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hash)")
    }
}

/// A user, without the password's hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: Uuid,
    /// The name; unique regardless of case. 1–100 characters.
    pub name: String,
    /// What the user may do.
    pub role: Scope,
    /// The projects that the user may see and write.
    pub projects: Projects,
    /// When the user was created.
    pub created_at: Timestamp,
    /// When the user was disabled; `None` if the user may sign in.
    pub disabled_at: Option<Timestamp>,
    /// When the user last used a session, to the minute; `None` means never.
    pub last_seen_at: Option<Timestamp>,
}

/// A user with the password's hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedUser {
    /// The record.
    pub record: User,
    /// The password's hash; without one the user cannot sign in with a password.
    pub password: Option<PasswordHash>,
}

/// A change of a user; fields that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserChange {
    /// The new password's hash, and the token hash of the session to keep; all other sessions end.
    pub password: Option<(PasswordHash, Option<[u8; 32]>)>,
    /// The new role.
    pub role: Option<Scope>,
    /// The new limit to projects.
    pub projects: Option<Projects>,
    /// Whether the user is disabled; disabling ends the user's sessions.
    pub disabled: Option<bool>,
}

/// The owner of a session, by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionOf {
    /// A user.
    User(Uuid),
    /// An API key that was used to sign in.
    ApiKey(Uuid),
}

impl SessionOf {
    /// Returns the column values: a user's id and a key's id, one of which is null.
    pub(crate) fn columns(self) -> (Option<String>, Option<String>) {
        match self {
            Self::User(id) => (Some(id.to_string()), None),
            Self::ApiKey(id) => (None, Some(id.to_string())),
        }
    }
}

/// A session about to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    /// Its owner.
    pub of: SessionOf,
    /// When it begins.
    pub created_at: Timestamp,
    /// When it ends, however much it is used.
    pub expires_at: Timestamp,
    /// The event for the audit list.
    pub event: Option<AuditEvent>,
}

/// The owner of a session with its current record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionOwner {
    /// A user.
    User(User),
    /// An API key that was used to sign in.
    ApiKey(ApiKey),
}

/// A stored session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its owner.
    pub owner: SessionOwner,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Timestamp,
    /// When it ends, however much it is used.
    pub expires_at: Timestamp,
}

/// The kind of an [`Actor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// A user of the web pages.
    User,
    /// A caller with an API key.
    Key,
    /// A caller without credentials.
    Anonymous,
    /// A person or script that runs the program's commands on the machine itself.
    Local,
}

impl ActorKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::User, Self::Key, Self::Anonymous, Self::Local];

    /// Returns the word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Key => "key",
            Self::Anonymous => "anonymous",
            Self::Local => "local",
        }
    }

    /// Reads the word.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Who performed an action, with the name at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Its kind.
    pub kind: ActorKind,
    /// The id of the user or the key.
    pub id: Option<Uuid>,
    /// Its name.
    pub name: Option<String>,
}

/// An action for the audit list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What was done, one of the words of `access::audit` in `core`.
    pub action: String,
    /// The object of the action: its kind and its id.
    pub subject: Option<(String, String)>,
    /// Further details; at most [`DETAILS_MAX`] characters.
    pub details: Option<String>,
}

/// Creates the audit event of a change from the change's result.
pub type EventOf<T> = Arc<dyn Fn(&T) -> AuditEvent + Send + Sync>;

/// A stored record of the audit list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its number; later ones are greater.
    pub id: u64,
    /// What was done.
    pub event: AuditEvent,
}

/// Users, sessions and the audit list of a database; see [`crate::Store`] for what every method
/// guarantees. An `event` is stored in the transaction of its change, and only if the change happens.
#[async_trait]
pub trait PeopleStore: Send + Sync {
    /// Stores a new user ([`crate::StoreError::UserNameTaken`] if another user has the name, regardless
    /// of case).
    async fn insert_user(&self, user: &HashedUser, event: Option<&AuditEvent>) -> Result<()>;
    /// Stores a new administrator if there is none, not even a disabled one; otherwise returns `false`
    /// ([`crate::StoreError::UserNameTaken`]). Of several concurrent calls only one stores its user.
    async fn insert_first_admin(
        &self,
        user: &HashedUser,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Returns whether there is an administrator, including disabled ones.
    async fn has_admin(&self) -> Result<bool>;
    /// Returns every user, ordered by name.
    async fn users(&self) -> Result<Vec<User>>;
    /// Returns the user with this name, regardless of case.
    async fn user_by_name(&self, name: &str) -> Result<Option<HashedUser>>;
    /// Returns the user with this id.
    async fn user(&self, id: Uuid) -> Result<Option<HashedUser>>;
    /// Changes a user and ends sessions as [`UserChange`] demands, in one transaction; returns the
    /// changed user, `None` for an unknown id ([`crate::StoreError::LastAdmin`] if no active
    /// administrator would be left).
    async fn change_user(
        &self,
        id: Uuid,
        change: &UserChange,
        now: Timestamp,
        event: Option<&EventOf<User>>,
    ) -> Result<Option<User>>;
    /// Stores that failed sign-in attempts up to `now` must no longer delay new attempts.
    async fn clear_sign_in_waits(&self, now: Timestamp) -> Result<()>;
    /// Returns the time of the last call of [`PeopleStore::clear_sign_in_waits`].
    async fn sign_in_waits_cleared_at(&self) -> Result<Option<Timestamp>>;
    /// Stores a session; removes its owner's sessions beyond the newest 20.
    async fn insert_session(&self, new: &NewSession) -> Result<()>;
    /// Returns the session with this token hash, whatever its owner is still allowed to do.
    async fn session(&self, hash: &[u8; 32]) -> Result<Option<Session>>;
    /// Stores when a session was last used and its user last seen; a later stored time is kept.
    async fn note_session_use(&self, hash: &[u8; 32], now: Timestamp) -> Result<()>;
    /// Ends a session; `false` if there is none.
    async fn end_session(&self, hash: &[u8; 32]) -> Result<bool>;
    /// Ends every session of an owner; returns how many there were. The event is stored even if
    /// there were none.
    async fn end_sessions(&self, of: SessionOf, event: Option<&EventOf<u64>>) -> Result<u64>;
    /// Removes sessions that expired by `now` or were last used before `used_before`; returns how many.
    async fn purge_sessions(&self, now: Timestamp, used_before: Timestamp) -> Result<u64>;
    /// Appends events to the audit list in this order; removes the oldest records beyond 100,000.
    async fn note_audit(&self, events: &[AuditEvent]) -> Result<()>;
    /// Returns up to `limit` audit records before a number, the newest first.
    async fn audit(&self, before: Option<u64>, limit: u32) -> Result<Vec<AuditRecord>>;
    /// Returns every user with the password's hash, ordered by id.
    async fn hashed_users(&self) -> Result<Vec<HashedUser>>;
    /// Stores users unchanged; returns the outcome of each. Of a user that exists already only a later
    /// `last_seen_at` is taken over.
    async fn import_users(&self, users: &[HashedUser]) -> Result<Vec<KeyImport>>;
    /// Returns up to `limit` audit records after a number, the oldest first.
    async fn audit_after(&self, after: u64, limit: u32) -> Result<Vec<AuditRecord>>;
    /// Stores audit records unchanged, with their numbers; returns the outcome of each.
    async fn import_audit(&self, records: &[AuditRecord]) -> Result<Vec<KeyImport>>;
}

/// Returns a name in lower case, as names are compared.
pub(crate) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// Returns a user with a change applied.
pub(crate) fn changed(user: &HashedUser, change: &UserChange, now: Timestamp) -> HashedUser {
    let mut user = user.clone();
    if let Some((password, _)) = &change.password {
        user.password = Some(password.clone());
    }
    let record = &mut user.record;
    record.role = change.role.unwrap_or(record.role);
    if let Some(projects) = &change.projects {
        record.projects = projects.clone();
    }
    match change.disabled {
        Some(true) => record.disabled_at = record.disabled_at.or(Some(now)),
        Some(false) => record.disabled_at = None,
        None => {}
    }
    user
}

/// Whether a user is an active administrator.
pub(crate) fn administers(user: &User) -> bool {
    user.role == Scope::Admin && user.disabled_at.is_none()
}

/// Whether two user records are equal apart from when the user was last seen.
pub(crate) fn same_user(one: &HashedUser, other: &HashedUser) -> bool {
    let mut one = one.clone();
    one.record.last_seen_at = other.record.last_seen_at;
    one == *other
}
