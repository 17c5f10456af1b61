//! What a server offers besides experiences, handed through in MCP's own shapes.
//!
//! Every text of an argument is sanitized before it leaves. Experiences are not submitted this
//! way: that takes a [`crate::Confirmed`].

use recall_kit_sanitizer::RuleGroup;
use recall_kit_shared_types::{IDEMPOTENCY_KEY_META, ToolName};
use rmcp::model::{
    CallToolResult, CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResult,
    JsonObject, Prompt, ReadResourceRequestParams, ReadResourceResult, RequestMetaObject, Resource,
    ResourceTemplate, Tool,
};
use serde_json::Value;
use uuid::Uuid;

use crate::{Error, RecallKitClient, connection::ToolCall, retry::RetryPolicy};

/// What a call's arguments are, which decides how they are sanitized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// Words to look something up by: keys and personal data go, addresses may be what is looked
    /// for.
    Lookup,
    /// Text that is kept by the server: it is sanitized like a submission.
    Text,
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

    /// Calls a tool of the server, with the protocol's retries where nothing can be done twice.
    ///
    /// *Errors*: [`Error::Unconfirmed`] for `submit_experience`, and whatever keeps a call from
    /// being answered; an error that the tool reports is a result.
    pub async fn call_tool(
        &self,
        tool: &str,
        arguments: JsonObject,
        kind: Arguments,
    ) -> Result<CallToolResult, Error> {
        if tool == ToolName::SubmitExperience.as_str() {
            return Err(Error::Unconfirmed);
        }
        let takes_key = tool == ToolName::RekallAdd.as_str();
        let mut meta = RequestMetaObject::new();
        if takes_key {
            let key = Uuid::new_v4().to_string();
            meta.0.insert(IDEMPOTENCY_KEY_META.to_owned(), key.into());
        }
        let call = ToolCall {
            tool: tool.to_owned(),
            arguments: self.clean(arguments, kind),
            meta,
        };
        let attempt = || self.attempt(async |connection| connection.call(call.clone()).await);
        match kind == Arguments::Lookup || takes_key {
            true => RetryPolicy::PROTOCOL.run(attempt).await,
            // Without a key, what was done and not acknowledged would be done twice.
            false => attempt().await,
        }
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
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = arguments.map(|given| self.clean(given, Arguments::Lookup));
        RetryPolicy::PROTOCOL
            .run(|| self.attempt(async |connection| connection.prompt(params.clone()).await))
            .await
    }

    /// Asks how an argument may go on.
    ///
    /// *Errors*: whatever keeps the call from being answered.
    pub async fn complete(
        &self,
        mut params: CompleteRequestParams,
    ) -> Result<CompleteResult, Error> {
        params.argument.value = self.lookup_text(&params.argument.value);
        self.attempt(async |connection| connection.complete(params).await)
            .await
    }

    /// Sanitizes words to look something up by.
    fn lookup_text(&self, text: &str) -> String {
        self.sanitizer
            .with(&self.groups_of(Arguments::Lookup), text)
            .text
    }

    /// Sanitizes every text of the arguments together: what one gives away goes from all.
    fn clean(&self, arguments: JsonObject, kind: Arguments) -> JsonObject {
        let mut arguments = Value::Object(arguments);
        let mut texts = Vec::new();
        each_text(&mut arguments, &mut |text| texts.push(text.clone()));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let clean = self
            .sanitizer
            .rules()
            .sanitize_all(&texts, &self.groups_of(kind));
        let mut clean = clean.into_iter();
        each_text(&mut arguments, &mut |text| {
            if let Some(sanitized) = clean.next() {
                *text = sanitized.text;
            }
        });
        match arguments {
            Value::Object(arguments) => arguments,
            _ => JsonObject::new(),
        }
    }

    fn groups_of(&self, kind: Arguments) -> Vec<RuleGroup> {
        let mut groups = self.sanitizer.settings().outgoing_groups();
        if kind == Arguments::Lookup {
            use RuleGroup::{RemoveApiKeys, RemovePersonalInfo};
            groups.retain(|group| matches!(group, RemoveApiKeys | RemovePersonalInfo));
        }
        groups
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
