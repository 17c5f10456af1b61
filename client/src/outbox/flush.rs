//! Sends the experiences in the outbox, under its lock and with their idempotency keys.

use uuid::Uuid;

use super::{Content, Kept, Outbox, OutboxError, file, lock};
use crate::{Confirmed, Error, QueryRequest, RecallKitClient};

/// How many records are read to find an experience that may already be stored.
const CANDIDATES: u32 = 50;
/// The length to which a title is cut for the query; no server stores a longer one.
const MAX_TITLE_CHARS: usize = 500;

/// Which experiences a client may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipient {
    /// Those that were confirmed for the client's own server.
    Same,
    /// All: a person agreed to send them to another server than they were confirmed for.
    Any,
}

/// The result of sending the outbox.
#[derive(Debug, Default)]
pub struct Flushed {
    /// What was sent: the title, and the record's id.
    pub sent: Vec<(String, String)>,
    /// What the server rejected, with the reason.
    pub refused: Vec<Kept>,
    /// How many remain in the outbox, including rejected ones.
    pub waiting: usize,
    /// How many of these were confirmed for another server.
    pub elsewhere: usize,
    /// The error that stopped the sending early.
    pub stopped_by: Option<Error>,
    /// The first error after which sending went on; that experience will be retried.
    pub failed: Option<Error>,
}

/// What an error means for the experiences in the outbox.
enum Verdict {
    /// The server rejects this one.
    Refused,
    /// The next one may succeed.
    GoOn,
    /// No other would succeed now.
    Stop,
}

impl Verdict {
    fn of(error: &Error) -> Self {
        match error {
            error if error.is_refusal() => Self::Refused,
            Error::Network { .. } | Error::Timeout { .. } | Error::Denied { .. } => Self::Stop,
            Error::ProgramMissing { .. } => Self::Stop,
            _ => Self::GoOn,
        }
    }
}

impl Flushed {
    /// Adds the result for another server. What remains in the outbox is counted at the end.
    pub(crate) fn add(&mut self, other: Self) {
        self.sent.extend(other.sent);
        self.refused.extend(other.refused);
        self.stopped_by = self.stopped_by.take().or(other.stopped_by);
        self.failed = self.failed.take().or(other.failed);
    }
}

impl Outbox {
    /// Returns whether another of these entries has the same content as this one and still waits, or was rejected.
    pub(super) fn has_other(&self, keys: &[(Uuid, Option<Uuid>)], entry: &Kept) -> bool {
        let (id, key) = entry.id_and_key();
        let mut others = keys.iter().filter(|(other, _)| *other != id);
        others.any(|(other, it)| *it == key && self.path(*other).exists())
    }
}

impl RecallKitClient {
    /// Sends the experiences in the outbox, the oldest first, until the server cannot be reached. What the
    /// server rejects stays in the outbox, with the reason, and is not sent again.
    ///
    /// *Errors*: [`OutboxError::Busy`] while another process uses the outbox, [`OutboxError::File`].
    pub async fn flush(
        &self,
        outbox: &Outbox,
        recipient: Recipient,
    ) -> Result<Flushed, OutboxError> {
        let mut flushed = Flushed::default();
        if outbox.is_empty() {
            return Ok(flushed);
        }
        let _lock = lock::acquire(&outbox.folder)?;
        let entries = outbox.list().await?;
        let keys: Vec<_> = entries.iter().map(Kept::id_and_key).collect();
        for (number, mut entry) in entries.into_iter().enumerate() {
            if !outbox.path(entry.id).exists() {
                // It was sent after the list was read, by its first sender or for another server.
                continue;
            }
            let is_elsewhere = entry.is_readable() && !entry.is_for(self.server_url());
            flushed.elsewhere += usize::from(is_elsewhere && !entry.refused);
            let is_permitted = recipient == Recipient::Any || !is_elsewhere;
            let due = entry
                .content
                .clone()
                .filter(|_| is_permitted && !entry.refused && flushed.stopped_by.is_none());
            let is_claimed = || lock::is_claimed(&outbox.folder, entry.id);
            let Some(content) = due.filter(|_| !is_claimed()) else {
                flushed.waiting += 1;
                continue;
            };
            match self.send_entry(&content, entry.is_key_uncertain()).await {
                Ok(id) => {
                    file::remove(&outbox.path(entry.id))?;
                    flushed.sent.push((entry.title(), id));
                    // The same outcome no longer waits for other servers.
                    let key = Some(content.idempotency_key());
                    for (at, (other, _)) in
                        keys.iter().enumerate().filter(|(_, (_, it))| *it == key)
                    {
                        let is_counted = file::remove(&outbox.path(*other))? && at < number;
                        let is_counted = usize::from(is_counted);
                        flushed.waiting = flushed.waiting.saturating_sub(is_counted);
                        flushed.elsewhere = flushed.elsewhere.saturating_sub(is_counted);
                    }
                }
                // The last one that a person reported stays, rejected: the person learns that no server has the
                // experience.
                Err((error, _))
                    if entry.is_ended_by(&error)
                        && !entry.is_observed()
                        && !outbox.has_other(&keys, &entry) =>
                {
                    entry.note(&error, true);
                    outbox.write(&entry).await?;
                    flushed.waiting += 1;
                    flushed.refused.push(entry);
                }
                Err((error, _)) if entry.is_ended_by(&error) => {
                    file::remove(&outbox.path(entry.id))?;
                    tracing::debug!(%error, "an outcome was dropped");
                }
                Err((error, verdict)) => {
                    entry.note(&error, matches!(verdict, Verdict::Refused));
                    if let Err(error) = outbox.write(&entry).await {
                        tracing::warn!(%error, "cannot record in the outbox why an experience was not sent");
                    }
                    flushed.waiting += 1;
                    match verdict {
                        Verdict::Refused => flushed.refused.push(entry),
                        Verdict::GoOn => flushed.failed = flushed.failed.or(Some(error)),
                        Verdict::Stop => flushed.stopped_by = Some(error),
                    }
                }
            }
        }
        Ok(flushed)
    }

    /// Sends an experience or an outcome, and returns the id at the server.
    async fn send_entry(
        &self,
        content: &Content,
        is_key_uncertain: bool,
    ) -> Result<String, (Error, Verdict)> {
        let failed = |error: Error| {
            let verdict = Verdict::of(&error);
            (error, verdict)
        };
        let experience = match content {
            Content::Experience(experience) => experience,
            // Servers keep the keys of outcomes for good.
            Content::Outcome(outcome) => {
                let reported = self.report_outcome(outcome).await;
                return reported.map(|data| data.id).map_err(failed);
            }
        };
        if is_key_uncertain {
            // If this query fails, sending could store the experience twice, so the flush stops. An error
            // of the query is not a rejection of the experience.
            let found = self.find_same(experience).await;
            if let Some(id) = found.map_err(|error| (error, Verdict::Stop))? {
                return Ok(id);
            }
        }
        let sent = self.submit_experience(experience).await;
        sent.map(|data| data.id).map_err(failed)
    }

    /// Searches for the record that an old attempt may have created.
    async fn find_same(&self, experience: &Confirmed) -> Result<Option<String>, Error> {
        let request = experience.request();
        let title: String = request.title.chars().take(MAX_TITLE_CHARS).collect();
        let query = QueryRequest::keywords(title).with_limit(CANDIDATES);
        let found = self.query(query).await?.experiences;
        let same = found.into_iter().find(|found| {
            found.title == request.title
                && found.problem == request.problem_description
                && found.solution == request.solution
        });
        Ok(same.map(|found| found.id))
    }
}
