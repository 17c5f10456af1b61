//! One pass over records that lack a vector. What the model refuses is passed over, so that it keeps
//! no later record waiting; a pass ends early only when the model does not answer at all.

use std::collections::HashSet;

use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_telemetry::chain;
use uuid::Uuid;

use super::fresh_vectors::FreshVectors;

/// Refused records that are remembered; more are not named in the log.
const REMEMBERED: usize = 10_000;

/// The records that the model refused in earlier passes: the log names each of them once.
#[derive(Debug, Default)]
pub struct Refusals(HashSet<Uuid>);

impl Refusals {
    /// Names a record in the log unless it was named before.
    fn report(&mut self, kind: &'static str, id: Uuid, error: &EmbedError) {
        if self.0.len() < REMEMBERED && self.0.insert(id) {
            tracing::warn!(
                record.kind = kind,
                record.id = %id,
                error = chain(error),
                "the model refused a record, which stays without a vector for now; every pass tries it again"
            );
        }
    }

    fn forget(&mut self, id: Uuid) {
        self.0.remove(&id);
    }
}

/// A pass that has begun.
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

    /// Passes over records whose vectors are on their way.
    pub(crate) fn passing_over(self, fresh: &'a FreshVectors) -> Self {
        Self {
            fresh: Some(fresh),
            ..self
        }
    }

    /// Whether a record is not this pass's to embed.
    pub(crate) fn passes_over(&self, id: Uuid) -> bool {
        self.fresh.is_some_and(|fresh| fresh.are_coming(id))
    }

    /// Whether the model did not answer: no later record would fare better.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns what the model said last where it failed.
    pub(crate) fn into_failure(self) -> Option<EmbedError> {
        self.failure
    }

    /// Returns the embedded part of a batch and reports the rest. If nothing was embedded, it asks
    /// the model whether it is ready; if not, the pass is over.
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
        // Refused records look like a model that is away, until it is asked for something harmless.
        if embedded.is_empty()
            && !failed.is_empty()
            && let Err(error) = self.embedder.ready().await
        {
            tracing::warn!(
                error = chain(&error),
                "the model does not answer; what has no vector waits for the next pass"
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
