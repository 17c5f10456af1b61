//! An experience that waits, and what is known of it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use uuid::Uuid;

use crate::{Confirmed, Error, ServerUrl};

/// An experience that waits; `Debug` shows no text of it.
#[derive(Clone)]
pub struct Kept {
    /// What is sent; none where the file cannot be read.
    pub(super) experience: Option<Confirmed>,
    pub(super) id: Uuid,
    /// The server it is meant for, without credentials.
    pub server: String,
    /// When it was confirmed.
    pub kept_at: SystemTime,
    /// How often it was tried to send it.
    pub attempts: u32,
    /// Why the last attempt failed, or why the file cannot be read.
    pub last_error: String,
    /// Whether the server refused it: it is not tried again.
    pub refused: bool,
}

impl Kept {
    /// Returns the idempotency key, which is its name in the outbox too.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Returns what is sent; none where the file cannot be read.
    pub fn experience(&self) -> Option<&Confirmed> {
        self.experience.as_ref()
    }

    /// Returns its title; empty where the file cannot be read.
    pub fn title(&self) -> &str {
        let request = self.experience.as_ref().map(Confirmed::request);
        request.map_or("", |request| &request.title)
    }

    /// Returns how long it has been waiting.
    pub fn age(&self) -> Duration {
        self.kept_at.elapsed().unwrap_or_default()
    }

    pub(super) fn new(experience: Confirmed, server: &ServerUrl) -> Self {
        Self {
            id: experience.idempotency_key(),
            experience: Some(experience),
            server: server.to_string(),
            kept_at: whole_seconds(SystemTime::now()),
            attempts: 0,
            last_error: String::new(),
            refused: false,
        }
    }

    pub(super) fn note(&mut self, error: &Error) {
        self.attempts = self.attempts.saturating_add(1);
        self.last_error = error.to_string();
        self.refused = matches!(error, Error::Validation(_));
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

/// A file that cannot be read, and why.
pub(super) fn unreadable(id: Uuid, reason: String) -> Kept {
    Kept {
        id,
        experience: None,
        server: String::new(),
        kept_at: UNIX_EPOCH,
        attempts: 0,
        last_error: reason,
        refused: false,
    }
}

/// What a file remembers of a time.
fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(since.as_secs())
}
