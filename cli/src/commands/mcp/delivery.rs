//! Sends what was confirmed, which lies in the outbox until the server has it. Once there is consent, no host that goes away
//! and no call that is given up stops it.

use std::sync::Arc;

use recall_kit_client::{Confirmed, Error, Kept, Outbox, OutboxError};
use recall_kit_shared_types::SubmitExperienceData;

use super::agent::Agent;

/// What came of a confirmed experience.
#[derive(Debug)]
pub(super) enum Delivered {
    /// The server has it.
    Stored(SubmitExperienceData),
    /// The server is away: it waits in the outbox.
    Kept(Box<Kept>, Error),
    /// The server is away, and it could not be kept either.
    Lost(OutboxError, Error),
    /// The server did not take it.
    Failed(Error),
}

/// Sends an experience, with the protocol's retries.
pub(super) async fn deliver(agent: &Arc<Agent>, experience: Confirmed) -> Delivered {
    let sending = agent.sends.spawn(send(Arc::clone(agent), experience));
    match sending.await {
        Ok(delivered) => delivered,
        Err(error) => Delivered::Failed(Error::Answer {
            server: agent.client().server_url().to_string(),
            reason: format!("sending broke down: {error}"),
        }),
    }
}

async fn send(agent: Arc<Agent>, experience: Confirmed) -> Delivered {
    let server = agent.client().server_url();
    // Before the first attempt: hosts kill who does not end in time.
    let held = match &agent.outbox {
        Some(outbox) => Some(outbox.hold(experience.clone(), server).await),
        None => None,
    };
    let sending = agent.client().submit_experience(&experience);
    let error = match agent.closing.run_until_cancelled(sending).await {
        Some(Ok(data)) => {
            if let Some(Ok(held)) = held {
                held.is_over();
            }
            agent.server_answered();
            return Delivered::Stored(data);
        }
        Some(Err(error)) => error,
        None => Error::Network {
            server: server.to_string(),
            reason: "the program ended before there was an answer".to_owned(),
            attempts: 1,
        },
    };
    match held {
        Some(Ok(held)) if Outbox::is_for(&error) => {
            Delivered::Kept(Box::new(held.keep(&error).await), error)
        }
        Some(Err(cause)) if Outbox::is_for(&error) => Delivered::Lost(cause, error),
        Some(Ok(held)) => {
            held.is_over();
            Delivered::Failed(error)
        }
        _ => Delivered::Failed(error),
    }
}
