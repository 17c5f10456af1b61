//! One round of a tool or prompt that needs input from the client first (SEP-2322).
//!
//! The state of a tool between two rounds is sent to the client and back, sealed, so that a client cannot
//! change it and the server stores nothing.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, ClientCapabilities, GetPromptRequestParams, InputRequests,
        InputRequiredResult, InputResponses, RequestStateCodec, SealOptions,
    },
};
use serde_json::{Map, Value, json};

use crate::fixture;

/// How long a client may take for one round.
const ROUND: Duration = Duration::from_secs(300);

/// One round of a tool or prompt.
pub(crate) struct Round<'a> {
    /// The tool's or prompt's name.
    pub(crate) name: &'a str,
    codec: &'a RequestStateCodec,
    capabilities: ClientCapabilities,
    responses: InputResponses,
    /// The opened state of the previous round.
    pub(crate) state: Option<Value>,
}

impl<'a> Round<'a> {
    /// Starts a round of a tool.
    ///
    /// *Errors*: invalid parameters, if the state was not sealed by this server.
    pub(crate) fn of_tool(
        request: &'a CallToolRequestParams,
        codec: &'a RequestStateCodec,
        capabilities: ClientCapabilities,
    ) -> Result<Self, ErrorData> {
        let responses = request.input_responses.clone();
        let round = Self::new(&request.name, codec, capabilities, responses);
        round.with_state(request.request_state.as_deref())
    }

    /// Starts a round of a prompt.
    ///
    /// *Errors*: as for [`Self::of_tool`].
    pub(crate) fn of_prompt(
        request: &'a GetPromptRequestParams,
        codec: &'a RequestStateCodec,
        capabilities: ClientCapabilities,
    ) -> Result<Self, ErrorData> {
        let responses = request.input_responses.clone();
        let round = Self::new(&request.name, codec, capabilities, responses);
        round.with_state(request.request_state.as_deref())
    }

    fn new(
        name: &'a str,
        codec: &'a RequestStateCodec,
        capabilities: ClientCapabilities,
        responses: Option<InputResponses>,
    ) -> Self {
        Self {
            name,
            codec,
            capabilities,
            responses: responses.unwrap_or_default(),
            state: None,
        }
    }

    fn with_state(mut self, sealed: Option<&str>) -> Result<Self, ErrorData> {
        if let Some(sealed) = sealed {
            let opened = self.codec.open_json_with(sealed, self.name.as_bytes());
            self.state = Some(opened.map_err(|error| {
                ErrorData::invalid_params(format!("requestState is not valid: {error}"), None)
            })?);
        }
        Ok(self)
    }

    /// Returns an answer that asks the client for input.
    pub(crate) fn ask(
        &self,
        requests: Map<String, Value>,
        state: Option<Value>,
    ) -> Result<InputRequiredResult, ErrorData> {
        if let Some(lacking) = requests.values().find_map(|request| self.lacks(request)) {
            return Err(ErrorData::missing_required_client_capability(lacking));
        }
        let requests: InputRequests = fixture(Value::Object(requests));
        let options = SealOptions::new()
            .associated_data(self.name.as_bytes())
            .ttl(ROUND);
        let sealed = state
            .map(|state| self.codec.seal_json_with(&state, &options))
            .transpose()
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(InputRequiredResult::new(Some(requests), sealed))
    }

    /// Returns the capability that a request needs and the client lacks.
    pub(crate) fn lacks(&self, request: &Value) -> Option<ClientCapabilities> {
        let capability = match request["method"].as_str()? {
            "elicitation/create" => "elicitation",
            "sampling/createMessage" => "sampling",
            "roots/list" => "roots",
            _ => return None,
        };
        let has = json!(self.capabilities)[capability].is_object();
        (!has).then(|| fixture(json!({capability: {}})))
    }

    /// Returns a field of a form that the user filled in.
    pub(crate) fn elicited(&self, key: &str, field: &str) -> Option<String> {
        let response = self.responses.get(key)?;
        let value = response["content"].get(field)?;
        (response["action"] == "accept").then(|| unquoted(value))
    }

    /// Returns the answer of the client's model.
    pub(crate) fn sampled(&self, key: &str) -> Option<String> {
        let content = &self.responses.get(key)?["content"];
        let first = content.get(0).unwrap_or(content);
        first.get("text").map(unquoted)
    }

    /// Returns the roots that the client sent.
    pub(crate) fn roots(&self) -> Option<String> {
        let roots = &self.responses.get("client_roots")?["roots"];
        roots.is_array().then(|| roots.to_string())
    }
}

/// Returns a string without its quotes, or any other value as JSON.
fn unquoted(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

pub(crate) fn needs<const N: usize>(requests: [(&str, Value); N]) -> Map<String, Value> {
    requests
        .into_iter()
        .map(|(key, request)| (key.to_owned(), request))
        .collect()
}

pub(crate) fn name_form() -> Value {
    form("What is your name?", "name", "string")
}

pub(crate) fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({
        "method": "elicitation/create",
        "params": {
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": {field: {"type": kind}},
                "required": [field],
            },
        },
    })
}

pub(crate) fn sampling(prompt: &str) -> Value {
    json!({
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
            "maxTokens": 100,
        },
    })
}

pub(crate) fn roots_request() -> Value {
    json!({"method": "roots/list", "params": {}})
}
