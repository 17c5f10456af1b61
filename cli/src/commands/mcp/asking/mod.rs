//! Passes questions to the user in the way that the host supports: as a request while the call runs (elicitation), as
//! a result that asks for input (2026-07-28), or as a draft that the agent shows.

#![expect(
    deprecated,
    reason = "hosts of versions before 2026-07-28 provide their model with sampling"
)]

pub(super) mod questions;

use std::sync::Arc;

use recall_kit_client::SampleError;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResponse, CallToolResult, ErrorCode, InputRequests, InputRequiredResult,
        InputResponses, ProgressNotificationParam, ProtocolVersion,
    },
    service::{RequestContext, ServiceError},
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use self::questions::McpQuestion;
use super::{
    agent::Agent,
    answers,
    dialogue::{Ask, Message, Refusal, Reply, Sharing, Step},
    drafts::{Answerer, Waiting},
};

/// The key of the only request in a result that asks for input.
const INPUT: &str = "input";
/// The number of steps of a sharing, for progress notifications.
const STEPS: f64 = 3.0;

/// One call, and the capabilities of its host.
pub(super) struct Asking<'a> {
    agent: &'a Arc<Agent>,
    context: &'a RequestContext<RoleServer>,
    /// Whether the host shows forms to the user.
    elicits: bool,
    /// Whether the host provides its model.
    samples: bool,
    /// Whether the host expects questions as results that ask for input.
    asks_in_result: bool,
    has_titles: bool,
}

/// The outcome of a question to the host.
enum Outcome {
    Reply(Reply),
    /// The host does not support the question, although it declared so.
    Unable,
    /// The sharing no longer waits for the answer.
    Over,
}

impl<'a> Asking<'a> {
    pub(super) fn new(agent: &'a Arc<Agent>, context: &'a RequestContext<RoleServer>) -> Self {
        let host = context.client_capabilities().unwrap_or_default();
        let version = context.protocol_version();
        let at_least = |least: ProtocolVersion| version.as_ref().is_some_and(|it| *it >= least);
        let elicits = host.elicitation.as_ref();
        Self {
            agent,
            context,
            // Hosts without further details show forms.
            elicits: elicits.is_some_and(|how| how.form.is_some() || how.url.is_none()),
            samples: host.sampling.is_some(),
            asks_in_result: at_least(ProtocolVersion::V_2026_07_28),
            has_titles: at_least(ProtocolVersion::V_2025_11_25),
        }
    }

    /// Returns whether the host provides a model.
    pub(super) fn has_model(&self) -> bool {
        self.samples
    }

    /// Runs a sharing until it ends or waits for another call.
    pub(super) async fn run(&self, mut sharing: Sharing) -> Result<CallToolResponse, ErrorData> {
        loop {
            let step = tokio::select! {
                step = sharing.step() => step,
                () = self.context.ct.cancelled() => {
                    return Ok(match sharing.cancel() {
                        true => answers::perhaps_sent().into(),
                        false => answers::not_sent(Refusal::Dismissed, None).into(),
                    });
                }
            };
            match step {
                Step::Done(Some(result)) => return Ok(result.into()),
                Step::Done(None) => return Err(failed()),
                Step::Message(Message::Progress { step, message }) => {
                    self.report(step, message).await;
                }
                Step::Message(Message::Question(ask, mut reply)) => {
                    let ask = *ask;
                    let is_possible = self.supports(&ask);
                    if is_possible && self.asks_in_result {
                        return Ok(self.ask_in_result(sharing, ask, reply).into());
                    }
                    let outcome = match is_possible {
                        true => self.ask(&ask, &mut reply).await,
                        false => Outcome::Unable,
                    };
                    match (outcome, ask) {
                        // The sharing has stopped waiting: its next step is the end.
                        (Outcome::Over, _) => {}
                        (Outcome::Reply(answer), _) => drop(reply.send(answer)),
                        (Outcome::Unable, Ask::Sample(_)) => {
                            let failed = SampleError::Failed("it has no model".to_owned());
                            drop(reply.send(Reply::Sampled(Err(failed))));
                        }
                        (Outcome::Unable, ask) => {
                            return Ok(self.ask_through_agent(sharing, ask, reply).into());
                        }
                    }
                }
            }
        }
    }

    /// Continues the sharing whose question the host answers by calling the tool again.
    pub(super) async fn resume(
        &self,
        state: &str,
        responses: Option<InputResponses>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(waiting) = self.agent.drafts.take(state, Answerer::Host) else {
            return Ok(answers::unknown_draft().into());
        };
        let Waiting {
            sharing,
            ask,
            reply,
            ..
        } = waiting;
        match responses.as_ref().and_then(|all| all.get(INPUT)) {
            Some(answer) => drop(reply.send(questions::reply(&ask, answer))),
            None => return Ok(self.ask_in_result(sharing, ask, reply).into()),
        }
        self.run(sharing).await
    }

    fn supports(&self, ask: &Ask) -> bool {
        match ask {
            Ask::Confirm(_) | Ask::Edit(_) => self.elicits,
            Ask::Sample(_) => self.samples,
        }
    }

    /// Asks while the call runs.
    async fn ask(&self, ask: &Ask, reply: &mut oneshot::Sender<Reply>) -> Outcome {
        let asking = async {
            let peer = &self.context.peer;
            match questions::to_mcp(ask, &self.agent.words, self.has_titles) {
                McpQuestion::Elicitation(form) => {
                    peer.create_elicitation(form).await.map(|it| json!(it))
                }
                McpQuestion::Sampling(message) => {
                    peer.create_message(message).await.map(|it| json!(it))
                }
            }
        };
        let answer: Result<Value, ServiceError> = tokio::select! {
            // An answer counts, even if the host has ended right after it.
            biased;
            answer = asking => answer,
            () = self.agent.gone.cancelled() => return Outcome::Reply(Reply::No(Refusal::Gone)),
            () = self.context.ct.cancelled() => {
                return Outcome::Reply(Reply::No(Refusal::Dismissed));
            }
            () = reply.closed() => return Outcome::Over,
        };
        match answer {
            Ok(answer) => Outcome::Reply(questions::reply(ask, &answer)),
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                Outcome::Unable
            }
            Err(ServiceError::TransportClosed | ServiceError::TransportSend(_)) => {
                Outcome::Reply(Reply::No(Refusal::Gone))
            }
            // If the user does not allow the model to be used, hosts report an error.
            Err(ServiceError::McpError(_)) if matches!(ask, Ask::Sample(_)) => {
                Outcome::Reply(Reply::No(Refusal::Declined))
            }
            Err(_) => Outcome::Reply(Reply::No(Refusal::NotAsked)),
        }
    }

    /// Returns the question as the result of the call; the host calls again with the user's answer.
    fn ask_in_result(
        &self,
        sharing: Sharing,
        ask: Ask,
        reply: oneshot::Sender<Reply>,
    ) -> InputRequiredResult {
        let question = questions::to_mcp(&ask, &self.agent.words, self.has_titles);
        let requests = InputRequests::from([(INPUT.to_owned(), question.into())]);
        let state = self.agent.drafts.add(Waiting {
            sharing,
            ask,
            reply,
            answerer: Answerer::Host,
        });
        InputRequiredResult::new(Some(requests), Some(state.to_string()))
    }

    /// Returns a draft as the result of the call; the agent shows it to the user.
    fn ask_through_agent(
        &self,
        sharing: Sharing,
        ask: Ask,
        reply: oneshot::Sender<Reply>,
    ) -> CallToolResult {
        let preview = match &ask {
            Ask::Confirm(shown) => questions::preview(shown, &self.agent.words),
            Ask::Edit(_) | Ask::Sample(_) => String::new(),
        };
        let id = self.agent.drafts.add(Waiting {
            sharing,
            ask,
            reply,
            answerer: Answerer::Agent,
        });
        answers::waiting(id, &preview)
    }

    async fn report(&self, step: f64, message: &str) {
        let Some(token) = self.context.meta.get_progress_token() else {
            return;
        };
        let mut progress = ProgressNotificationParam::new(token, step);
        progress.total = Some(STEPS);
        progress.message = Some(message.to_owned());
        // An error means that the host is gone.
        self.context.peer.notify_progress(progress).await.ok();
    }
}

fn failed() -> ErrorData {
    ErrorData::internal_error("sharing failed; nothing was sent without consent", None)
}
