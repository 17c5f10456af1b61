//! What a server offers besides experiences, handed through in MCP's own shapes.
//!
//! Every text of an argument is sanitized before it leaves. Experiences are not submitted this
//! way: that takes a [`crate::Confirmed`].

#[cfg(test)]
mod tests;

use std::time::Duration;

use recall_kit_sanitizer::RuleGroup;
use recall_kit_shared_types::{IDEMPOTENCY_KEY_META, ToolName};
use rmcp::model::{
    ArgumentInfo, CallToolResult, CompleteRequestParams, CompleteResult, CompletionContext,
    GetPromptRequestParams, GetPromptResult, JsonObject, Prompt, ReadResourceRequestParams,
    ReadResourceResult, Reference, RequestMetaObject, Resource, ResourceTemplate, Tool,
};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    Error, RecallKitClient,
    connection::{ToolCall, retry::RetryPolicy},
};

/// Digits of the shortest number that may be somebody's: of a card, an account, a telephone.
const SHORTEST_NUMBER: usize = 7;

/// How long the work of a tool that writes may take, such as reading a whole library in.
const WORK: Duration = Duration::from_secs(10 * 60);

/// What a call's arguments are, which decides how they are sanitized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arguments {
    /// Words to look something up by: names of variables stay, which may be what is looked for.
    Lookup,
    /// Text that is kept by the server: it is sanitized like a submission.
    Text,
}

impl Arguments {
    /// What a tool keeps is text, unless it takes the address of something to read in.
    fn of(tool: &Tool) -> Self {
        match only_reads(tool) || tool.name == ToolName::IngestLibrary.as_str() {
            true => Self::Lookup,
            false => Self::Text,
        }
    }
}

/// What a server has to offer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Offer {
    /// Its tools, in its order.
    pub tools: Vec<Tool>,
    /// Its prompts.
    pub prompts: Vec<Prompt>,
    /// The shapes of its resources' URIs.
    pub templates: Vec<ResourceTemplate>,
}

impl RecallKitClient {
    /// Asks what the server offers, without retries. A server without prompts or resources has
    /// none.
    ///
    /// *Errors*: whatever keeps the list of tools from being answered.
    pub async fn offer(&self) -> Result<Offer, Error> {
        self.attempt(async |connection| {
            let capabilities = connection.capabilities();
            let (prompts, resources) = match &capabilities {
                Some(has) => (has.prompts.is_some(), has.resources.is_some()),
                None => (false, false),
            };
            let mut offer = Offer {
                tools: connection.tools().await?,
                ..Offer::default()
            };
            if prompts {
                offer.prompts = connection.prompts().await?;
            }
            if resources {
                offer.templates = connection.resource_templates().await?;
            }
            Ok(offer)
        })
        .await
    }

    /// Calls a tool of the server as its annotations tell: with the protocol's retries where it may
    /// be done twice, and with ten minutes for an answer where it writes. To drop the call is to
    /// cancel it.
    ///
    /// *Errors*: [`Error::Unconfirmed`] for `submit_experience`, and whatever keeps a call from
    /// being answered; an error that the tool reports is a result.
    pub async fn call_tool(
        &self,
        tool: &Tool,
        arguments: JsonObject,
    ) -> Result<CallToolResult, Error> {
        if tool.name == ToolName::SubmitExperience.as_str() {
            return Err(Error::Unconfirmed);
        }
        let takes_key = tool.name == ToolName::RekallAdd.as_str();
        let mut meta = RequestMetaObject::new();
        if takes_key {
            let key = Uuid::new_v4().to_string();
            meta.0.insert(IDEMPOTENCY_KEY_META.to_owned(), key.into());
        }
        let call = ToolCall {
            tool: tool.name.to_string(),
            arguments: self.clean(arguments, Arguments::of(tool)),
            meta,
        };
        let usual = self.config.server.attempt_timeout();
        let limit = if only_reads(tool) {
            usual
        } else {
            usual.max(WORK)
        };
        let attempt = || {
            self.attempt_within(limit, async |connection| {
                connection.call(call.clone()).await
            })
        };
        let outcome = match takes_key || is_repeatable(tool) {
            true => RetryPolicy::PROTOCOL.run(attempt).await,
            // Without a key, what was done and not acknowledged would be done twice.
            false => attempt().await,
        };
        self.logged(&tool.name, outcome)
    }

    /// Lists the server's resources.
    ///
    /// *Errors*: whatever keeps the call from being answered.
    pub async fn resources(&self) -> Result<Vec<Resource>, Error> {
        self.attempt(async |connection| connection.resources().await)
            .await
    }

    /// Reads a resource of the server.
    ///
    /// *Errors*: whatever keeps the call from being answered.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, Error> {
        let uri = self.lookup_text(uri);
        let read = ReadResourceRequestParams::new(uri);
        RetryPolicy::PROTOCOL
            .run(|| self.attempt(async |connection| connection.read_resource(read.clone()).await))
            .await
    }

    /// Fills in a prompt of the server.
    ///
    /// *Errors*: whatever keeps the call from being answered.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
    ) -> Result<GetPromptResult, Error> {
        let mut params = GetPromptRequestParams::new(self.lookup_text(name));
        params.arguments = arguments.map(|given| self.clean(given, Arguments::Lookup));
        RetryPolicy::PROTOCOL
            .run(|| self.attempt(async |connection| connection.prompt(params.clone()).await))
            .await
    }

    /// Asks how an argument may go on.
    ///
    /// *Errors*: whatever keeps the call from being answered.
    pub async fn complete(&self, params: CompleteRequestParams) -> Result<CompleteResult, Error> {
        let Some(params) = self.clean_completion(params) else {
            return Ok(CompleteResult::default());
        };
        self.attempt(async |connection| connection.complete(params).await)
            .await
    }

    /// Sanitizes words to look something up by.
    fn lookup_text(&self, text: &str) -> String {
        let groups = self.groups_of(Arguments::Lookup);
        self.sanitizer.leaving_one(&groups, text)
    }

    /// Makes the question anew of what it has to say, so that nothing else that came with it leaves;
    /// none where it is about something that this program does not know.
    fn clean_completion(&self, params: CompleteRequestParams) -> Option<CompleteRequestParams> {
        let given = params.context.and_then(|context| context.arguments);
        let has_context = given.is_some();
        let (names, values): (Vec<_>, Vec<_>) = given.unwrap_or_default().into_iter().unzip();
        let mut texts = vec![params.argument.value.as_str()];
        texts.extend(values.iter().map(String::as_str));
        let groups = self.groups_of(Arguments::Lookup);
        let mut clean = self.sanitizer.leaving(&groups, &texts).into_iter();
        let value = clean.next().unwrap_or_default();
        let argument = ArgumentInfo::new(self.lookup_text(&params.argument.name), value);
        let about = match params.r#ref {
            Reference::Resource(about) => Reference::for_resource(self.lookup_text(&about.uri)),
            Reference::Prompt(about) => Reference::for_prompt(self.lookup_text(&about.name)),
            _ => return None,
        };
        let asked = CompleteRequestParams::new(about, argument);
        if !has_context {
            return Some(asked);
        }
        let names = names.iter().map(|name| self.lookup_text(name));
        let context = CompletionContext::with_arguments(names.zip(clean).collect());
        Some(asked.with_context(context))
    }

    /// Sanitizes every text of the arguments together: what one gives away goes from all. Names and
    /// numbers are looked at one by one, so that only what is a secret in itself is replaced.
    fn clean(&self, arguments: JsonObject, kind: Arguments) -> JsonObject {
        let mut arguments = Value::Object(arguments);
        let mut texts = Vec::new();
        each_text(&mut arguments, &mut |text| texts.push(text.clone()));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let clean = self.sanitizer.leaving(&self.groups_of(kind), &texts);
        let mut clean = clean.into_iter();
        each_text(&mut arguments, &mut |text| {
            if let Some(sanitized) = clean.next() {
                *text = sanitized;
            }
        });
        match renamed(arguments, &|name| self.lookup_text(name)) {
            Value::Object(arguments) => arguments,
            _ => JsonObject::new(),
        }
    }

    fn groups_of(&self, kind: Arguments) -> Vec<RuleGroup> {
        let settings = self.sanitizer.settings();
        match kind {
            Arguments::Lookup => settings.lookup_groups(),
            _ => settings.outgoing_groups(),
        }
    }
}

/// Says whether a tool changes nothing.
fn only_reads(tool: &Tool) -> bool {
    let hints = tool.annotations.as_ref();
    hints.is_some_and(|hints| hints.read_only_hint == Some(true))
}

/// Says whether a call may be sent again when it is unknown whether it was done. A tool that
/// destroys something is not called twice, even where the end would be the same: what others wrote
/// in between would be lost, and the work is done again.
fn is_repeatable(tool: &Tool) -> bool {
    let hints = tool.annotations.as_ref();
    let is_harmless = hints.is_some_and(|hints| {
        hints.idempotent_hint == Some(true) && hints.destructive_hint == Some(false)
    });
    only_reads(tool) || is_harmless
}

/// Cleans what is no text but may hold one: names of fields, and numbers that are long enough. A
/// name that is taken by then is given a number, so that no field is lost.
fn renamed(value: Value, clean: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(|item| renamed(item, clean)).collect(),
        Value::Object(fields) => {
            let mut kept = JsonObject::new();
            for (name, field) in fields {
                let field = renamed(field, clean);
                let name = clean(&name);
                let others = (2..).map(|number| format!("{name} {number}"));
                let mut names = std::iter::once(name.clone()).chain(others);
                let free = names.find(|name| !kept.contains_key(name));
                kept.insert(free.unwrap_or(name), field);
            }
            Value::Object(kept)
        }
        Value::Number(number) => {
            let written = number.to_string();
            if written.len() < SHORTEST_NUMBER {
                return Value::Number(number);
            }
            match clean(&written) {
                same if same == written => Value::Number(number),
                replaced => Value::String(replaced),
            }
        }
        other => other,
    }
}

/// Visits every text of a value, in order; names of fields are not texts.
fn each_text(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, visit)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| each_text(field, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
