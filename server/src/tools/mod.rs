//! The tools: one table that every face reads, and the one place where a call is dispatched.
//!
//! Knows JSON and the contract, not transports: a face hands over a name, arguments and `_meta`, and
//! gets an outcome or a protocol error.

mod experiences;
pub mod handler;

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, LazyLock},
    time::Instant,
};

use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_shared_types::{RpcError, ToolName};
use serde::Serialize;
use serde_json::{
    Map, Value, json,
    value::{RawValue, to_raw_value},
};

use crate::{app::App, nearest::nearest};

/// Arguments or `_meta` of a call.
pub type Object = Map<String, Value>;

/// What a tool call gives back: text for people, and the same as JSON for programs.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What the tool says; where there is structured content, its JSON.
    pub text: String,
    /// The tool's own envelope; none where a tool answers in words alone.
    pub structured: Option<Box<RawValue>>,
    /// Whether the call failed as the tool sees it.
    pub is_error: bool,
}

impl Outcome {
    /// Makes the outcome that an envelope stands for; its JSON is written once, here.
    pub fn structured<T: Serialize>(envelope: &T, is_error: bool) -> Self {
        let json = to_raw_value(envelope).expect("the contract's types are plain data");
        Self {
            text: json.get().to_owned(),
            structured: Some(json),
            is_error,
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

/// A call of a tool.
pub struct Call<'a> {
    /// The application.
    pub app: &'a Arc<App>,
    /// The arguments.
    pub arguments: Object,
    /// The request's `_meta`.
    pub meta: Object,
}

type Run = for<'a> fn(Call<'a>) -> BoxFuture<'a, Result<Outcome, CallError>>;

/// A tool, as lists show it and as calls run it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDef {
    /// The name on the wire.
    #[serde(serialize_with = "as_str")]
    pub name: ToolName,
    /// The name for people.
    pub title: &'static str,
    /// What it does and when to use it, for agents.
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// JSON Schema of the envelope.
    pub output_schema: Value,
    /// Hints for hosts.
    pub annotations: Annotations,
    #[serde(skip)]
    run: Run,
}

/// Hints for hosts. Source: MCP specification, "Tool annotations".
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Changes nothing.
    pub read_only_hint: bool,
    /// May change or remove what is there.
    pub destructive_hint: bool,
    /// Called again with the same arguments, changes nothing more.
    pub idempotent_hint: bool,
    /// Reaches beyond the server's own data.
    pub open_world_hint: bool,
}

fn as_str<S: serde::Serializer>(name: &ToolName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name.as_str())
}

/// Every tool, in the order of lists. Schemas are made once.
pub fn table() -> &'static [ToolDef] {
    static TABLE: LazyLock<Vec<ToolDef>> =
        LazyLock::new(|| vec![experiences::query_tool(), experiences::submit_tool()]);
    &TABLE
}

/// Every tool as `tools/list` shows it.
pub fn listing() -> Value {
    json!({ "tools": table() })
}

/// Runs a tool.
///
/// *Errors*: [`RpcError::ToolNotFound`], [`RpcError::InvalidParams`] for arguments that the tool
/// does not have or of the wrong type, [`RpcError::ToolFailed`] when it broke down.
pub async fn call(
    app: &Arc<App>,
    name: &str,
    arguments: Object,
    meta: Object,
) -> Result<Outcome, CallError> {
    let tool = find(name)?;
    let started = Instant::now();
    let running = AssertUnwindSafe((tool.run)(Call {
        app,
        arguments,
        meta,
    }))
    .catch_unwind();
    let outcome = running.await.unwrap_or_else(|_| {
        tracing::error!(tool.name = name, "a tool broke down");
        Err(CallError {
            cause: RpcError::ToolFailed,
            details: format!("`{name}` broke down; the server's log says why"),
        })
    });
    let duration_ms = (started.elapsed().as_secs_f64() * 1e5).round() / 100.0;
    let ok = outcome.as_ref().is_ok_and(|outcome| !outcome.is_error);
    tracing::info!(tool.name = name, duration_ms, ok, "tool called");
    outcome
}

/// Whether there is a tool of this name.
pub fn is_known(name: &str) -> bool {
    table().iter().any(|tool| tool.name.as_str() == name)
}

fn find(name: &str) -> Result<&'static ToolDef, CallError> {
    table()
        .iter()
        .find(|tool| tool.name.as_str() == name)
        .ok_or_else(|| {
            let known: Vec<&str> = table().iter().map(|tool| tool.name.as_str()).collect();
            CallError {
                cause: RpcError::ToolNotFound,
                details: format!(
                    "unknown tool `{}`; the tools are {}",
                    shown(name),
                    known.join(", ")
                ),
            }
        })
}

/// Refuses arguments that a tool does not have, naming the nearest that it has.
fn refuse_unknown(arguments: &Object, known: &[&str]) -> Result<(), CallError> {
    let Some(unknown) = arguments
        .keys()
        .find(|name| !known.contains(&name.as_str()))
    else {
        return Ok(());
    };
    let hint = match nearest(unknown, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("the arguments are {}", known.join(", ")),
    };
    Err(invalid(format!(
        "unknown argument `{}`; {hint}",
        shown(unknown)
    )))
}

fn invalid(details: String) -> CallError {
    CallError {
        cause: RpcError::InvalidParams,
        details,
    }
}

/// Cuts a name from outside to a length that fits a message.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(80).collect()
}

/// The kind of a JSON value, for messages.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
