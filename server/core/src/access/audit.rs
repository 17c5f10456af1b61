//! The audit list: who did what, for administrators.
//!
//! Queries are not audited, nor what the records themselves show. An audit record contains ids and the
//! names of users and keys, never passwords, keys, tokens, or the text typed into a name field. The store
//! writes it in the transaction of the change that it describes: both are stored, or neither.

use jiff::Timestamp;
use recall_kit_store::{AuditEvent, DETAILS_MAX, Scope, Store, StoreError};
use recall_kit_telemetry::chain;

use crate::access::{Caller, Forbidden};
pub use recall_kit_store::{Actor, ActorKind, AuditRecord};

/// The most records of a page.
const PAGE_MAX: u32 = 200;

/// Defines an enum whose variants have stable words.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $word:ident $text:literal)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $word,)+
        }

        impl $name {
            /// Every one.
            pub const ALL: &[Self] = &[$(Self::$word),+];

            /// Returns the word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)+
                }
            }
        }
    };
}

words! {
    /// An audited action.
    Action {
        /// An API key was created.
        KeyCreated "key.created"
        /// An API key was revoked.
        KeyRevoked "key.revoked"
        /// The first administrator was created with the set-up link.
        SetUp "user.set_up"
        /// A user was created.
        UserCreated "user.created"
        /// A user's password was changed.
        PasswordChanged "user.password_changed"
        /// A user's role was changed.
        RoleChanged "user.role_changed"
        /// A user's projects were changed.
        ProjectsChanged "user.projects_changed"
        /// A user was disabled.
        UserDisabled "user.disabled"
        /// A user was enabled again.
        UserEnabled "user.enabled"
        /// A user or the holder of a key signed in.
        SignedIn "session.begun"
        /// A sign-in failed.
        SignInFailed "session.refused"
        /// A user or the holder of a key ended all sessions.
        SignedOutEverywhere "session.all_ended"
        /// Two entries were linked.
        LinkMade "link.made"
        /// A suggestion was accepted.
        SuggestionAccepted "suggestion.accepted"
        /// A suggestion was rejected.
        SuggestionRejected "suggestion.rejected"
        /// Documentation was ingested into a library.
        LibraryIngested "library.ingested"
        /// A version of a library was removed.
        VersionRemoved "library.version_removed"
        /// An experience was edited.
        ExperienceEdited "experience.edited"
        /// An experience was hidden.
        ExperienceHidden "experience.hidden"
        /// An experience was made visible again.
        ExperienceUnhidden "experience.unhidden"
        /// An experience was deleted.
        ExperienceDeleted "experience.deleted"
        /// An experience was restored.
        ExperienceRestored "experience.restored"
        /// It was reported whether an experience helped.
        OutcomeReported "outcome.reported"
        /// An entry was edited.
        EntryEdited "entry.edited"
        /// An entry was marked as obsolete.
        EntryObsolete "entry.obsolete"
        /// An entry was marked as valid again.
        EntryValid "entry.valid"
    }
}

words! {
    /// What kind of thing an action is about.
    Subject {
        /// An API key, by its id.
        Key "key"
        /// A user, by its id.
        User "user"
        /// An experience, by its id.
        Experience "experience"
        /// An entry, by its id.
        Entry "entry"
        /// A suggestion, by its id.
        Suggestion "suggestion"
        /// A library, by its name.
        Library "library"
    }
}

/// An audit event without its actor and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingEvent {
    action: Action,
    subject: Option<(Subject, String)>,
    details: Option<String>,
}

impl PendingEvent {
    /// Creates an event for an action.
    pub fn new(action: Action) -> Self {
        Self {
            action,
            subject: None,
            details: None,
        }
    }

    /// Adds the subject of the action.
    pub fn to(mut self, subject: Subject, id: impl ToString) -> Self {
        self.subject = Some((subject, id.to_string()));
        self
    }

    /// Adds details; they are truncated to 500 characters.
    pub fn saying(mut self, details: impl AsRef<str>) -> Self {
        let shown = details.as_ref().chars().filter(|c| !c.is_control());
        self.details = Some(shown.take(DETAILS_MAX).collect());
        self
    }

    /// Adds actor and time. The result is what the store writes together with the change.
    pub fn by(self, by: &Caller, now: Timestamp) -> AuditEvent {
        AuditEvent {
            at: now,
            actor: by.actor(),
            action: self.action.as_str().to_owned(),
            subject: self
                .subject
                .map(|(kind, id)| (kind.as_str().to_owned(), id)),
            details: self.details,
        }
    }
}

/// Stores an event that has no change in the database, such as a rejected sign-in. A failure is only
/// logged. Changes pass their events to the store instead. Call this in a task that outlives the
/// request.
pub async fn note(store: &dyn Store, event: AuditEvent) {
    if let Err(error) = store.note_audit(std::slice::from_ref(&event)).await {
        tracing::error!(
            action = event.action,
            error = chain(&error),
            "an audit record could not be stored"
        );
    }
}

/// Why the audit list cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The caller is not an administrator.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A page of audit records, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// The records.
    pub records: Vec<AuditRecord>,
    /// The value of `before` for the next page; none on the last one.
    pub next: Option<u64>,
}

/// Returns up to `limit` records (200 at most) with ids below `before`.
///
/// *Errors*: [`AuditError`].
pub async fn list(
    store: &dyn Store,
    by: &Caller,
    before: Option<u64>,
    limit: u32,
) -> Result<AuditPage, AuditError> {
    by.require(Scope::Admin)?;
    let limit = limit.clamp(1, PAGE_MAX);
    let mut records = store.audit(before, limit + 1).await?;
    let has_more = records.len() > limit as usize;
    records.truncate(limit as usize);
    let last = records.last().map(|record| record.id);
    Ok(AuditPage {
        next: last.filter(|_| has_more),
        records,
    })
}
