//! Sends a confirmed experience, which is in the outbox until the server has it. After the consent, neither a host that
//! goes away nor a cancelled call stops it.

use std::sync::Arc;

use recall_kit_client::{Confirmed, Error};
use recall_kit_shared_types::SubmitExperienceData;

use super::agent::Agent;
use crate::commands::outbox::OutboxEntry;

/// The result of sending a confirmed experience.
#[derive(Debug)]
pub(super) enum Delivered {
    /// The server has it.
    Stored(SubmitExperienceData),
    /// The server does not have it; contains its outbox entry.
    NotStored(Error, Box<OutboxEntry>),
    /// The sending task failed; what was in the outbox still is.
    TaskFailed(Error),
}

/// Sends an experience with retries. It replaces the content of `entry`.
pub(super) async fn deliver(
    agent: &Arc<Agent>,
    experience: Confirmed,
    entry: OutboxEntry,
) -> Delivered {
    let sending = agent
        .sends
        .spawn(send(Arc::clone(agent), experience, entry));
    match sending.await {
        Ok(delivered) => delivered,
        Err(error) => Delivered::TaskFailed(Error::Answer {
            server: agent.client().server_url().to_string(),
            reason: format!("the sending task failed: {error}"),
        }),
    }
}

async fn send(agent: Arc<Agent>, experience: Confirmed, mut entry: OutboxEntry) -> Delivered {
    let server = agent.client().server_url();
    // It is stored before the first attempt, because hosts kill a program that does not end in time.
    entry.store(experience.clone(), server).await;
    let sending = agent.client().submit_experience(&experience);
    let error = match agent.closing.run_until_cancelled(sending).await {
        Some(Ok(data)) => {
            entry.remove();
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
    entry.note(&error).await;
    Delivered::NotStored(error, Box::new(entry))
}
