//! What the store keeps of people: users, their sessions with the web pages, and who did what.
//!
//! What a password or a token is, and who may do what, is decided in `core`, `access::people`.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{ApiKey, KeyImport, Projects, Result, Scope};

/// The most sessions of one user or key; the oldest goes when another one begins.
pub(crate) const SESSIONS_MAX: u32 = 20;
/// The most records of who did what; the oldest go.
pub(crate) const AUDIT_MAX: u64 = 100_000;
/// The most characters of a record's details.
pub const DETAILS_MAX: usize = 500;

/// A password as it is stored: argon2id in PHC's form. Never shown.
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

/// A user, without anything that lets anybody in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: Uuid,
    /// What it is called; unique in any case. 1–100 characters.
    pub name: String,
    /// What it may do.
    pub role: Scope,
    /// The projects that it may see and write.
    pub projects: Projects,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when it is not let in; unset while it is.
    pub disabled_at: Option<Timestamp>,
    /// When it was last here, to the minute; unset when never.
    pub last_seen_at: Option<Timestamp>,
}

/// A user with what recognises its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedUser {
    /// The record.
    pub record: User,
    /// Its password's hash; without one no password lets it in.
    pub password: Option<PasswordHash>,
}

/// What is to change of a user; what is unset stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserChange {
    /// The new password's hash; every session ends, except the one with this hash of its token.
    pub password: Option<(PasswordHash, Option<[u8; 32]>)>,
    /// What it may do from now on.
    pub role: Option<Scope>,
    /// The projects that it may see and write from now on.
    pub projects: Option<Projects>,
    /// Whether it is not let in from now on; its sessions end with that.
    pub disabled: Option<bool>,
}

/// Whose a session is, by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionOf {
    /// A user's.
    User(Uuid),
    /// That of somebody who showed an API key.
    ApiKey(Uuid),
}

impl SessionOf {
    /// Returns the columns that keep it: a user's id and a key's.
    pub(crate) fn columns(self) -> (Option<String>, Option<String>) {
        match self {
            Self::User(id) => (Some(id.to_string()), None),
            Self::ApiKey(id) => (None, Some(id.to_string())),
        }
    }
}

/// A session about to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    /// Whose it is.
    pub of: SessionOf,
    /// When it begins.
    pub created_at: Timestamp,
    /// When it ends, however much it is used.
    pub expires_at: Timestamp,
    /// What the audit list is to say of it.
    pub event: Option<AuditEvent>,
}

/// Who has a session, as of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionOwner {
    /// A user.
    User(User),
    /// Somebody who showed an API key.
    ApiKey(ApiKey),
}

/// A stored session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Who has it.
    pub owner: SessionOwner,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Timestamp,
    /// When it ends, however much it is used.
    pub expires_at: Timestamp,
}

/// What kind of somebody did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// A user of the web pages.
    User,
    /// Whoever showed an API key.
    Key,
    /// Somebody of whom nothing is known.
    Anonymous,
    /// Whoever runs the program itself on the machine.
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

/// Who did something, as it was called then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// What kind of somebody.
    pub kind: ActorKind,
    /// The id of the user or the key.
    pub id: Option<Uuid>,
    /// Its name.
    pub name: Option<String>,
}

/// Something that somebody did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What, in one word of `access::audit` in `core`.
    pub action: String,
    /// To what: its kind and its id.
    pub subject: Option<(String, String)>,
    /// What else is to be known; [`DETAILS_MAX`] characters at most.
    pub details: Option<String>,
}

/// Makes the line of the audit list from what a change came to.
pub type EventOf<T> = Arc<dyn Fn(&T) -> AuditEvent + Send + Sync>;

/// A stored record of what somebody did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its number; later ones are greater.
    pub id: u64,
    /// What was done.
    pub event: AuditEvent,
}

/// The people of a database; see [`crate::Store`] for what every method keeps.
/// An `event` is stored in the transaction of the change that it tells of, and only if that happens.
#[async_trait]
pub trait PeopleStore: Send + Sync {
    /// Stores a new user ([`crate::StoreError::UserNameTaken`] when another has its name in any case).
    async fn insert_user(&self, user: &HashedUser, event: Option<&AuditEvent>) -> Result<()>;
    /// Stores a new administrator where there is none, disabled ones counted; `false` where there
    /// is ([`crate::StoreError::UserNameTaken`]). Of several that come at once one is stored.
    async fn insert_first_admin(
        &self,
        user: &HashedUser,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Returns whether there is an administrator, disabled ones counted.
    async fn has_admin(&self) -> Result<bool>;
    /// Returns every user, by name.
    async fn users(&self) -> Result<Vec<User>>;
    /// Returns the user with this name, in any case.
    async fn user_by_name(&self, name: &str) -> Result<Option<HashedUser>>;
    /// Returns the user with this id.
    async fn user(&self, id: Uuid) -> Result<Option<HashedUser>>;
    /// Changes a user and ends the sessions that are not to go on, in one step; returns what it is
    /// now, `None` for an unknown id ([`crate::StoreError::LastAdmin`] when nobody would be left who
    /// may administer).
    async fn change_user(
        &self,
        id: Uuid,
        change: &UserChange,
        now: Timestamp,
        event: Option<&EventOf<User>>,
    ) -> Result<Option<User>>;
    /// Stores the order to forget failed attempts to sign in up to a moment.
    async fn clear_sign_in_waits(&self, now: Timestamp) -> Result<()>;
    /// Returns the moment of the last such order.
    async fn sign_in_waits_cleared_at(&self) -> Result<Option<Timestamp>>;
    /// Stores a session; those of its owner beyond the newest 20 go.
    async fn insert_session(&self, new: &NewSession) -> Result<()>;
    /// Returns the session with this hash of its token, whatever its owner may still do.
    async fn session(&self, hash: &[u8; 32]) -> Result<Option<Session>>;
    /// Notes that a session was used, and its user seen; a stored later time stays.
    async fn note_session_use(&self, hash: &[u8; 32], now: Timestamp) -> Result<()>;
    /// Ends a session; `false` when there is none.
    async fn end_session(&self, hash: &[u8; 32]) -> Result<bool>;
    /// Ends every session of an owner; returns how many there were. The event is stored even if
    /// there were none.
    async fn end_sessions(&self, of: SessionOf, event: Option<&EventOf<u64>>) -> Result<u64>;
    /// Removes sessions that ended before now, or were last used before a moment; returns how many.
    async fn purge_sessions(&self, now: Timestamp, used_before: Timestamp) -> Result<u64>;
    /// Stores what was done, in this order; the oldest records beyond 100,000 go.
    async fn note_audit(&self, events: &[AuditEvent]) -> Result<()>;
    /// Returns up to `limit` records, the newest first, of those before a number.
    async fn audit(&self, before: Option<u64>, limit: u32) -> Result<Vec<AuditRecord>>;
    /// Returns every user with its password's hash, by id.
    async fn hashed_users(&self) -> Result<Vec<HashedUser>>;
    /// Stores users as they come; says for each what became of it. Of one who is there a later sight
    /// is taken over.
    async fn import_users(&self, users: &[HashedUser]) -> Result<Vec<KeyImport>>;
    /// Returns up to `limit` records after a number, the oldest first.
    async fn audit_after(&self, after: u64, limit: u32) -> Result<Vec<AuditRecord>>;
    /// Stores records as they come, with their numbers; says for each what became of it.
    async fn import_audit(&self, records: &[AuditRecord]) -> Result<Vec<KeyImport>>;
}

/// Returns a name as it is compared.
pub(crate) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// Applies a change.
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

/// Whether a user may administer.
pub(crate) fn administers(user: &User) -> bool {
    user.role == Scope::Admin && user.disabled_at.is_none()
}

/// Whether two records are of one user: everything but when it was last seen.
pub(crate) fn same_user(one: &HashedUser, other: &HashedUser) -> bool {
    let mut one = one.clone();
    one.record.last_seen_at = other.record.last_seen_at;
    one == *other
}
