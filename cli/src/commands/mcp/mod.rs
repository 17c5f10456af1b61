//! `mcp`: the MCP server that agents start beside themselves, over standard input and output.
//!
//! Text is sanitized here, before it leaves the machine, and the user is asked here. What the
//! remote server offers besides experiences is passed through.

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
mod questions;
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
    args::GlobalArgs,
    terminal::{interrupt::or_stopped, printer::Printer},
};
use agent::Agent;
use handler::Handler;
use streams::Watched;

/// How long what was confirmed may still take to be sent once the host has gone; what takes longer
/// goes to the outbox.
const LAST_SENDS: Duration = Duration::from_secs(3);

/// Serves the host until it goes or a signal comes.
pub(crate) async fn run(global: &GlobalArgs, printer: &Printer) -> anyhow::Result<()> {
    let agent = Arc::new(Agent::new(global, printer)?);
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
            // The host left before it said anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            // What it said is not repeated: it may hold anything.
            Err(_) => Err(anyhow!("the host did not begin with MCP's handshake")),
        }
    };
    let served = or_stopped(serving, "").await;
    agent.gone.cancel();
    agent.finish(LAST_SENDS).await;
    close_all(&agent.servers).await;
    match served {
        Ok(served) => served,
        // Ending it is how hosts say goodbye too.
        Err(_) => Ok(()),
    }
}
