//! Who did what: what administrators may ask afterwards.
//!
//! Queries are not noted, nor is what records themselves tell. What is noted names ids and the names of
//! users and keys, never passwords, keys, tokens, or what was typed where a name belongs. The store
//! writes a line in the transaction of the change that it is about: both are stored, or neither.

use jiff::Timestamp;
use recall_kit_store::{AuditEvent, DETAILS_MAX, Scope, Store, StoreError};
use recall_kit_telemetry::chain;

use crate::access::{Caller, Forbidden};
pub use recall_kit_store::{Actor, ActorKind, AuditRecord};

/// The most records of a page.
const PAGE_MAX: u32 = 200;

/// Makes an enum of words.
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
    /// What can be done.
    Action {
        /// An API key was made.
        KeyCreated "key.created"
        /// An API key was revoked.
        KeyRevoked "key.revoked"
        /// The first administrator was made with the set-up link.
        SetUp "user.set_up"
        /// A user was made.
        UserCreated "user.created"
        /// A user got another password.
        PasswordChanged "user.password_changed"
        /// A user got another role.
        RoleChanged "user.role_changed"
        /// A user got another limit to projects.
        ProjectsChanged "user.projects_changed"
        /// A user is not let in any more.
        UserDisabled "user.disabled"
        /// A user is let in again.
        UserEnabled "user.enabled"
        /// Somebody signed in.
        SignedIn "session.begun"
        /// Somebody was not let in.
        SignInFailed "session.refused"
        /// Somebody ended all its sessions.
        SignedOutEverywhere "session.all_ended"
        /// Two entries were linked.
        LinkMade "link.made"
        /// A suggestion was accepted.
        SuggestionAccepted "suggestion.accepted"
        /// A suggestion was rejected.
        SuggestionRejected "suggestion.rejected"
        /// Documentation was read into a library.
        LibraryIngested "library.ingested"
        /// A version of a library was removed.
        VersionRemoved "library.version_removed"
        /// An experience got other texts.
        ExperienceEdited "experience.edited"
        /// An experience is not found any more.
        ExperienceHidden "experience.hidden"
        /// An experience is found again.
        ExperienceUnhidden "experience.unhidden"
        /// An experience was deleted.
        ExperienceDeleted "experience.deleted"
        /// An experience was brought back.
        ExperienceRestored "experience.restored"
        /// An entry got another text.
        EntryEdited "entry.edited"
        /// An entry was marked as obsolete.
        EntryObsolete "entry.obsolete"
        /// An entry was marked as valid again.
        EntryValid "entry.valid"
    }
}

words! {
    /// What it can be done to.
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

/// Something that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    action: Action,
    subject: Option<(Subject, String)>,
    details: Option<String>,
}

impl Deed {
    /// Begins with what was done.
    pub fn new(action: Action) -> Self {
        Self {
            action,
            subject: None,
            details: None,
        }
    }

    /// Says to what it was done.
    pub fn to(mut self, subject: Subject, id: impl ToString) -> Self {
        self.subject = Some((subject, id.to_string()));
        self
    }

    /// Says what else is to be known; beyond 500 characters it is cut off.
    pub fn saying(mut self, details: impl AsRef<str>) -> Self {
        let shown = details.as_ref().chars().filter(|c| !c.is_control());
        self.details = Some(shown.take(DETAILS_MAX).collect());
        self
    }

    /// Says who did it and when: this is what the store writes together with the change.
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

/// Notes an event without a change in the database, such as a refused sign-in. If that fails, the
/// log says so. Changes pass their events to the store instead. Call it in a task that outlives the
/// request.
pub async fn note(store: &dyn Store, event: AuditEvent) {
    if let Err(error) = store.note_audit(std::slice::from_ref(&event)).await {
        tracing::error!(
            action = event.action,
            error = chain(&error),
            "what was done could not be noted"
        );
    }
}

/// Why nothing can be listed.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// It is for administrators.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Records of what was done, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// The records.
    pub records: Vec<AuditRecord>,
    /// What the next page is before; none on the last one.
    pub next: Option<u64>,
}

/// Returns up to `limit` records (200 at most), of those before a number.
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
