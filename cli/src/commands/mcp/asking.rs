//! How questions reach the user, by what the host can do: a question of its own while the call
//! runs (elicitation), an answer that asks for input (2026-07-28), or a draft that the agent shows.

#![expect(
    deprecated,
    reason = "hosts of the versions before 2026-07-28 lend their model with sampling"
)]

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

use super::{
    agent::Agent,
    answers,
    dialogue::{Ask, Flow, Message, Refusal, Reply, Step},
    drafts::{Answerer, Waiting},
    questions::{self, Posed},
};

/// The key of the one request in an answer that asks for input.
const INPUT: &str = "input";
/// Steps of a sharing that progress counts.
const STEPS: f64 = 3.0;

/// One call, and what its host can do.
pub(super) struct Asking<'a> {
    agent: &'a Arc<Agent>,
    context: &'a RequestContext<RoleServer>,
    /// Whether it shows forms to the user.
    elicits: bool,
    /// Whether it lends its model.
    samples: bool,
    /// Whether it wants questions as answers that ask for input.
    by_answer: bool,
    has_titles: bool,
}

/// What came of asking the host.
enum Heard {
    Reply(Reply),
    /// It can do less than it said.
    Unable,
    /// The question is not waited for any more.
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
            // Hosts that say nothing more of it show forms.
            elicits: elicits.is_some_and(|how| how.form.is_some() || how.url.is_none()),
            samples: host.sampling.is_some(),
            by_answer: at_least(ProtocolVersion::V_2026_07_28),
            has_titles: at_least(ProtocolVersion::V_2025_11_25),
        }
    }

    /// Says whether the host has a model to lend.
    pub(super) fn has_model(&self) -> bool {
        self.samples
    }

    /// Goes on with a sharing until it is over or waits for another call.
    pub(super) async fn go_on(&self, mut flow: Flow) -> Result<CallToolResponse, ErrorData> {
        loop {
            let step = tokio::select! {
                step = flow.step() => step,
                () = self.context.ct.cancelled() => {
                    return Ok(match flow.give_up() {
                        true => answers::perhaps_sent().into(),
                        false => answers::not_sent(Refusal::Dismissed, None).into(),
                    });
                }
            };
            match step {
                Step::Done(Some(result)) => return Ok(result.into()),
                Step::Done(None) => return Err(broken()),
                Step::Said(Message::Progress { step, message }) => {
                    self.report(step, message).await;
                }
                Step::Said(Message::Asked(ask, mut reply)) => {
                    let ask = *ask;
                    let is_possible = self.can(&ask);
                    if is_possible && self.by_answer {
                        return Ok(self.ask_by_answer(flow, ask, reply).into());
                    }
                    let heard = match is_possible {
                        true => self.ask(&ask, &mut reply).await,
                        false => Heard::Unable,
                    };
                    match (heard, ask) {
                        // Whoever asked has given up by now: what follows is the end.
                        (Heard::Over, _) => {}
                        (Heard::Reply(said), _) => drop(reply.send(said)),
                        (Heard::Unable, Ask::Sample(_)) => {
                            let failed = SampleError::Failed("it has none".to_owned());
                            drop(reply.send(Reply::Sampled(Err(failed))));
                        }
                        (Heard::Unable, ask) => return Ok(self.hand_out(flow, ask, reply).into()),
                    }
                }
            }
        }
    }

    /// Goes on with the sharing for whose question a host calls again.
    pub(super) async fn answered(
        &self,
        state: &str,
        responses: Option<InputResponses>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(waiting) = self.agent.drafts.take(state, Answerer::Host) else {
            return Ok(answers::unknown_draft().into());
        };
        let Waiting {
            flow, ask, reply, ..
        } = waiting;
        match responses.as_ref().and_then(|all| all.get(INPUT)) {
            Some(said) => drop(reply.send(questions::reply(&ask, said))),
            None => return Ok(self.ask_by_answer(flow, ask, reply).into()),
        }
        self.go_on(flow).await
    }

    fn can(&self, ask: &Ask) -> bool {
        match ask {
            Ask::Confirm(_) | Ask::Edit(_) => self.elicits,
            Ask::Sample(_) => self.samples,
        }
    }

    /// Asks while the call runs.
    async fn ask(&self, ask: &Ask, reply: &mut oneshot::Sender<Reply>) -> Heard {
        let asking = async {
            let peer = &self.context.peer;
            match questions::pose(ask, &self.agent.words, self.has_titles) {
                Posed::Elicitation(form) => peer.create_elicitation(form).await.map(|it| json!(it)),
                Posed::Sampling(message) => peer.create_message(message).await.map(|it| json!(it)),
            }
        };
        let said: Result<Value, ServiceError> = tokio::select! {
            // What was answered counts, even if it was the host's last word.
            biased;
            said = asking => said,
            () = self.agent.gone.cancelled() => return Heard::Reply(Reply::No(Refusal::Gone)),
            () = self.context.ct.cancelled() => {
                return Heard::Reply(Reply::No(Refusal::Dismissed));
            }
            () = reply.closed() => return Heard::Over,
        };
        match said {
            Ok(said) => Heard::Reply(questions::reply(ask, &said)),
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                Heard::Unable
            }
            Err(ServiceError::TransportClosed | ServiceError::TransportSend(_)) => {
                Heard::Reply(Reply::No(Refusal::Gone))
            }
            // A model that a person does not let speak is reported as an error.
            Err(ServiceError::McpError(_)) if matches!(ask, Ask::Sample(_)) => {
                Heard::Reply(Reply::No(Refusal::Declined))
            }
            Err(_) => Heard::Reply(Reply::No(Refusal::NotAsked)),
        }
    }

    /// Answers the call with the question; the host calls again with what the user said.
    fn ask_by_answer(
        &self,
        flow: Flow,
        ask: Ask,
        reply: oneshot::Sender<Reply>,
    ) -> InputRequiredResult {
        let posed = questions::pose(&ask, &self.agent.words, self.has_titles);
        let requests = InputRequests::from([(INPUT.to_owned(), posed.into())]);
        let state = self.agent.drafts.put(Waiting {
            flow,
            ask,
            reply,
            answerer: Answerer::Host,
        });
        InputRequiredResult::new(Some(requests), Some(state.to_string()))
    }

    /// Answers the call with a draft that the agent shows to the user.
    fn hand_out(&self, flow: Flow, ask: Ask, reply: oneshot::Sender<Reply>) -> CallToolResult {
        let preview = match &ask {
            Ask::Confirm(shown) => questions::preview(shown, &self.agent.words),
            Ask::Edit(_) | Ask::Sample(_) => String::new(),
        };
        let id = self.agent.drafts.put(Waiting {
            flow,
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
        // A host that is gone needs no report.
        self.context.peer.notify_progress(progress).await.ok();
    }
}

fn broken() -> ErrorData {
    ErrorData::internal_error("sharing broke down; nothing was sent without consent", None)
}
