//! Any OpenAI-compatible endpoint: retries within a deadline, answers within bounds, and nothing of its
//! words in an error, since they may repeat the question or the key.

use std::time::Duration;

use async_openai::{
    Client,
    config::OpenAIConfig,
    error::{ApiError, ApiErrorResponse, OpenAIError},
    middleware::HttpRequestFactory,
};
use reqwest::{Response, StatusCode, header::RETRY_AFTER};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{AiFailure, Question};
use crate::{config::AiEndpoint, connection::http_client};

/// How often a request is sent again that was turned away for the moment.
const RETRIES: u32 = 3;
/// The wait before the first of them, where the endpoint does not say how long; then twice as long.
const PAUSE: Duration = Duration::from_millis(250);
/// The most bytes of an answer; a draft is a few thousand.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// Hosts that take no bounds in a schema, and models that take no temperature.
const STRICT_HOSTS: [&str; 2] = ["api.openai.com", ".azure.com"];
/// What endpoints call a question that is too long.
const TOO_LONG: [&str; 3] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "string_above_max_length",
];

/// A model behind an endpoint.
pub(crate) struct Endpoint<'a> {
    client: Client<OpenAIConfig>,
    settings: &'a AiEndpoint,
    deadline: Instant,
}

impl<'a> Endpoint<'a> {
    /// Prepares a client. From now on the settings' time runs.
    pub(crate) fn new(settings: &'a AiEndpoint) -> Result<Self, AiFailure> {
        Self::since(settings, Instant::now())
    }

    /// Prepares a client. The settings' time has been running since `start`.
    pub(super) fn since(settings: &'a AiEndpoint, start: Instant) -> Result<Self, AiFailure> {
        let deadline = start + settings.timeout;
        let http = http_client(&settings.url).map_err(|_| AiFailure::Unreachable)?;
        let service = tower::service_fn(move |request: HttpRequestFactory| {
            let http = http.clone();
            async move { send(&http, request, deadline).await }
        });
        let key = settings.key.as_ref().map_or("", |key| key.expose());
        let config = OpenAIConfig::new()
            .with_api_base(settings.url.as_str())
            .with_api_key(key)
            // What the environment says of these was never meant for another service.
            .with_org_id("")
            .with_project_id("");
        Ok(Self {
            client: Client::with_config(config).with_http_service(service),
            settings,
            deadline,
        })
    }

    /// Says whether the endpoint takes nothing that is not in the original's description.
    pub(super) fn is_strict(&self) -> bool {
        let url = self.settings.url.as_str();
        let host = url.split(['/', ':']).nth(3).unwrap_or_default();
        STRICT_HOSTS.iter().any(|strict| host.ends_with(strict))
    }

    /// Asks with the question's schema; where that is refused, in the plain form that every endpoint
    /// understands.
    ///
    /// *Errors*: [`AiFailure`].
    pub(crate) async fn ask(&self, question: &Question) -> Result<String, AiFailure> {
        match self.send(self.shaped(question)).await {
            Err(AiFailure::Refused {
                status: 400 | 415 | 422 | 501,
            }) => self.send(self.plain(question)).await,
            answered => answered,
        }
    }

    fn shaped(&self, question: &Question) -> Value {
        let mut request = self.messages(question);
        let shape = json!({"name": "experience", "strict": true, "schema": question.schema});
        request["response_format"] = json!({"type": "json_schema", "json_schema": shape});
        request["max_completion_tokens"] = question.max_tokens.into();
        if !self.is_strict() {
            // Facts, not variety; and small models run on less.
            request["temperature"] = 0.into();
            request["seed"] = 1.into();
            request["max_tokens"] = question.max_tokens.into();
        }
        request
    }

    fn plain(&self, question: &Question) -> Value {
        let mut request = self.messages(question);
        request["max_tokens"] = question.max_tokens.into();
        request
    }

    fn messages(&self, question: &Question) -> Value {
        json!({
            "model": self.settings.model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.text},
            ],
        })
    }

    async fn send(&self, request: Value) -> Result<String, AiFailure> {
        let chat = self.client.chat();
        let asked = chat.create_byot::<_, Value>(request);
        let answer = tokio::time::timeout_at(self.deadline, asked).await;
        let answer = answer.map_err(|_| AiFailure::Timeout(self.settings.timeout))?;
        read(&answer.map_err(failure)?)
    }
}

/// Sends a request until it is answered or the time is up.
async fn send(
    http: &reqwest::Client,
    request: HttpRequestFactory,
    deadline: Instant,
) -> Result<Response, OpenAIError> {
    let mut pause = PAUSE;
    let mut tried = 0;
    loop {
        let response = http.execute(request.build().await?).await?;
        let status = response.status();
        let wait = retry_after(&response).unwrap_or(pause);
        let passing = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        // A wait that no clock can hold is too long as well.
        let again = Instant::now().checked_add(wait);
        let is_late = again.is_none_or(|again| again >= deadline);
        if !passing || tried == RETRIES || is_late {
            return bounded(response).await;
        }
        tokio::time::sleep(wait).await;
        tried += 1;
        pause *= 2;
    }
}

/// Returns how long the endpoint wants to be left alone, where it says so in seconds; of a date only
/// its own clock knows how far off it is.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    let seconds: f64 = seconds.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Reads an answer as far as an answer may go. What is refused, and what is no JSON, ends here: further
/// on its words would be logged.
async fn bounded(mut response: Response) -> Result<Response, OpenAIError> {
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(foreign());
        }
        body.extend_from_slice(&chunk);
    }
    let parsed = serde_json::from_slice::<Value>(&body);
    if !status.is_success() {
        let error = parsed.unwrap_or_default();
        let text = |pointer: &str| Some(error.pointer(pointer)?.as_str()?.to_owned());
        return Err(OpenAIError::ApiError(ApiErrorResponse {
            status_code: status,
            api_error: ApiError {
                code: text("/error/code"),
                r#type: text("/error/type"),
                ..ApiError::default()
            },
        }));
    }
    parsed.map_err(|_| foreign())?;
    Ok(Response::from(http::Response::new(body)))
}

/// The error of an answer that is none.
fn foreign() -> OpenAIError {
    OpenAIError::InvalidArgument(String::new())
}

fn failure(error: OpenAIError) -> AiFailure {
    match error {
        OpenAIError::Reqwest(error) if error.is_connect() => AiFailure::Unreachable,
        OpenAIError::Reqwest(_) => AiFailure::Broken,
        OpenAIError::ApiError(refusal) => {
            let error = refusal.api_error;
            let names = [error.code, error.r#type];
            let mut names = names.iter().flatten();
            match names.any(|name| TOO_LONG.contains(&name.as_str())) {
                true => AiFailure::TooLong,
                false => AiFailure::Refused {
                    status: refusal.status_code.as_u16(),
                },
            }
        }
        _ => AiFailure::Foreign,
    }
}

/// Returns what the model said, of an answer as lenient as endpoints are different.
fn read(answer: &Value) -> Result<String, AiFailure> {
    let choice = answer.pointer("/choices/0").ok_or(AiFailure::Foreign)?;
    let message = choice.get("message").ok_or(AiFailure::Foreign)?;
    let ended = choice.get("finish_reason").and_then(Value::as_str);
    let refusal = message.get("refusal").and_then(Value::as_str);
    if ended == Some("content_filter") || refusal.is_some_and(|words| !words.is_empty()) {
        return Err(AiFailure::Declined);
    }
    if ended == Some("length") {
        return Err(AiFailure::CutOff);
    }
    let said = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        // Models that think aloud answer in parts.
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().concat()
        }
        Some(Value::Null) => String::new(),
        _ => return Err(AiFailure::Foreign),
    };
    Ok(said)
}
