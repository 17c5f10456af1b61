//! The server's tools, prompts and resources besides experiences, passed through in MCP's own types.
//!
//! Every text in the arguments is sanitized before it is sent. Experiences cannot be submitted this way:
//! that requires a [`crate::Confirmed`].

#[cfg(test)]
pub(crate) mod tests;

use std::time::Duration;

use recall_kit_sanitizer::RuleGroup;
use recall_kit_shared_types::{
    IDEMPOTENCY_KEY_META, ToolName, applicability::Environment, knowledge::Citation,
};
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

/// The minimum length of a number that may be personal data: of a card, an account, a telephone.
const SHORTEST_NUMBER: usize = 7;

/// The time limit of a tool that writes, such as ingesting a whole library.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The kind of a call's arguments, which decides how they are sanitized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arguments {
    /// A lookup: names of variables stay, because the lookup may be about them.
    Lookup,
    /// Text that the server stores: it is sanitized like a submission.
    Text,
}

impl Arguments {
    /// A tool that writes stores text, except for `ingest-library`, which takes the address of a source.
    fn of(tool: &Tool) -> Self {
        match only_reads(tool) || tool.name == ToolName::IngestLibrary.as_str() {
            true => Self::Lookup,
            false => Self::Text,
        }
    }
}

/// What a call says of the folder in which an agent works, as far as the settings let it leave this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallContext {
    /// For `recall` and `report_outcome`: the versions that matter.
    pub environment: Option<Environment>,
    /// For `rekall_add`: the files that the entry is about.
    pub citations: Vec<Citation>,
}

/// The tools, prompts and resource templates of a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Offer {
    /// Its tools, in the server's order.
    pub tools: Vec<Tool>,
    /// Its prompts.
    pub prompts: Vec<Prompt>,
    /// The URI templates of its resources.
    pub templates: Vec<ResourceTemplate>,
}

impl RecallKitClient {
    /// Requests the server's tools, prompts and resource templates, without retries. Prompts and templates
    /// are requested only if the server declares the capability.
    ///
    /// *Errors*: any error of a failed request.
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

    /// Calls a tool of the server. Its annotations decide how: a call that may be repeated is retried, and
    /// a tool that writes has ten minutes to answer. Dropping the future cancels the call.
    ///
    /// *Errors*: [`Error::Unconfirmed`] for `submit_experience`, and any error of a failed call; an error
    /// that the tool reports is a result.
    pub async fn call_tool(
        &self,
        tool: &Tool,
        arguments: JsonObject,
        context: &CallContext,
    ) -> Result<CallToolResult, Error> {
        if tool.name == ToolName::SubmitExperience.as_str() {
            return Err(Error::Unconfirmed);
        }
        let with_keys = [ToolName::RekallAdd, ToolName::ReportOutcome];
        let takes_key = with_keys.iter().any(|one| tool.name == one.as_str());
        let mut meta = RequestMetaObject::new();
        if takes_key {
            let key = Uuid::new_v4().to_string();
            meta.0.insert(IDEMPOTENCY_KEY_META.to_owned(), key.into());
        }
        match tool.name.parse() {
            Ok(ToolName::Recall | ToolName::ReportOutcome) => {
                self.add_environment(context.environment.as_ref(), &mut meta);
            }
            Ok(ToolName::RekallAdd) => self.add_citations(&context.citations, &mut meta),
            Ok(ToolName::RekallSearch) => self.request_citations(&mut meta),
            _ => {}
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
            usual.max(WRITE_TIMEOUT)
        };
        let attempt = || {
            self.attempt_within(limit, async |connection| {
                connection.call(call.clone()).await
            })
        };
        let outcome = match takes_key || is_repeatable(tool) {
            true => RetryPolicy::PROTOCOL.run(attempt).await,
            // Without a key, a call that was executed but not acknowledged would be executed twice.
            false => attempt().await,
        };
        self.logged(&tool.name, outcome)
    }

    /// Lists the server's resources.
    ///
    /// *Errors*: any error of a failed call.
    pub async fn resources(&self) -> Result<Vec<Resource>, Error> {
        self.attempt(async |connection| connection.resources().await)
            .await
    }

    /// Reads a resource of the server.
    ///
    /// *Errors*: any error of a failed call.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, Error> {
        let uri = self.lookup_text(uri);
        let read = ReadResourceRequestParams::new(uri);
        RetryPolicy::PROTOCOL
            .run(|| self.attempt(async |connection| connection.read_resource(read.clone()).await))
            .await
    }

    /// Fills in a prompt of the server.
    ///
    /// *Errors*: any error of a failed call.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
    ) -> Result<GetPromptResult, Error> {
        let mut params = GetPromptRequestParams::new(self.lookup_text(name));
        params.arguments = arguments.map(|arguments| self.clean(arguments, Arguments::Lookup));
        RetryPolicy::PROTOCOL
            .run(|| self.attempt(async |connection| connection.prompt(params.clone()).await))
            .await
    }

    /// Requests completions of an argument.
    ///
    /// *Errors*: any error of a failed call.
    pub async fn complete(&self, params: CompleteRequestParams) -> Result<CompleteResult, Error> {
        let Some(params) = self.clean_completion(params) else {
            return Ok(CompleteResult::default());
        };
        self.attempt(async |connection| connection.complete(params).await)
            .await
    }

    /// Sanitizes the text of a lookup.
    fn lookup_text(&self, text: &str) -> String {
        let groups = self.groups_of(Arguments::Lookup);
        self.sanitizer.sanitize_outgoing_text(&groups, text)
    }

    /// Creates a new request from the known fields of the given one, so that nothing else is sent; returns
    /// `None` for a reference of an unknown kind.
    fn clean_completion(&self, params: CompleteRequestParams) -> Option<CompleteRequestParams> {
        let arguments = params.context.and_then(|context| context.arguments);
        let has_context = arguments.is_some();
        let (names, values): (Vec<_>, Vec<_>) = arguments.unwrap_or_default().into_iter().unzip();
        let mut texts = vec![params.argument.value.as_str()];
        texts.extend(values.iter().map(String::as_str));
        let groups = self.groups_of(Arguments::Lookup);
        let mut clean = self
            .sanitizer
            .sanitize_outgoing(&groups, &texts)
            .into_iter();
        let value = clean.next().unwrap_or_default();
        let argument = ArgumentInfo::new(self.lookup_text(&params.argument.name), value);
        let reference = match params.r#ref {
            Reference::Resource(it) => Reference::for_resource(self.lookup_text(&it.uri)),
            Reference::Prompt(it) => Reference::for_prompt(self.lookup_text(&it.name)),
            _ => return None,
        };
        let request = CompleteRequestParams::new(reference, argument);
        if !has_context {
            return Some(request);
        }
        let names = names.iter().map(|name| self.lookup_text(name));
        let context = CompletionContext::with_arguments(names.zip(clean).collect());
        Some(request.with_context(context))
    }

    /// Sanitizes the arguments of a lookup.
    pub(crate) fn clean_lookup(&self, arguments: JsonObject) -> JsonObject {
        self.clean(arguments, Arguments::Lookup)
    }

    /// Sanitizes all texts of the arguments together, so that a secret found in one is removed from all.
    /// Names and numbers are sanitized one by one, so that only what is a secret by itself is replaced.
    fn clean(&self, arguments: JsonObject, kind: Arguments) -> JsonObject {
        let mut arguments = Value::Object(arguments);
        let mut texts = Vec::new();
        each_text(&mut arguments, &mut |text| texts.push(text.clone()));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let clean = self
            .sanitizer
            .sanitize_outgoing(&self.groups_of(kind), &texts);
        let mut clean = clean.into_iter();
        each_text(&mut arguments, &mut |text| {
            if let Some(sanitized) = clean.next() {
                *text = sanitized;
            }
        });
        match with_clean_names(arguments, &|name| self.lookup_text(name)) {
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

/// Returns whether a tool changes nothing.
fn only_reads(tool: &Tool) -> bool {
    let hints = tool.annotations.as_ref();
    hints.is_some_and(|hints| hints.read_only_hint == Some(true))
}

/// Returns whether a call may be repeated when it is unknown whether it was executed. A destructive tool
/// is not called twice, even if it is idempotent: what others wrote in between would be lost, and the work
/// would be done again.
fn is_repeatable(tool: &Tool) -> bool {
    let hints = tool.annotations.as_ref();
    let is_harmless = hints.is_some_and(|hints| {
        hints.idempotent_hint == Some(true) && hints.destructive_hint == Some(false)
    });
    only_reads(tool) || is_harmless
}

/// Sanitizes the names of fields, and numbers that are long enough to be personal data. A name that would
/// occur twice gets a number, so that no field is lost.
fn with_clean_names(value: Value, clean: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::Array(items) => items
            .into_iter()
            .map(|item| with_clean_names(item, clean))
            .collect(),
        Value::Object(fields) => {
            let mut renamed = JsonObject::new();
            for (name, field) in fields {
                let field = with_clean_names(field, clean);
                let name = clean(&name);
                let others = (2..).map(|number| format!("{name} {number}"));
                let mut names = std::iter::once(name.clone()).chain(others);
                let free = names.find(|name| !renamed.contains_key(name));
                renamed.insert(free.unwrap_or(name), field);
            }
            Value::Object(renamed)
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

/// Visits every text of a value, in order, but not the names of fields.
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
