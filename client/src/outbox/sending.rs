//! An experience that lies in the outbox while it is sent for the first time, so that no end of the
//! program loses it. Nobody else sends it meanwhile: who does holds a lock that ends with him.

use uuid::Uuid;

use super::{Kept, Outbox, OutboxError, file, lock};
use crate::{Confirmed, Error, ServerUrl};

/// What is listed as the last error until there is one.
const UNDER_WAY: &str = "it is being sent, or the program ended while it was";

/// An experience on its way. Dropped, it waits in the outbox.
pub struct Sending<'a> {
    outbox: &'a Outbox,
    kept: Kept,
    // Given up after the file has its last state.
    _claim: lock::Claim,
}

impl Outbox {
    /// Puts an experience on disk that is about to be sent to `server`.
    ///
    /// *Errors*: those of [`Outbox::keep`].
    pub async fn hold(
        &self,
        experience: Confirmed,
        server: &ServerUrl,
    ) -> Result<Sending<'_>, OutboxError> {
        file::make_folder(&self.folder)?;
        let mut kept = Kept::new(experience, server);
        UNDER_WAY.clone_into(&mut kept.last_error);
        self.has_room_for(kept.id)?;
        let claim = lock::claim(&self.folder, kept.id)?;
        self.write(&kept).await?;
        Ok(Sending {
            outbox: self,
            kept,
            _claim: claim,
        })
    }
}

impl Sending<'_> {
    /// Returns its name in the outbox.
    pub fn id(&self) -> Uuid {
        self.kept.id
    }

    /// Removes it from the outbox: the server has it, or does not want it.
    pub fn is_over(self) {
        let removed = file::remove(&self.outbox.path(self.kept.id));
        if let Err(error) = removed {
            // Sent again, it is stored once: it has its key.
            tracing::warn!(%error, "what was sent could not be taken out of the outbox");
        }
    }

    /// Leaves it in the outbox, with the reason why it could not be sent.
    pub async fn keep(mut self, why: &Error) -> Kept {
        self.kept.last_error.clear();
        self.kept.note(why, false);
        if let Err(error) = self.outbox.write(&self.kept).await {
            tracing::warn!(%error, "the outbox does not say why it waits");
        }
        self.kept.clone()
    }
}

impl std::fmt::Debug for Sending<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Sending").field(&self.kept).finish()
    }
}
