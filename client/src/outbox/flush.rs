//! Sends what waits, once: under the outbox's lock, with the key it was confirmed with.

use super::{Kept, Outbox, OutboxError, file, lock};
use crate::{Confirmed, Error, QueryRequest, RecallKitClient};

/// How many records are looked at then.
const LOOKED_AT: u32 = 50;
/// How much of a title is looked for; no server stores a longer one.
const MAX_TITLE_CHARS: usize = 500;

/// What a client may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipient {
    /// What is meant for the client's own server.
    Same,
    /// Everything: a person agreed that it goes to another server than it was confirmed for.
    Any,
}

/// What came of sending.
#[derive(Debug, Default)]
pub struct Flushed {
    /// What the server has now: the title, and the record's id.
    pub sent: Vec<(String, String)>,
    /// What the server refused just now, with the reason.
    pub refused: Vec<Kept>,
    /// How many still wait: refused ones, and what could not be tried.
    pub waiting: usize,
    /// How many of these are meant for another server.
    pub elsewhere: usize,
    /// What ended it early.
    pub stopped_by: Option<Error>,
    /// Why one could not be sent that is tried again, while others could be tried.
    pub failed: Option<Error>,
}

/// What an error means for what waits.
enum Verdict {
    /// The server does not want this one.
    Refused,
    /// The next one may fare better.
    GoOn,
    /// No other would fare better now.
    Stop,
}

impl Verdict {
    fn of(error: &Error) -> Self {
        match error {
            refused if refused.is_refusal() => Self::Refused,
            Error::Network { .. } | Error::Timeout { .. } | Error::Denied { .. } => Self::Stop,
            Error::ProgramMissing { .. } => Self::Stop,
            _ => Self::GoOn,
        }
    }
}

impl Flushed {
    /// Adds what another server took; what still waits is counted at the end.
    pub(crate) fn add(&mut self, other: Self) {
        self.sent.extend(other.sent);
        self.refused.extend(other.refused);
        self.stopped_by = self.stopped_by.take().or(other.stopped_by);
        self.failed = self.failed.take().or(other.failed);
    }
}

impl RecallKitClient {
    /// Sends what waits in the outbox, the oldest first, until the server cannot be
    /// reached. What it refuses stays, with the reason, and is not sent again.
    ///
    /// *Errors*: [`OutboxError::Busy`] while another process does it, [`OutboxError::File`].
    pub async fn flush(
        &self,
        outbox: &Outbox,
        recipient: Recipient,
    ) -> Result<Flushed, OutboxError> {
        let mut flushed = Flushed::default();
        if outbox.is_empty() {
            return Ok(flushed);
        }
        let _lock = lock::take(&outbox.folder)?;
        for mut kept in outbox.list().await? {
            let is_elsewhere = kept.experience.is_some() && !kept.is_for(self.server_url());
            flushed.elsewhere += usize::from(is_elsewhere && !kept.refused);
            let may = recipient == Recipient::Any || !is_elsewhere;
            let due = kept
                .experience
                .clone()
                .filter(|_| may && !kept.refused && flushed.stopped_by.is_none());
            let is_claimed = || lock::is_claimed(&outbox.folder, kept.id);
            let Some(experience) = due.filter(|_| !is_claimed()) else {
                flushed.waiting += 1;
                continue;
            };
            if !outbox.path(kept.id).exists() {
                // Its first sender came through since the list was made.
                continue;
            }
            match self.send_kept(&experience, kept.is_key_uncertain()).await {
                Ok(id) => {
                    file::remove(&outbox.path(kept.id))?;
                    flushed.sent.push((kept.title().to_owned(), id));
                }
                Err((error, verdict)) => {
                    kept.note(&error, matches!(verdict, Verdict::Refused));
                    if let Err(error) = outbox.write(&kept).await {
                        tracing::warn!(%error, "the outbox does not say why it waits");
                    }
                    flushed.waiting += 1;
                    match verdict {
                        Verdict::Refused => flushed.refused.push(kept),
                        Verdict::GoOn => flushed.failed = flushed.failed.or(Some(error)),
                        Verdict::Stop => flushed.stopped_by = Some(error),
                    }
                }
            }
        }
        Ok(flushed)
    }

    /// Sends one and returns the record's id.
    async fn send_kept(
        &self,
        experience: &Confirmed,
        is_key_uncertain: bool,
    ) -> Result<String, (Error, Verdict)> {
        if is_key_uncertain {
            // Without an answer it might be stored twice; and looking is not what it is refused for.
            let found = self.find_same(experience).await;
            if let Some(id) = found.map_err(|error| (error, Verdict::Stop))? {
                return Ok(id);
            }
        }
        let sent = self.submit_experience(experience).await;
        sent.map(|data| data.id).map_err(|error| {
            let verdict = Verdict::of(&error);
            (error, verdict)
        })
    }

    /// Looks for the record that an attempt long ago may have made.
    async fn find_same(&self, experience: &Confirmed) -> Result<Option<String>, Error> {
        let request = experience.request();
        let title: String = request.title.chars().take(MAX_TITLE_CHARS).collect();
        let query = QueryRequest::keywords(title).with_limit(LOOKED_AT);
        let found = self.query(query).await?.experiences;
        let same = found.into_iter().find(|found| {
            found.title == request.title
                && found.problem == request.problem_description
                && found.solution == request.solution
        });
        Ok(same.map(|found| found.id))
    }
}
