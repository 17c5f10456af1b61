//! Telling clients that a list changed: those that subscribed, and those with a session.

use rmcp::{
    ErrorData, RoleServer,
    service::{Peer, SubscriptionContext},
};
use tokio::sync::broadcast;

/// Which list changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

impl Change {
    /// Returns what a tool reports; `None` when the tool reports no change.
    pub(crate) fn of_tool(name: &str) -> Option<Self> {
        match name {
            "test_trigger_tool_change" => Some(Self::Tools),
            "test_trigger_prompt_change" => Some(Self::Prompts),
            _ => None,
        }
    }
}

/// Tells a subscription of every change that it asked for, until the client ends it.
pub(crate) async fn tell_subscription(
    subscription: &SubscriptionContext,
    mut changes: broadcast::Receiver<Change>,
) -> Result<(), ErrorData> {
    let sink = subscription.sink();
    loop {
        let change = tokio::select! {
            () = subscription.cancelled() => return Ok(()),
            change = changes.recv() => change,
        };
        // What the filter left out, the sink refuses; a client that went away ends the loop above.
        match change {
            Ok(Change::Tools) => drop(sink.notify_tool_list_changed().await),
            Ok(Change::Prompts) => drop(sink.notify_prompt_list_changed().await),
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return Ok(()),
        }
    }
}

/// Tells the client of a session of every change, until it goes away.
pub(crate) async fn tell_session(peer: Peer<RoleServer>, mut changes: broadcast::Receiver<Change>) {
    while !peer.is_transport_closed() {
        let told = match changes.recv().await {
            Ok(Change::Tools) => peer.notify_tool_list_changed().await,
            Ok(Change::Prompts) => peer.notify_prompt_list_changed().await,
            Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        if told.is_err() {
            return;
        }
    }
}
