//! Reports what was seen to come of records, and the episodes that ended. A report holds ids, counts, words of fixed lists,
//! and the versions of public packages that the failure was about, no text. An outcome is in the outbox until the server has
//! it; an episode that cannot be sent is lost.

use std::sync::Arc;

use futures::future::join_all;
use recall_kit_client::{
    Outbox, Servers,
    episodes::ReportEpisodeRequest,
    outcomes::{Evidence, ReportOutcomeRequest},
};

use super::adoption::Seen;

/// What is to be reported, and to whom.
#[derive(Default)]
pub(super) struct Reports {
    pub(super) seen: Vec<Seen>,
    pub(super) episodes: Vec<ReportEpisodeRequest>,
    /// `None` if the settings want no reports.
    pub(super) servers: Option<Servers>,
}

impl Reports {
    /// Sends the reports, the outcomes first, then all episodes at once.
    pub(super) async fn send(self) {
        let Some(servers) = self.servers else { return };
        if !self.seen.is_empty() {
            send_outcomes(&servers, self.seen).await;
        }
        let sent = self.episodes.iter().map(async |episode| {
            if let Err(error) = servers.chosen().report_episode(episode).await {
                tracing::debug!(%error, "an episode was not reported");
            }
        });
        join_all(sent).await;
    }
}

/// Sends outcomes. One that cannot be sent now waits in the outbox; one that every server rejects is dropped.
async fn send_outcomes(servers: &Servers, seen: Vec<Seen>) {
    let outbox = Outbox::of_user().ok().map(Arc::new);
    // All of them are stored before the first is sent, which may take all the time that is left.
    let mut stored = Vec::new();
    for seen in seen {
        let Ok(candidates) = servers.candidates(seen.server.as_deref()) else {
            continue;
        };
        let first = candidates.first().copied().unwrap_or(servers.chosen());
        let request = ReportOutcomeRequest {
            experience_id: seen.id,
            outcome: seen.outcome,
            note: None,
            recall_id: seen.recall_id,
        };
        let outcome = first.prepare_outcome(request, Evidence::Observed);
        let outcome = outcome.with_environment(seen.environment);
        stored.push(
            servers
                .hold_outcome(outbox.as_ref(), &candidates, outcome)
                .await,
        );
    }
    for mut held in stored {
        if let Err(error) = held.report().await {
            tracing::debug!(%error, "an observed outcome was not reported");
        }
    }
}
