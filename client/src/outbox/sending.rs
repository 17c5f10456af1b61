//! An experience that is in the outbox while it is sent for the first time, so that it is not lost if the
//! program ends. Its sender has a lock until the process ends, so no other process sends it meanwhile.

use std::{fmt, sync::Arc};

use uuid::Uuid;

use super::{Content, Kept, Outbox, OutboxError, file, lock};
use crate::{Error, PreparedOutcome, ServerUrl};

/// The text that is listed as the last error until there is one.
const UNDER_WAY: &str = "it is being sent, or the program ended while sending it";

/// An experience that is being sent. If this is dropped, the experience stays in the outbox.
pub struct Sending {
    outbox: Arc<Outbox>,
    entry: Kept,
    // Released after the file has its last state.
    _claim: lock::Claim,
}

impl Outbox {
    /// Stores an experience or an outcome on disk that is about to be sent to `server`.
    ///
    /// *Errors*: those of [`Outbox::keep`].
    pub async fn hold(
        self: &Arc<Self>,
        content: impl Into<Content>,
        server: &ServerUrl,
    ) -> Result<Sending, OutboxError> {
        self.hold_entry(Kept::new(content.into(), server)).await
    }

    /// Stores an outcome for the server with this number of this many that may have its experience, each with its own
    /// entry.
    ///
    /// *Errors*: those of [`Outbox::keep`].
    pub(crate) async fn hold_one_of(
        self: &Arc<Self>,
        outcome: PreparedOutcome,
        server: &ServerUrl,
        number: usize,
        count: usize,
    ) -> Result<Sending, OutboxError> {
        let mut entry = Kept::new(outcome.into(), server);
        entry.one_of_several = count > 1;
        if number > 0 {
            // The name of a file is unique; the key stays that of the outcome.
            entry.id = Uuid::new_v4();
        }
        self.hold_entry(entry).await
    }

    async fn hold_entry(self: &Arc<Self>, entry: Kept) -> Result<Sending, OutboxError> {
        file::make_folder(&self.folder)?;
        let entry = under_way(entry);
        self.make_room_for(&entry).await?;
        let claim = lock::claim(&self.folder, entry.id)?;
        self.write(&entry).await?;
        Ok(Sending {
            outbox: Arc::clone(self),
            entry,
            _claim: claim,
        })
    }
}

impl Sending {
    /// Returns the experience as it is stored in the outbox.
    pub fn kept(&self) -> &Kept {
        &self.entry
    }

    /// Replaces the text by another one, which a person confirmed for the same server and which is sent next.
    /// At any time one of the two is on disk.
    ///
    /// *Errors*: [`OutboxError::TooLarge`], [`OutboxError::File`], [`OutboxError::Seal`].
    pub async fn change(&mut self, content: impl Into<Content>) -> Result<(), OutboxError> {
        let changed = under_way(self.entry.clone().edited(content.into()));
        self.outbox.write(&changed).await?;
        self.entry = changed;
        Ok(())
    }

    /// Records why sending failed. An experience that the server rejected is not sent again without a change.
    pub async fn note(&mut self, why: &Error) {
        self.entry.note(why, why.is_refusal());
        if let Err(error) = self.outbox.write(&self.entry).await {
            tracing::warn!(%error, "cannot record in the outbox why an experience was not sent");
        }
    }

    /// Removes it from the outbox, because the server has it or the person withdrew it.
    pub fn is_over(self) {
        let removed = file::remove(&self.outbox.path(self.entry.id));
        if let Err(error) = removed {
            // If it is sent again, the server stores it only once, because of its idempotency key.
            tracing::warn!(%error, "cannot remove a finished experience from the outbox");
        }
    }
}

fn under_way(entry: Kept) -> Kept {
    let last_error = UNDER_WAY.to_owned();
    Kept {
        last_error,
        ..entry
    }
}

impl fmt::Debug for Sending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sending").field(&self.entry).finish()
    }
}
