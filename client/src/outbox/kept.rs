//! An experience or an outcome in the outbox, with its server and its attempts.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use recall_kit_shared_types::outcomes::Evidence;
use ring::digest::{SHA256, digest};
use uuid::Uuid;

use crate::{
    Confirmed, Error, PreparedOutcome, ServerUrl,
    submit::held_outcome::{is_elsewhere, is_final},
};

/// How long a server certainly remembers an idempotency key: the server's `IDEMPOTENCY_KEY_LIFETIME` of 7 days,
/// less a day. After that the client first queries whether the record exists.
const KEY_LIFETIME: Duration = Duration::from_secs(6 * 24 * 60 * 60);

/// What waits in the outbox.
#[derive(Clone)]
pub enum Content {
    /// An experience that is shared.
    Experience(Confirmed),
    /// Whether an experience helped.
    Outcome(PreparedOutcome),
}

impl Content {
    /// Returns the idempotency key.
    pub(super) fn idempotency_key(&self) -> Uuid {
        match self {
            Self::Experience(experience) => experience.idempotency_key(),
            Self::Outcome(outcome) => outcome.idempotency_key(),
        }
    }
}

impl From<Confirmed> for Content {
    fn from(experience: Confirmed) -> Self {
        Self::Experience(experience)
    }
}

impl From<PreparedOutcome> for Content {
    fn from(outcome: PreparedOutcome) -> Self {
        Self::Outcome(outcome)
    }
}

/// An experience or an outcome in the outbox; `Debug` shows none of its text.
#[derive(Clone)]
pub struct Kept {
    /// What is sent; `None` if the file cannot be read.
    pub(super) content: Option<Content>,
    pub(super) id: Uuid,
    /// The URL of the server it was confirmed for, without credentials and query.
    pub server: String,
    /// A hash of that server's complete URL; `None` in files of an older program.
    pub(super) server_hash: Option<String>,
    /// Whether an outcome waits for other servers, too, because it is not known which one has its experience.
    pub(super) one_of_several: bool,
    /// When it was confirmed.
    pub kept_at: SystemTime,
    /// The number of attempts to send it.
    pub attempts: u32,
    /// Why the last attempt failed, or why the file cannot be read.
    pub last_error: String,
    /// Whether the server rejected it, so that it is not sent again.
    pub refused: bool,
    /// Whether its file is encrypted.
    pub sealed: bool,
}

impl Kept {
    /// Returns its id in the outbox: the idempotency key it was first confirmed with.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Returns its id, and the idempotency key of what is sent.
    pub(super) fn id_and_key(&self) -> (Uuid, Option<Uuid>) {
        let key = self.content.as_ref().map(Content::idempotency_key);
        (self.id, key)
    }

    /// Returns the experience that is sent; `None` for an outcome, or if the file cannot be read.
    pub fn experience(&self) -> Option<&Confirmed> {
        match &self.content {
            Some(Content::Experience(experience)) => Some(experience),
            Some(Content::Outcome(_)) | None => None,
        }
    }

    /// Returns whether it is an outcome that nobody wrote: a hook observed it.
    pub fn is_observed(&self) -> bool {
        match &self.content {
            Some(Content::Outcome(outcome)) => outcome.evidence() == Evidence::Observed,
            Some(Content::Experience(_)) | None => false,
        }
    }

    /// Returns whether this error ends it without a person: no server, or another one, has the experience of an
    /// outcome. The last entry of an outcome that a person reported is kept all the same.
    pub(super) fn is_ended_by(&self, error: &Error) -> bool {
        match &self.content {
            Some(Content::Outcome(_)) if self.is_observed() => is_final(error),
            Some(Content::Outcome(_)) => self.one_of_several && is_elsewhere(error),
            Some(Content::Experience(_)) | None => false,
        }
    }

    /// Returns whether its file can be read.
    pub fn is_readable(&self) -> bool {
        self.content.is_some()
    }

    /// Returns its title: of an outcome the experience's id and the word; empty if the file cannot be read.
    pub fn title(&self) -> String {
        match &self.content {
            Some(Content::Experience(experience)) => experience.request().title.clone(),
            Some(Content::Outcome(outcome)) => {
                let request = outcome.request();
                format!("{}: {}", request.experience_id, request.outcome.as_str())
            }
            None => String::new(),
        }
    }

    /// Returns how long it has been waiting.
    pub fn age(&self) -> Duration {
        self.kept_at.elapsed().unwrap_or_default()
    }

    /// Returns whether a server may have forgotten its key: it has been waiting for long, or the clock was set
    /// back meanwhile, so that the time is unknown.
    pub(super) fn is_key_uncertain(&self) -> bool {
        self.kept_at
            .elapsed()
            .map_or(true, |age| age > KEY_LIFETIME)
    }

    /// Returns whether no attempt to send it has ended: it is being sent, or its sender was stopped.
    pub fn is_under_way(&self) -> bool {
        self.content.is_some() && self.attempts == 0 && !self.last_error.is_empty()
    }

    /// Returns whether it was confirmed for this server; false if the file cannot be read.
    pub fn is_for(&self, server: &ServerUrl) -> bool {
        self.content.is_some()
            && match &self.server_hash {
                Some(hash) => *hash == hash_of(server),
                None => self.server == server.to_string(),
            }
    }

    pub(super) fn new(content: Content, server: &ServerUrl) -> Self {
        Self {
            id: content.idempotency_key(),
            content: Some(content),
            server: server.to_string(),
            server_hash: Some(hash_of(server)),
            one_of_several: false,
            kept_at: whole_seconds(SystemTime::now()),
            attempts: 0,
            last_error: String::new(),
            refused: false,
            sealed: false,
        }
    }

    /// Replaces the text by another one that a person has just confirmed for the same server.
    pub(super) fn edited(self, content: Content) -> Self {
        Self {
            content: Some(content),
            kept_at: whole_seconds(SystemTime::now()),
            attempts: 0,
            last_error: String::new(),
            refused: false,
            ..self
        }
    }

    pub(super) fn note(&mut self, error: &Error, refused: bool) {
        self.attempts = self.attempts.saturating_add(error.attempts());
        self.last_error = error.to_string();
        self.refused = refused;
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept")
            .field("id", &self.id)
            .field("server", &self.server)
            .field("attempts", &self.attempts)
            .field("refused", &self.refused)
            .finish_non_exhaustive()
    }
}

/// Returns the entry for a file that cannot be read, with the reason.
pub(super) fn unreadable(id: Uuid, reason: String) -> Kept {
    Kept {
        id,
        content: None,
        server: String::new(),
        server_hash: None,
        one_of_several: false,
        kept_at: UNIX_EPOCH,
        attempts: 0,
        last_error: reason,
        refused: false,
        sealed: false,
    }
}

/// Returns a hash that differs for servers that are displayed alike, such as two tenants of one host.
fn hash_of(server: &ServerUrl) -> String {
    BASE64.encode(digest(&SHA256, server.as_str().as_bytes()))
}

/// Returns the time with the precision of a file.
fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(since.as_secs())
}
