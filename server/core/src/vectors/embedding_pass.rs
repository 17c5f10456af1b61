//! One pass over records that lack a vector. A record that the model rejects is skipped, so that it does
//! not block later ones; a pass ends early only if the model does not answer at all.

use std::collections::HashSet;

use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_telemetry::chain;
use uuid::Uuid;

use super::fresh_vectors::FreshVectors;

/// The most rejected records that are remembered; further ones are not logged.
const MAX_REMEMBERED: usize = 10_000;

/// The records that the model rejected in earlier passes; each is logged once.
#[derive(Debug, Default)]
pub struct Refusals(HashSet<Uuid>);

impl Refusals {
    /// Logs a rejected record unless it was logged before.
    fn report(&mut self, kind: &'static str, id: Uuid, error: &EmbedError) {
        if self.0.len() < MAX_REMEMBERED && self.0.insert(id) {
            tracing::warn!(
                record.kind = kind,
                record.id = %id,
                error = chain(error),
                "the model rejected a record, which stays without a vector for now; every pass tries it again"
            );
        }
    }

    fn forget(&mut self, id: Uuid) {
        self.0.remove(&id);
    }
}

/// A running pass.
pub(crate) struct Pass<'a> {
    pub(crate) embedder: &'a dyn Embedder,
    refusals: &'a mut Refusals,
    fresh: Option<&'a FreshVectors>,
    failure: Option<EmbedError>,
    is_over: bool,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(embedder: &'a dyn Embedder, refusals: &'a mut Refusals) -> Self {
        Self {
            embedder,
            refusals,
            fresh: None,
            failure: None,
            is_over: false,
        }
    }

    /// Makes the pass skip records whose vectors are already being computed.
    pub(crate) fn passing_over(self, fresh: &'a FreshVectors) -> Self {
        Self {
            fresh: Some(fresh),
            ..self
        }
    }

    /// Whether the pass skips a record.
    pub(crate) fn passes_over(&self, id: Uuid) -> bool {
        self.fresh.is_some_and(|fresh| fresh.are_coming(id))
    }

    /// Whether the pass is over because the model does not answer.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the model's last error, if any.
    pub(crate) fn into_failure(self) -> Option<EmbedError> {
        self.failure
    }

    /// Returns the embedded part of a batch and logs the rest. If nothing was embedded, it checks
    /// whether the model is ready; if not, the pass is over.
    pub(crate) async fn embedded<Id: Copy + Into<Uuid>, V>(
        &mut self,
        kind: &'static str,
        batch: Vec<(Id, Result<V, EmbedError>)>,
    ) -> Vec<(Id, V)> {
        let mut embedded = Vec::with_capacity(batch.len());
        let mut failed = Vec::new();
        for (id, result) in batch {
            match result {
                Ok(vector) => {
                    self.refusals.forget(id.into());
                    embedded.push((id, vector));
                }
                Err(error) => failed.push((id.into(), error)),
            }
        }
        // A batch of rejected records looks like an unavailable model; a probe tells them apart.
        if embedded.is_empty()
            && !failed.is_empty()
            && let Err(error) = self.embedder.ready().await
        {
            tracing::warn!(
                error = chain(&error),
                "the model does not answer; records without a vector wait for the next pass"
            );
            self.failure = Some(error);
            self.is_over = true;
            return embedded;
        }
        for (id, error) in failed {
            self.refusals.report(kind, id, &error);
            self.failure = Some(error);
        }
        embedded
    }
}
