//! Sends what was confirmed, which lies in the outbox until the server has it. Once there is
//! consent, no host that goes away and no call that is given up stops it.

use std::sync::Arc;

use recall_kit_client::{Confirmed, Error};
use recall_kit_shared_types::SubmitExperienceData;

use super::agent::Agent;
use crate::commands::outbox::Held;

/// What came of a confirmed experience.
#[derive(Debug)]
pub(super) enum Delivered {
    /// The server has it.
    Stored(SubmitExperienceData),
    /// The server did not take it; what lies in the outbox for it.
    NotStored(Error, Box<Held>),
    /// Sending broke down; what lay in the outbox still does.
    Broken(Error),
}

/// Sends an experience, in the place of what is `held`, with the protocol's retries.
pub(super) async fn deliver(agent: &Arc<Agent>, experience: Confirmed, held: Held) -> Delivered {
    let sending = agent.sends.spawn(send(Arc::clone(agent), experience, held));
    match sending.await {
        Ok(delivered) => delivered,
        Err(error) => Delivered::Broken(Error::Answer {
            server: agent.client().server_url().to_string(),
            reason: format!("sending broke down: {error}"),
        }),
    }
}

async fn send(agent: Arc<Agent>, experience: Confirmed, mut held: Held) -> Delivered {
    let server = agent.client().server_url();
    // Before the first attempt: hosts kill who does not end in time.
    held.put(&experience, server).await;
    let sending = agent.client().submit_experience(&experience);
    let error = match agent.closing.run_until_cancelled(sending).await {
        Some(Ok(data)) => {
            held.over();
            agent.server_answered();
            return Delivered::Stored(data);
        }
        Some(Err(error)) => error,
        None => Error::Network {
            server: server.to_string(),
            reason: "the program ended before there was an answer".to_owned(),
            attempts: 1,
            unsent: false,
        },
    };
    held.note(&error).await;
    Delivered::NotStored(error, Box::new(held))
}
