//! An experience that lies in the outbox while it is sent for the first time, so that no end of the
//! program loses it. Nobody else sends it meanwhile: who does holds a lock that ends with him.

use std::{fmt, sync::Arc};

use super::{Kept, Outbox, OutboxError, file, lock};
use crate::{Confirmed, Error, ServerUrl};

/// What is listed as the last error until there is one.
const UNDER_WAY: &str = "it is being sent, or the program ended while it was";

/// An experience on its way. Dropped, it stays in the outbox.
pub struct Sending {
    outbox: Arc<Outbox>,
    kept: Kept,
    // Given up after the file has its last state.
    _claim: lock::Claim,
}

impl Outbox {
    /// Puts an experience on disk that is about to be sent to `server`.
    ///
    /// *Errors*: those of [`Outbox::keep`].
    pub async fn hold(
        self: &Arc<Self>,
        experience: Confirmed,
        server: &ServerUrl,
    ) -> Result<Sending, OutboxError> {
        file::make_folder(&self.folder)?;
        let kept = under_way(Kept::new(experience, server));
        self.has_room_for(kept.id).await?;
        let claim = lock::claim(&self.folder, kept.id)?;
        self.write(&kept).await?;
        Ok(Sending {
            outbox: Arc::clone(self),
            kept,
            _claim: claim,
        })
    }
}

impl Sending {
    /// Returns what lies in the outbox.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Puts another text in its place, which a person confirmed for the same server and which is
    /// sent next. One of both is on disk at any time.
    ///
    /// *Errors*: [`OutboxError::TooLarge`], [`OutboxError::File`], [`OutboxError::Seal`].
    pub async fn change(&mut self, experience: Confirmed) -> Result<(), OutboxError> {
        let changed = under_way(self.kept.clone().edited(experience));
        self.outbox.write(&changed).await?;
        self.kept = changed;
        Ok(())
    }

    /// Notes why the server does not have it; what it refused is not sent again as it is.
    pub async fn note(&mut self, why: &Error) {
        self.kept.note(why, why.is_refusal());
        if let Err(error) = self.outbox.write(&self.kept).await {
            tracing::warn!(%error, "the outbox does not say why it waits");
        }
    }

    /// Removes it from the outbox: the server has it, or the person took it back.
    pub fn is_over(self) {
        let removed = file::remove(&self.outbox.path(self.kept.id));
        if let Err(error) = removed {
            // Sent again, it is stored once: it has its key.
            tracing::warn!(%error, "what was sent could not be taken out of the outbox");
        }
    }
}

fn under_way(kept: Kept) -> Kept {
    let last_error = UNDER_WAY.to_owned();
    Kept { last_error, ..kept }
}

impl fmt::Debug for Sending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sending").field(&self.kept).finish()
    }
}
