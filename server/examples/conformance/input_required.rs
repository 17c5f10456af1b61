//! Tools and a prompt that need something from the client first (SEP-2322): they answer what they
//! need, the client calls again with it.
//!
//! What a tool has to remember between two rounds travels with the client, sealed, so that a client
//! cannot change it and the server keeps nothing.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        GetPromptRequestParams, GetPromptResponse, InputRequests, InputRequiredResult,
        InputResponses, RequestStateCodec, SealOptions,
    },
};
use serde_json::{Map, Value, json};

use crate::{content::text, fixture, prompts};

/// How long a client may take for one round.
const ROUND: Duration = Duration::from_secs(300);

/// One round of a tool or prompt.
pub(crate) struct Round<'a> {
    name: &'a str,
    codec: &'a RequestStateCodec,
    capabilities: ClientCapabilities,
    responses: InputResponses,
    /// What the round before left, opened.
    state: Option<Value>,
}

/// What comes of a round: words, or what is needed first.
enum Outcome {
    Done(String),
    Needs(Map<String, Value>, Option<Value>),
}

impl<'a> Round<'a> {
    /// Begins a round of a tool.
    ///
    /// *Errors*: invalid parameters, when the state is not what the server sealed.
    pub(crate) fn of_tool(
        request: &'a CallToolRequestParams,
        codec: &'a RequestStateCodec,
        capabilities: ClientCapabilities,
    ) -> Result<Self, ErrorData> {
        let responses = request.input_responses.clone();
        let round = Self::new(&request.name, codec, capabilities, responses);
        round.with_state(request.request_state.as_deref())
    }

    /// Begins a round of a prompt.
    ///
    /// *Errors*: as [`Self::of_tool`].
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

    /// Calls a tool of this kind; `None` when there is none of that name.
    ///
    /// *Errors*: the client lacks a capability that the tool cannot do without.
    pub(crate) fn call(&self) -> Option<Result<CallToolResponse, ErrorData>> {
        let outcome = match self.name {
            "test_streaming_elicitation" | "test_input_required_result_elicitation" => self.greet(),
            "test_input_required_result_sampling" => self.sample(),
            "test_input_required_result_list_roots" => self.list_roots(),
            "test_input_required_result_request_state"
            | "test_input_required_result_tampered_state" => self.confirm(),
            "test_input_required_result_multiple_inputs" => self.need_three(),
            "test_input_required_result_multi_round" => self.ask_twice(),
            "test_input_required_result_capabilities" => self.ask_what_is_possible(),
            _ => return None,
        };
        Some(match outcome {
            Outcome::Done(text) => {
                Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
            }
            Outcome::Needs(requests, state) => self.ask(requests, state).map(Into::into),
        })
    }

    /// Gets the prompt of this kind.
    ///
    /// *Errors*: as [`Self::call`].
    pub(crate) fn get(&self) -> Result<GetPromptResponse, ErrorData> {
        match self.elicited("user_context", "context") {
            Some(context) => {
                let said = text(&format!("Use this context: {context}"));
                Ok(prompts::of_user(vec![said]).into())
            }
            None => {
                let form = form("What context should the prompt use?", "context", "string");
                let requests = needs([("user_context", form)]);
                self.ask(requests, None).map(Into::into)
            }
        }
    }

    fn greet(&self) -> Outcome {
        match self.elicited("user_name", "name") {
            Some(name) => Outcome::Done(format!("Hello, {name}!")),
            None => Outcome::Needs(needs([("user_name", name_form())]), None),
        }
    }

    fn sample(&self) -> Outcome {
        match self.sampled("capital_question") {
            Some(answer) => Outcome::Done(answer),
            None => {
                let question = sampling("What is the capital of France?");
                Outcome::Needs(needs([("capital_question", question)]), None)
            }
        }
    }

    fn list_roots(&self) -> Outcome {
        match self.roots() {
            Some(roots) => Outcome::Done(format!("Roots: {roots}")),
            None => Outcome::Needs(needs([("client_roots", roots_request())]), None),
        }
    }

    fn confirm(&self) -> Outcome {
        match (&self.state, self.elicited("confirm", "ok")) {
            (Some(_), Some(ok)) => Outcome::Done(format!("state-ok, confirmed: {ok}")),
            _ => {
                let form = form("Please confirm", "ok", "boolean");
                Outcome::Needs(
                    needs([("confirm", form)]),
                    Some(json!({"asked": "confirm"})),
                )
            }
        }
    }

    fn need_three(&self) -> Outcome {
        let (name, greeting) = (self.elicited("user_name", "name"), self.sampled("greeting"));
        match (&self.state, name, greeting, self.roots()) {
            (Some(_), Some(name), Some(greeting), Some(roots)) => {
                Outcome::Done(format!("{greeting} {name}, your roots: {roots}"))
            }
            _ => Outcome::Needs(
                needs([
                    ("user_name", name_form()),
                    ("greeting", sampling("Generate a greeting")),
                    ("client_roots", roots_request()),
                ]),
                Some(json!({"asked": "three"})),
            ),
        }
    }

    fn ask_twice(&self) -> Outcome {
        let state = self.state.as_ref().unwrap_or(&Value::Null);
        let name = self
            .elicited("step1", "name")
            .filter(|_| state["step"] == 1)
            .or(state["name"].as_str().map(str::to_owned));
        let Some(name) = name else {
            let form = form("Step 1: What is your name?", "name", "string");
            return Outcome::Needs(needs([("step1", form)]), Some(json!({"step": 1})));
        };
        match self
            .elicited("step2", "color")
            .filter(|_| state["step"] == 2)
        {
            Some(color) => Outcome::Done(format!("{name} likes {color}")),
            None => {
                let form = form("Step 2: What is your favorite color?", "color", "string");
                let state = json!({"step": 2, "name": name});
                Outcome::Needs(needs([("step2", form)]), Some(state))
            }
        }
    }

    fn ask_what_is_possible(&self) -> Outcome {
        let answers = (self.elicited("user_name", "name"), self.sampled("greeting"));
        match answers {
            (None, None) => {
                let mut requests = needs([
                    ("user_name", name_form()),
                    ("greeting", sampling("Generate a greeting")),
                ]);
                requests.retain(|_, request| self.lacks(request).is_none());
                Outcome::Needs(requests, None)
            }
            (name, greeting) => Outcome::Done(format!(
                "{} {}",
                greeting.unwrap_or("Hello,".to_owned()),
                name.unwrap_or("whoever you are".to_owned())
            )),
        }
    }

    /// Answers what is needed first.
    fn ask(
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

    /// The capability that a request needs and the client has not.
    fn lacks(&self, request: &Value) -> Option<ClientCapabilities> {
        let capability = match request["method"].as_str()? {
            "elicitation/create" => "elicitation",
            "sampling/createMessage" => "sampling",
            "roots/list" => "roots",
            _ => return None,
        };
        let has = json!(self.capabilities)[capability].is_object();
        (!has).then(|| fixture(json!({capability: {}})))
    }

    /// A field of a form that the user filled in.
    fn elicited(&self, key: &str, field: &str) -> Option<String> {
        let response = self.responses.get(key)?;
        let value = response["content"].get(field)?;
        (response["action"] == "accept").then(|| spoken(value))
    }

    fn sampled(&self, key: &str) -> Option<String> {
        let content = &self.responses.get(key)?["content"];
        let first = content.get(0).unwrap_or(content);
        first.get("text").map(spoken)
    }

    fn roots(&self) -> Option<String> {
        let roots = &self.responses.get("client_roots")?["roots"];
        roots.is_array().then(|| roots.to_string())
    }
}

/// A string without its quotes, anything else as JSON.
fn spoken(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn needs<const N: usize>(requests: [(&str, Value); N]) -> Map<String, Value> {
    requests
        .into_iter()
        .map(|(key, request)| (key.to_owned(), request))
        .collect()
}

fn name_form() -> Value {
    form("What is your name?", "name", "string")
}

fn form(message: &str, field: &str, kind: &str) -> Value {
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

fn sampling(prompt: &str) -> Value {
    json!({
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
            "maxTokens": 100,
        },
    })
}

fn roots_request() -> Value {
    json!({"method": "roots/list", "params": {}})
}
