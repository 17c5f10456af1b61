//! Computes the vectors of new submissions.
//!
//! A submission is acknowledged when it is stored, and found by its words from then on. Its vectors are
//! computed right after that, in the flow of its author. What fails here is left to the backfill.

use std::sync::Arc;

use recall_kit_fair_queue::flow;
use recall_kit_store::{ExperienceContent, ExperienceVector};
use recall_kit_telemetry::chain;
use uuid::Uuid;

use super::Experiences;
use crate::{
    detached, indexing,
    vectors::{fresh_vectors::Computing, stored_vectors, warn},
};

/// The version of an unchanged record.
const FIRST_VERSION: u64 = 1;

/// A promise to compute the vectors of a submission.
pub(super) struct Promise {
    experiences: Arc<Experiences>,
    id: Uuid,
    computing: Computing,
}

impl Promise {
    /// Promises the vectors of a record that is about to be stored; `None` if they are left to the
    /// backfill.
    pub(super) fn new(experiences: &Arc<Experiences>, id: Uuid) -> Option<Self> {
        let embedding = &experiences.embedding;
        embedding.model_in_use()?;
        Some(Self {
            computing: embedding.fresh.begin(id)?,
            experiences: Arc::clone(experiences),
            id,
        })
    }

    /// Computes the vectors of the record, which is stored by now, in a background task.
    pub(super) fn keep(self, content: ExperienceContent) {
        let flow = flow::current();
        let making = async move {
            let is_done = self.store(&content).await;
            let Self {
                experiences,
                computing,
                ..
            } = self;
            drop(computing);
            if !is_done {
                experiences.embedding.request_backfill();
            }
        };
        drop(tokio::spawn(detached::of_request(flow::scope(
            flow, making,
        ))));
    }

    /// Computes and stores the vectors; returns `false` if the backfill has to do it.
    async fn store(&self, content: &ExperienceContent) -> bool {
        let experiences = &self.experiences;
        let Some(embedder) = experiences.embedding.model_in_use() else {
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
        let model = embedder.model();
        match experiences.store.put_vectors(model, &[new]).await {
            Ok(stored) => {
                indexing::catch_up_soon(&experiences.records);
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
