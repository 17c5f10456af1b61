//! What the remote server offers: learnt in the background, remembered, learnt again now and then.

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
const PATIENCE: Duration = Duration::from_millis(500);
/// How old an offer may be before it is learnt again.
const MAX_AGE: Duration = Duration::from_secs(60);

/// What is known of the remote server.
pub(super) struct Offered {
    known: watch::Sender<Option<Arc<Offer>>>,
    /// When it was last asked.
    asked: Mutex<Option<Instant>>,
}

impl Default for Offered {
    fn default() -> Self {
        Self {
            known: watch::Sender::new(None),
            asked: Mutex::new(None),
        }
    }
}

impl Offered {
    /// Asks the server, unless it was asked a moment ago; says whether something is known then.
    pub(super) async fn learn(&self, client: &RecallKitClient) -> bool {
        let mut asked = self.asked.lock().await;
        let is_known = self.known.borrow().is_some();
        if is_known && asked.is_some_and(|asked| asked.elapsed() < MAX_AGE) {
            return true;
        }
        *asked = Some(Instant::now());
        match client.offer().await {
            Ok(offer) => {
                let offer = passed_on(offer, client);
                self.known.send_if_modified(|known| {
                    let is_news = known.as_deref() != Some(&offer);
                    if is_news {
                        *known = Some(Arc::new(offer));
                    }
                    is_news
                });
                true
            }
            Err(error) => {
                tracing::warn!(%error, "what the server offers is not known yet");
                is_known
            }
        }
    }

    /// Returns what is known.
    pub(super) fn now(&self) -> Option<Arc<Offer>> {
        self.known.borrow().clone()
    }

    /// Says whether it was asked long ago.
    pub(super) fn is_old(&self) -> bool {
        let asked = self.asked.try_lock();
        asked.is_ok_and(|asked| asked.is_none_or(|asked| asked.elapsed() >= MAX_AGE))
    }

    /// Tells every change from now on.
    pub(super) fn changes(&self) -> watch::Receiver<Option<Arc<Offer>>> {
        let mut changes = self.known.subscribe();
        changes.mark_unchanged();
        changes
    }

    /// Returns a tool of the remote server.
    pub(super) fn tool(&self, name: &str) -> Option<Tool> {
        let known = self.now()?;
        known.tools.iter().find(|tool| tool.name == name).cloned()
    }
}

/// Returns what is known of the server; waits a moment where nothing is yet. The attempt goes on
/// after that: a local server that is still starting would be killed with it.
pub(super) async fn soon(agent: &Arc<Agent>) -> Option<Arc<Offer>> {
    if let Some(known) = agent.offered.now() {
        return Some(known);
    }
    let mut news = agent.offered.known.subscribe();
    let is_idle = agent.offered.asked.try_lock().is_ok();
    if is_idle {
        let learner = Arc::clone(agent);
        let learning = tokio::spawn(async move {
            let learning = learner.offered.learn(learner.client());
            learner.gone.run_until_cancelled(learning).await;
        });
        let _ = tokio::time::timeout(PATIENCE, learning).await;
    } else {
        let learnt = news.wait_for(Option::is_some);
        let _ = tokio::time::timeout(PATIENCE, learnt).await;
    }
    agent.offered.now()
}

/// Says whether a remote tool is passed on: one of RecallKit's own, or one that the user's settings name.
/// A server could give any other tool a name and a purpose that deceive the agent. Tools that this
/// program offers itself are not passed on.
pub(super) fn is_passed_on(name: &str, settings: &ClientConfig) -> bool {
    let is_own = [tools::QUERY, tools::SHARE, tools::CONFIRM].contains(&name);
    let is_known = name.parse::<ToolName>().is_ok() || settings.tools.iter().any(|it| it == name);
    is_known && !is_own && name != ToolName::SubmitExperience.as_str()
}

/// Returns what is passed on of an offer: each name once, each description marked as the server's.
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

/// Says whose words a description is.
pub(super) fn marked(description: Option<&str>, server: &str) -> String {
    match description {
        Some(text) => format!("From {server}: {text}"),
        None => format!("From {server}"),
    }
}

/// Returns what the settings call a server, else its URL.
pub(super) fn server_name(client: &RecallKitClient) -> String {
    match client.name() {
        Some(name) => name.to_owned(),
        None => client.server_url().to_string(),
    }
}
