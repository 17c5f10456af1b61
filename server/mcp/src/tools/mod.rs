//! The features that the server offers to MCP clients: tools, resources, prompts, completion.
//!
//! All transports use the same lists ([`Features`]) and dispatch calls in the same place ([`call`]). This
//! module works on JSON and the contract, not on transports: a transport passes a name, arguments and a
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
mod recall;
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
    features::{Features, ToolList, asks_for_schemas},
};
pub use crate::tools::calls::context::Context;
use crate::tools::calls::{arguments::Arguments, call_log::CallLog};

/// Arguments or `_meta` of a call.
pub type Object = Map<String, Value>;

/// The outcome of a tool call: text for people, and the same as JSON for programs.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The tool's text; for an envelope, its JSON.
    pub text: String,
    /// The same as JSON: an envelope, or an object of the tool's output schema; `None` for a tool that
    /// returns only text.
    pub structured: Option<Box<RawValue>>,
    /// Whether the tool reports a failure.
    pub is_error: bool,
    /// The result's `_meta`, if there is anything to put into it.
    pub meta: Option<Object>,
    /// The turn of a large answer in the fair queue, until the transport has written the answer.
    turn: Option<Arc<Turn>>,
}

impl Outcome {
    /// Creates the outcome of an envelope, which is serialized only once, here. Invisible characters are
    /// removed, since records from before they were removed on arrival may contain some.
    pub fn structured<T: Serialize>(envelope: &T, is_error: bool) -> Self {
        let json = to_raw_value(envelope).expect("the contract's types are plain data");
        Self::of_json(json, is_error)
    }

    /// Creates the outcome of an envelope's JSON.
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

    /// Takes the turn, for the transport that writes the answer.
    pub(crate) fn take_turn(&mut self) -> Option<Arc<Turn>> {
        self.turn.take()
    }

    /// Creates the outcome of a use case without an envelope: the data, or a failure after `adapt` has
    /// changed it. Logs a fault of the server.
    fn plain_object<T: Serialize>(
        result: Result<T, ServiceError>,
        adapt: impl FnOnce(&mut ErrorBody),
    ) -> Self {
        match result {
            Ok(data) => Self::structured(&data, false),
            Err(error) => {
                if error.is_fault() {
                    tracing::error!(error = chain(&error), "a call failed");
                }
                let mut body = error.body();
                adapt(&mut body);
                Self::structured(&KnowledgeFailure::from(body), true)
            }
        }
    }

    /// Adds to `_meta` that a query was answered without vectors, by its words alone.
    fn lexical_only(mut self) -> Self {
        let meta = self.meta.get_or_insert_default();
        meta.insert(LEXICAL_ONLY_META.to_owned(), Value::Bool(true));
        self
    }

    /// Creates an outcome of text only.
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
    /// The cause, which determines the code; plain JSON-RPC and MCP may have different codes for it.
    pub cause: RpcError,
    /// A message that says what was wrong.
    pub details: String,
}

/// Runs a tool.
///
/// *Errors*: [`RpcError::ToolNotFound`]; [`RpcError::Forbidden`]; [`RpcError::InvalidParams`] for unknown
/// arguments and for arguments of the wrong type; [`RpcError::ToolFailed`] if the tool panics or an
/// external program fails; [`RpcError::Cancelled`].
pub async fn call(
    features: &Features,
    name: &str,
    arguments: Object,
    context: &Context,
) -> Result<Outcome, CallError> {
    let started = Instant::now();
    let tools = features.tools();
    let tool = tools.find(name);
    let log = CallLog::new(name, tool.as_ref().ok().copied());
    let outcome = match tool.and_then(|tool| tool.permit(&context.caller).map(|()| tool)) {
        Ok(tool) => {
            let call = Call {
                libraries: features.libraries(),
                app: features.app(),
                arguments,
                context,
            };
            let answering = || answer_turns::holding(|| run(tool, call));
            let ((outcome, turn), is_lexical) = noting_lexical(answering).await;
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
    log.record(&features.app().metrics, &outcome, started.elapsed());
    outcome
}

/// Runs a tool until it is done or its request is cancelled. A panic becomes an error of this call only.
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
        tracing::error!(tool.name = name, "a tool panicked");
        Err(CallError {
            cause: RpcError::ToolFailed,
            details: format!("`{name}` failed unexpectedly; see the server's log"),
        })
    })
}

/// Returns the `data` of a protocol error: the details, and the request's id if it is known.
pub fn error_data(details: &str) -> Value {
    let mut data = json!({ "details": details });
    if let Some(id) = request_id::current() {
        data["request_id"] = json!(id.as_str());
    }
    data
}

/// Rejects arguments that a tool does not have; the message names the nearest known one.
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

/// Returns a boolean of the `_meta` of a call; `false` if it is missing.
fn flag_in(meta: &Object, name: &str) -> Result<bool, CallError> {
    match meta.get(name) {
        None => Ok(false),
        Some(Value::Bool(is_set)) => Ok(*is_set),
        Some(other) => Err(invalid(format!(
            "`_meta.{name}` must be a boolean, not {}",
            kind_of(other)
        ))),
    }
}

fn invalid(details: String) -> CallError {
    CallError {
        cause: RpcError::InvalidParams,
        details,
    }
}
