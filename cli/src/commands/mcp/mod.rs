//! `mcp`: the MCP server that agents start, over standard input and output.
//!
//! Text is sanitized here, before it leaves the machine, and the user is asked here. The remote server's tools besides
//! experiences, its prompts and its resources are passed through.

mod agent;
mod answers;
mod arguments;
mod asking;
mod delivery;
mod dialogue;
mod drafts;
mod handler;
mod offer;
mod pass_through;
mod share;
mod streams;
#[cfg(test)]
mod tests;
mod tools;

use std::{sync::Arc, time::Duration};

use anyhow::anyhow;
use rmcp::{ServiceExt as _, service::ServerInitializeError, transport::stdio_pipes};

use super::close_all;
use crate::{
    args::{GlobalArgs, McpArgs},
    terminal::{interrupt::or_stopped, printer::Printer},
};
use agent::Agent;
use handler::Handler;
use streams::Watched;

/// How long sending may continue after the host has gone; what is not sent by then stays in the outbox.
const FINISH_TIMEOUT: Duration = Duration::from_secs(3);

/// Serves the host until it closes the connection or a signal is received.
pub(crate) async fn run(
    global: &GlobalArgs,
    args: &McpArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let agent = Arc::new(Agent::new(global, args.profile.map(Into::into), printer)?);
    agent.start();
    let (input, output) = stdio_pipes();
    let input = Watched::new(input, agent.gone.clone());
    let handler = Handler::new(Arc::clone(&agent));
    let serving = async {
        match handler.serve((input, output)).await {
            Ok(running) => running
                .waiting()
                .await
                .map(drop)
                .map_err(|error| anyhow!(error)),
            // The host closed the connection without sending anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            // The host's message is not quoted, because it may contain anything.
            Err(_) => Err(anyhow!("the host did not begin with the MCP handshake")),
        }
    };
    let served = or_stopped(serving, "").await;
    agent.gone.cancel();
    agent.finish(FINISH_TIMEOUT).await;
    close_all(&agent.servers).await;
    match served {
        Ok(served) => served,
        // Hosts also end the program with a signal, so that is not an error.
        Err(_) => Ok(()),
    }
}
