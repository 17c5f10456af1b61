//! An outcome on its way: it is in the outbox for each server that may have its experience, until one has taken it or
//! none of them ever will.
//!
//! Several servers may be asked, and only one has the experience. One that does not have it says nothing about the
//! others, so the outcome goes on waiting for those that were away.

use std::sync::Arc;

use recall_kit_shared_types::{ErrorCode, outcomes::ReportOutcomeData};

use super::PreparedOutcome;
use crate::{Error, Kept, Outbox, OutboxError, RecallKitClient, Sending, Servers};

/// An outcome that is being reported. If this is dropped, the outcome waits in the outbox.
#[derive(Debug)]
pub struct HeldOutcome<'a> {
    outcome: PreparedOutcome,
    places: Vec<Place<'a>>,
    missing: Option<OutboxError>,
}

/// A server that may have the experience, with the entry of the outbox for it.
#[derive(Debug)]
struct Place<'a> {
    client: &'a RecallKitClient,
    entry: Option<Sending>,
}

impl Servers {
    /// Stores an outcome on disk that is about to be reported to one of these servers. Without an outbox, or without
    /// room in it, it can be reported all the same; see [`HeldOutcome::missing`].
    pub async fn hold_outcome<'a>(
        &self,
        outbox: Option<&Arc<Outbox>>,
        candidates: &[&'a RecallKitClient],
        outcome: PreparedOutcome,
    ) -> HeldOutcome<'a> {
        let mut held = HeldOutcome {
            outcome,
            places: Vec::new(),
            missing: None,
        };
        let count = candidates.len();
        for (number, client) in candidates.iter().enumerate() {
            let entry = match outbox {
                Some(outbox) => {
                    let outcome = held.outcome.clone();
                    let url = client.server_url();
                    outbox.hold_one_of(outcome, url, number, count).await
                }
                None => Err(OutboxError::NoFolder),
            };
            let entry = match entry {
                Ok(entry) => Some(entry),
                Err(error) => {
                    held.missing.get_or_insert(error);
                    None
                }
            };
            held.places.push(Place { client, entry });
        }
        held
    }
}

impl HeldOutcome<'_> {
    /// Returns why it is not in the outbox for one of the servers; the second time `None`.
    pub fn missing(&mut self) -> Option<OutboxError> {
        self.missing.take()
    }

    /// Returns its first entry in the outbox; `None` if it does not wait there.
    pub fn kept(&self) -> Option<&Kept> {
        let mut entries = self.places.iter().filter_map(|place| place.entry.as_ref());
        entries.next().map(Sending::kept)
    }

    /// Reports the outcome to the first server that has its experience. It goes on waiting for servers that were away,
    /// unless another one has taken it. A server that rejects it, or has no outcomes, is not asked again.
    ///
    /// *Errors*: that of the first server that was away; if none was, that of the first server.
    pub async fn report(&mut self) -> Result<ReportOutcomeData, Error> {
        let mut away = None;
        let mut rejected = None;
        for place in &mut self.places {
            let error = match place.client.report_outcome(&self.outcome).await {
                Ok(data) => {
                    let places = self.places.iter_mut();
                    let entries = places.filter_map(|place| place.entry.take());
                    entries.for_each(Sending::is_over);
                    return Ok(data);
                }
                Err(error) => error,
            };
            if is_final(&error) {
                if let Some(entry) = place.entry.take() {
                    entry.is_over();
                }
                rejected.get_or_insert(error);
                continue;
            }
            if let Some(entry) = &mut place.entry {
                entry.note(&error).await;
            }
            away.get_or_insert(error);
        }
        let error = away.or(rejected);
        Err(error.unwrap_or_else(|| Error::UnknownServer {
            name: String::new(),
            known: Vec::new(),
        }))
    }
}

/// Returns whether the server would answer the same later.
pub(crate) fn is_final(error: &Error) -> bool {
    error.is_refusal() || is_elsewhere(error)
}

/// Returns whether the error only says that another server may take the outcome.
pub(crate) fn is_elsewhere(error: &Error) -> bool {
    match error {
        Error::Validation(body) => body.code == ErrorCode::NotFound,
        error => matches!(error, Error::ToolMissing { .. }),
    }
}
