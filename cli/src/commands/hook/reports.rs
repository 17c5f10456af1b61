//! Reports what was seen to come of records. A report holds ids and an outcome, no text. It is in the outbox until the server
//! has it.

use std::sync::Arc;

use recall_kit_client::{
    Error, Outbox, Servers,
    outcomes::{Evidence, ReportOutcomeRequest},
};

use super::adoption::Seen;
use crate::commands::outbox::OutboxEntry;

/// Sends reports. One that cannot be sent now waits in the outbox; one that the server rejects is dropped.
pub(super) async fn send(servers: &Servers, seen: Vec<Seen>) {
    let outbox = Outbox::of_user().ok().map(Arc::new);
    for one in seen {
        let Ok(candidates) = servers.candidates(one.server.as_deref()) else {
            continue;
        };
        let first = candidates.first().copied().unwrap_or(servers.chosen());
        let request = ReportOutcomeRequest {
            experience_id: one.id,
            outcome: one.outcome,
            note: None,
            recall_id: one.recall_id,
        };
        let outcome = first.prepare_outcome(request, Evidence::Observed);
        let mut entry = OutboxEntry::empty_in(outbox.clone());
        entry.store(outcome.clone(), first.server_url()).await;
        match servers.report_outcome(&candidates, &outcome).await {
            Ok(_) => entry.remove(),
            Err(error) if error.is_refusal() || matches!(error, Error::ToolMissing { .. }) => {
                entry.remove();
            }
            Err(error) => entry.note(&error).await,
        }
    }
}
