//! Notifies clients that a list changed: clients with a subscription, and clients with a session.

use rmcp::{
    ErrorData, RoleServer,
    service::{Peer, SubscriptionContext},
};
use tokio::sync::broadcast;

/// The list that changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

impl Change {
    /// Returns the change that a tool triggers; `None` if it triggers none.
    pub(crate) fn of_tool(name: &str) -> Option<Self> {
        match name {
            "test_trigger_tool_change" => Some(Self::Tools),
            "test_trigger_prompt_change" => Some(Self::Prompts),
            _ => None,
        }
    }
}

/// Notifies a subscription of the changes that it asked for, until the client ends it.
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
        // The sink refuses notifications that the filter leaves out; a client that disconnected ends the loop
        // above.
        match change {
            Ok(Change::Tools) => drop(sink.notify_tool_list_changed().await),
            Ok(Change::Prompts) => drop(sink.notify_prompt_list_changed().await),
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return Ok(()),
        }
    }
}

/// Notifies the client of a session of every change, until it disconnects.
pub(crate) async fn tell_session(peer: Peer<RoleServer>, mut changes: broadcast::Receiver<Change>) {
    while !peer.is_transport_closed() {
        let sent = match changes.recv().await {
            Ok(Change::Tools) => peer.notify_tool_list_changed().await,
            Ok(Change::Prompts) => peer.notify_prompt_list_changed().await,
            Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        if sent.is_err() {
            return;
        }
    }
}
