//! What the server offers to MCP clients: tools, resources, prompts, completion.
//!
//! One list that every face reads ([`Features`]), and the one place where a call is dispatched
//! ([`call`]). Knows JSON and the contract, not transports: a face hands over a name, arguments and a
//! [`Context`], and gets an outcome or a protocol error.

mod calculator;
pub mod calls;
pub mod catalogue;
mod definition;
mod experiences;
mod features;
pub mod handler;
mod help;
mod ingest;
mod knowledge;
mod libraries;
mod programs;
mod schemas;

use std::{borrow::Cow, panic::AssertUnwindSafe, sync::Arc, time::Instant};

use futures::FutureExt as _;
use recall_kit_core::{
    admission::answer_turns, error::ServiceError, validation::kind_of,
    vectors::query_vectors::noting_lexical,
};
use recall_kit_fair_queue::Turn;
use recall_kit_nearest::{hint, shown};
use recall_kit_sanitizer::without_invisible;
use recall_kit_shared_types::{
    ErrorBody, LEXICAL_ONLY_META, RpcError, knowledge::KnowledgeFailure,
};
use recall_kit_telemetry::{chain, request_id};
use serde::Serialize;
use serde_json::{
    Map, Value, json,
    value::{RawValue, to_raw_value},
};

pub use self::{
    definition::{Annotations, Call, ToolDef},
    features::{Features, ToolList},
};
pub use crate::tools::calls::context::Context;
use crate::tools::calls::{arguments::Arguments, call_log::Called};

/// Arguments or `_meta` of a call.
pub type Object = Map<String, Value>;

/// What a tool call gives back: text for people, and the same as JSON for programs.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What the tool says in words; for an envelope, its JSON.
    pub text: String,
    /// The same as JSON: an envelope, or an object of the tool's output schema; none where a tool answers in words alone.
    pub structured: Option<Box<RawValue>>,
    /// Whether the call failed as the tool sees it.
    pub is_error: bool,
    /// The result's `_meta`, where the call asked for something that belongs there.
    pub meta: Option<Object>,
    /// The turn of a large answer, held until the transport has written it.
    turn: Option<Arc<Turn>>,
}

impl Outcome {
    /// Makes the outcome that an envelope stands for; its JSON is written once, here. Records
    /// stored before invisible characters were removed on arrival may hold some; they are removed
    /// here.
    pub fn structured<T: Serialize>(envelope: &T, is_error: bool) -> Self {
        let json = to_raw_value(envelope).expect("the contract's types are plain data");
        Self::of_json(json, is_error)
    }

    /// Makes the outcome of an envelope's JSON.
    fn of_json(json: Box<RawValue>, is_error: bool) -> Self {
        let json = match without_invisible(json.get()) {
            Cow::Borrowed(_) => json,
            Cow::Owned(json) => RawValue::from_string(json).expect("JSON needs no such character"),
        };
        Self {
            structured: Some(json.clone()),
            ..Self::words(String::from(Box::<str>::from(json)), is_error)
        }
    }

    /// Takes the turn out, for whoever writes the answer.
    pub(crate) fn take_turn(&mut self) -> Option<Arc<Turn>> {
        self.turn.take()
    }

    /// Writes what a use case gave back as the documents' tools do: the data, or a failure after
    /// `reword`. Logs a fault, since this is where it is handled.
    fn documented<T: Serialize>(
        result: Result<T, ServiceError>,
        reword: impl FnOnce(&mut ErrorBody),
    ) -> Self {
        match result {
            Ok(data) => Self::structured(&data, false),
            Err(error) => {
                if error.is_fault() {
                    tracing::error!(error = chain(&error), "a call failed");
                }
                let mut body = error.body();
                reword(&mut body);
                Self::structured(&KnowledgeFailure::from(body), true)
            }
        }
    }

    /// Says beside the outcome that a query was answered by its words alone.
    fn lexical_only(mut self) -> Self {
        let meta = self.meta.get_or_insert_default();
        meta.insert(LEXICAL_ONLY_META.to_owned(), Value::Bool(true));
        self
    }

    /// Makes an outcome of words alone.
    pub fn words(text: String, is_error: bool) -> Self {
        Self {
            text,
            structured: None,
            is_error,
            meta: None,
            turn: None,
        }
    }
}

/// Why a call is answered with a protocol error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// The cause; gives the code, which differs from face to face.
    pub cause: RpcError,
    /// What was wrong, in words.
    pub details: String,
}

/// Runs a tool.
///
/// *Errors*: [`RpcError::ToolNotFound`], [`RpcError::Forbidden`], [`RpcError::InvalidParams`] for arguments that the tool
/// does not have or of the wrong type, [`RpcError::ToolFailed`] when it broke down.
pub async fn call(
    features: &Features,
    name: &str,
    arguments: Object,
    context: &Context,
) -> Result<Outcome, CallError> {
    let started = Instant::now();
    let tools = features.tools();
    let tool = tools.find(name);
    let called = Called::of(name, tool.as_ref().ok().copied());
    let outcome = match tool.and_then(|tool| tool.permit(&context.caller).map(|()| tool)) {
        Ok(tool) => {
            let call = Call {
                libraries: features.libraries(),
                app: features.app(),
                arguments,
                context,
            };
            let running = answer_turns::holding(run(tool, call));
            let ((outcome, turn), is_lexical) = noting_lexical(running).await;
            outcome.map(|outcome| Outcome {
                turn: turn.map(Arc::new),
                ..match is_lexical {
                    true => outcome.lexical_only(),
                    false => outcome,
                }
            })
        }
        Err(refusal) => Err(refusal),
    };
    called.note(features.app(), &outcome, started.elapsed());
    outcome
}

/// Runs a tool until it is done or not wanted any more; one that panics takes nothing else with it.
async fn run(tool: &ToolDef, call: Call<'_>) -> Result<Outcome, CallError> {
    let cancelled = call.context.cancelled.clone();
    let running = AssertUnwindSafe(tool.run(call)).catch_unwind();
    let ran = tokio::select! {
        biased;
        ran = running => ran,
        () = cancelled.cancelled() => {
            return Err(CallError {
                cause: RpcError::Cancelled,
                details: "the client cancelled the request".to_owned(),
            });
        }
    };
    ran.unwrap_or_else(|_| {
        let name = &tool.name;
        tracing::error!(tool.name = name, "a tool broke down");
        Err(CallError {
            cause: RpcError::ToolFailed,
            details: format!("`{name}` broke down; the server's log says why"),
        })
    })
}

/// Returns the `data` of a protocol error: what was wrong, and which request it was.
pub fn error_data(details: &str) -> Value {
    let mut data = json!({ "details": details });
    if let Some(id) = request_id::current() {
        data["request_id"] = json!(id.as_str());
    }
    data
}

/// Refuses arguments that a tool does not have, naming the nearest that it has.
fn refuse_unknown(arguments: &Object, known: &[&str]) -> Result<(), CallError> {
    let Some(unknown) = arguments
        .keys()
        .find(|name| !known.contains(&name.as_str()))
    else {
        return Ok(());
    };
    Err(invalid(format!(
        "unknown argument `{}`; {}",
        shown(unknown),
        hint(unknown, known)
    )))
}

fn invalid(details: String) -> CallError {
    CallError {
        cause: RpcError::InvalidParams,
        details,
    }
}
