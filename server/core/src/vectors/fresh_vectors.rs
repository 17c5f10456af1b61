//! Computes the vectors of new submissions.
//!
//! A submission is acknowledged when it is stored, and found by its words from then on. Its vectors are
//! computed right after that, in the flow of its author. What fails here is left to the backfill.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use recall_kit_fair_queue::flow;
use recall_kit_store::{ExperienceContent, ExperienceVector};
use recall_kit_telemetry::chain;
use uuid::Uuid;

use crate::{
    app::App,
    detached,
    indexing::{self, family::Family},
    vectors::{model_in_use, stored_vectors, warn},
};

/// How many submissions are embedded at once; further ones are left to the backfill.
const AT_ONCE: usize = 64;
/// The version of an unchanged record.
const FIRST_VERSION: u64 = 1;

/// The submissions whose vectors are being computed.
#[derive(Default)]
pub struct FreshVectors(Mutex<HashSet<Uuid>>);

impl FreshVectors {
    /// Returns the number of submissions.
    pub(crate) fn len(&self) -> usize {
        self.ids().len()
    }

    /// Whether the vectors of a record are being computed, so that the backfill can skip it.
    pub(crate) fn are_coming(&self, id: Uuid) -> bool {
        self.ids().contains(&id)
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<Uuid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A promise to compute the vectors of a submission.
pub(crate) struct Promise {
    app: Arc<App>,
    id: Uuid,
}

impl Promise {
    /// Promises the vectors of a record that is about to be stored; `None` if they are left to the
    /// backfill.
    pub(crate) fn new(app: &Arc<App>, id: Uuid) -> Option<Self> {
        model_in_use(app)?;
        let mut ids = app.fresh_vectors.ids();
        if ids.len() >= AT_ONCE {
            return None;
        }
        ids.insert(id);
        drop(ids);
        let app = Arc::clone(app);
        Some(Self { app, id })
    }

    /// Computes the vectors of the record, which is stored by now, in a background task.
    pub(crate) fn keep(self, content: ExperienceContent) {
        let flow = flow::current();
        let making = async move {
            if !self.store(&content).await {
                let app = Arc::clone(&self.app);
                drop(self);
                app.vectors_missing.notify_one();
            }
        };
        drop(tokio::spawn(detached::of_request(flow::scope(
            flow, making,
        ))));
    }

    /// Computes and stores the vectors; returns `false` if the backfill has to do it.
    async fn store(&self, content: &ExperienceContent) -> bool {
        let Some(embedder) = model_in_use(&self.app) else {
            return true;
        };
        let vector = match stored_vectors(embedder.as_ref(), content).await {
            Ok(vector) => vector,
            Err(error) => {
                warn(&error, "the record gets its vectors later");
                return false;
            }
        };
        let new = ExperienceVector {
            id: self.id,
            version: FIRST_VERSION,
            vector,
        };
        match self.app.store.put_vectors(embedder.model(), &[new]).await {
            Ok(stored) => {
                indexing::catch_up_soon(&self.app, Family::Experiences);
                // If the record was changed meanwhile, these vectors no longer match it and are not stored.
                stored > 0
            }
            Err(error) => {
                tracing::warn!(
                    error = chain(&error),
                    experience.id = %self.id,
                    "the vectors of a record could not be stored"
                );
                false
            }
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.app.fresh_vectors.ids().remove(&self.id);
    }
}
