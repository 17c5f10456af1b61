//! The tools, prompts and resource templates of the remote server: requested in the background, cached, and refreshed
//! from time to time.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use recall_kit_client::{ClientConfig, Offer, RecallKitClient};
use recall_kit_shared_types::ToolName;
use rmcp::model::Tool;
use tokio::sync::{Mutex, watch};

use super::{agent::Agent, tools};

/// How long a list of tools may wait for a server that has not answered yet.
const FIRST_OFFER_TIMEOUT: Duration = Duration::from_millis(500);
/// The age after which an offer is refreshed.
const MAX_AGE: Duration = Duration::from_secs(60);

/// The cached offer of the remote server.
pub(super) struct OfferCache {
    known: watch::Sender<Option<Arc<Offer>>>,
    /// The time of the last request.
    requested_at: Mutex<Option<Instant>>,
}

impl Default for OfferCache {
    fn default() -> Self {
        Self {
            known: watch::Sender::new(None),
            requested_at: Mutex::new(None),
        }
    }
}

impl OfferCache {
    /// Requests the offer, unless that was done a moment ago. Returns whether an offer is cached then.
    pub(super) async fn refresh(&self, client: &RecallKitClient) -> bool {
        let mut requested_at = self.requested_at.lock().await;
        let is_known = self.known.borrow().is_some();
        if is_known && requested_at.is_some_and(|time| time.elapsed() < MAX_AGE) {
            return true;
        }
        *requested_at = Some(Instant::now());
        match client.offer().await {
            Ok(offer) => {
                let offer = passed_on(offer, client);
                self.known.send_if_modified(|known| {
                    let is_changed = known.as_deref() != Some(&offer);
                    if is_changed {
                        *known = Some(Arc::new(offer));
                    }
                    is_changed
                });
                true
            }
            Err(error) => {
                tracing::warn!(%error, "the tools of the server are not known yet");
                is_known
            }
        }
    }

    /// Returns the cached offer.
    pub(super) fn current(&self) -> Option<Arc<Offer>> {
        self.known.borrow().clone()
    }

    /// Returns whether the offer should be refreshed.
    pub(super) fn is_stale(&self) -> bool {
        let requested_at = self.requested_at.try_lock();
        requested_at.is_ok_and(|time| time.is_none_or(|time| time.elapsed() >= MAX_AGE))
    }

    /// Returns a receiver of every change from now on.
    pub(super) fn changes(&self) -> watch::Receiver<Option<Arc<Offer>>> {
        let mut changes = self.known.subscribe();
        changes.mark_unchanged();
        changes
    }

    /// Returns a tool of the remote server.
    pub(super) fn tool(&self, name: &str) -> Option<Tool> {
        let known = self.current()?;
        known.tools.iter().find(|tool| tool.name == name).cloned()
    }
}

/// Returns the cached offer; waits a moment if there is none yet. The request continues after that, because
/// cancelling it would kill a local server that is still starting.
pub(super) async fn current_or_wait(agent: &Arc<Agent>) -> Option<Arc<Offer>> {
    if let Some(known) = agent.offer.current() {
        return Some(known);
    }
    let mut changes = agent.offer.known.subscribe();
    let is_idle = agent.offer.requested_at.try_lock().is_ok();
    if is_idle {
        let background = Arc::clone(agent);
        let refreshing = tokio::spawn(async move {
            let refreshing = background.offer.refresh(background.client());
            background.gone.run_until_cancelled(refreshing).await;
        });
        let _ = tokio::time::timeout(FIRST_OFFER_TIMEOUT, refreshing).await;
    } else {
        let available = changes.wait_for(Option::is_some);
        let _ = tokio::time::timeout(FIRST_OFFER_TIMEOUT, available).await;
    }
    agent.offer.current()
}

/// Returns whether a remote tool is passed on: one of RecallKit's own, or one that the user's settings name. A server
/// could give any other tool a name and a purpose that deceive the agent. Tools that this program offers itself are not
/// passed on.
pub(super) fn is_passed_on(name: &str, settings: &ClientConfig) -> bool {
    let is_own = [tools::QUERY, tools::SHARE, tools::CONFIRM].contains(&name);
    let is_known =
        name.parse::<ToolName>().is_ok() || settings.tools.others.iter().any(|it| it == name);
    is_known && !is_own && name != ToolName::SubmitExperience.as_str()
}

/// Returns the part of an offer that is passed on: each name once, each description marked as the server's.
fn passed_on(mut offer: Offer, client: &RecallKitClient) -> Offer {
    let (server, settings) = (&server_name(client), client.config());
    let mut seen = HashSet::new();
    let is_new = |tool: &Tool| is_passed_on(&tool.name, settings) && seen.insert(tool.name.clone());
    offer.tools.retain(is_new);
    let mut seen = HashSet::new();
    offer
        .prompts
        .retain(|prompt| seen.insert(prompt.name.clone()));
    for tool in &mut offer.tools {
        let text = marked(tool.description.as_deref(), server);
        tool.description = Some(text.into());
    }
    for prompt in &mut offer.prompts {
        prompt.description = Some(marked(prompt.description.as_deref(), server));
    }
    for template in &mut offer.templates {
        template.description = Some(marked(template.description.as_deref(), server));
    }
    offer
}

/// Marks a description as the server's.
pub(super) fn marked(description: Option<&str>, server: &str) -> String {
    match description {
        Some(text) => format!("From {server}: {text}"),
        None => format!("From {server}"),
    }
}

/// Returns the name of a server in the settings, else its URL.
pub(super) fn server_name(client: &RecallKitClient) -> String {
    match client.name() {
        Some(name) => name.to_owned(),
        None => client.server_url().to_string(),
    }
}
