//! The new submissions whose vectors are being computed, so that the backfill does not compute them as well.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use uuid::Uuid;

/// How many submissions are embedded at once; further ones are left to the backfill.
const AT_ONCE: usize = 64;

/// The submissions whose vectors are being computed.
#[derive(Default)]
pub(crate) struct FreshVectors(Mutex<HashSet<Uuid>>);

impl FreshVectors {
    /// Returns the number of submissions.
    pub(crate) fn len(&self) -> usize {
        self.ids().len()
    }

    /// Whether the vectors of a record are being computed, so that the backfill can skip it.
    pub(crate) fn are_coming(&self, id: Uuid) -> bool {
        self.ids().contains(&id)
    }

    /// Adds a submission, until the returned guard is dropped; `None` if there are too many.
    pub(crate) fn begin(self: &Arc<Self>, id: Uuid) -> Option<Computing> {
        let mut ids = self.ids();
        if ids.len() >= AT_ONCE {
            return None;
        }
        ids.insert(id);
        let fresh = Arc::clone(self);
        Some(Computing { fresh, id })
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<Uuid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A submission whose vectors are being computed.
pub(crate) struct Computing {
    fresh: Arc<FreshVectors>,
    id: Uuid,
}

impl Drop for Computing {
    fn drop(&mut self) {
        self.fresh.ids().remove(&self.id);
    }
}
