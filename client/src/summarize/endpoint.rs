//! An OpenAI-compatible endpoint: retries until a deadline, and limits the size of answers. Errors do not
//! contain the endpoint's messages, because these may quote the question or the key.

use std::time::Duration;

use async_openai::{
    Client,
    config::OpenAIConfig,
    error::{ApiError, ApiErrorResponse, OpenAIError},
    middleware::HttpRequestFactory,
};
use futures::{FutureExt as _, future::BoxFuture};
use reqwest::{Response, StatusCode, header::RETRY_AFTER};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{AiFailure, Question};
use crate::{config::AiEndpoint, connection::http_client};

/// How often a request is retried after a temporary error.
const RETRIES: u32 = 3;
/// The pause before the first retry, if the endpoint does not name one; it doubles with each retry.
const PAUSE: Duration = Duration::from_millis(250);
/// The maximum size of an answer; a draft has a few thousand bytes. *Unit*: bytes.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// Hosts that reject length limits in a schema and have models that reject a temperature.
const STRICT_HOSTS: [&str; 2] = ["api.openai.com", ".azure.com"];
/// The error codes of endpoints for a question that is too long.
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
    /// Creates a client. The time limit of the settings starts now.
    pub(crate) fn new(settings: &'a AiEndpoint) -> Result<Self, AiFailure> {
        Self::since(settings, Instant::now())
    }

    /// Creates a client. The time limit of the settings counts from `start`.
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
            // Values in the environment are meant for OpenAI, not for another service.
            .with_org_id("")
            .with_project_id("");
        Ok(Self {
            client: Client::with_config(config).with_http_service(service),
            settings,
            deadline,
        })
    }

    /// Returns whether the endpoint accepts only the parameters in OpenAI's documentation.
    pub(super) fn is_strict(&self) -> bool {
        let url = self.settings.url.as_str();
        let host = url.split(['/', ':']).nth(3).unwrap_or_default();
        STRICT_HOSTS.iter().any(|strict| host.ends_with(strict))
    }

    /// Asks with the question's schema. If the endpoint rejects that, asks again in the plain form that every
    /// endpoint accepts.
    ///
    /// *Errors*: [`AiFailure`].
    pub(crate) async fn ask(&self, question: &Question) -> Result<String, AiFailure> {
        match self.send(self.with_schema(question)).await {
            Err(AiFailure::Refused {
                status: 400 | 415 | 422 | 501,
            }) => self.send(self.plain(question)).await,
            answered => answered,
        }
    }

    fn with_schema(&self, question: &Question) -> Value {
        let mut request = self.messages(question);
        let shape = json!({"name": "experience", "strict": true, "schema": question.schema});
        request["response_format"] = json!({"type": "json_schema", "json_schema": shape});
        request["max_completion_tokens"] = question.max_tokens.into();
        if !self.is_strict() {
            // The answer should be factual rather than varied. The limit also stops small models that run on.
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

    fn send(&self, request: Value) -> BoxFuture<'_, Result<String, AiFailure>> {
        async move {
            let chat = self.client.chat();
            let call = chat.create_byot::<_, Value>(request);
            let answer = tokio::time::timeout_at(self.deadline, call).await;
            let answer = answer.map_err(|_| AiFailure::Timeout(self.settings.timeout))?;
            read(&answer.map_err(failure)?)
        }
        .boxed()
    }
}

/// Sends a request, and retries temporary errors until the deadline.
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
        let is_temporary = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        // A pause that overflows the clock is also too long.
        let again = Instant::now().checked_add(wait);
        let is_late = again.is_none_or(|again| again >= deadline);
        if !is_temporary || tried == RETRIES || is_late {
            return read_limited(response).await;
        }
        tokio::time::sleep(wait).await;
        tried += 1;
        pause *= 2;
    }
}

/// Returns the pause that the endpoint requests, if it is in seconds. A date is ignored, because it depends on
/// the endpoint's clock.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    let seconds: f64 = seconds.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Reads an answer up to the maximum size. Errors and answers that are not JSON are converted here, because
/// async-openai would log their text.
async fn read_limited(mut response: Response) -> Result<Response, OpenAIError> {
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

/// Returns the error for an answer that is not OpenAI-compatible.
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

/// Returns the model's text in an answer. Accepts the variants of different endpoints.
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
    let text = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        // Reasoning models may answer in parts.
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().concat()
        }
        Some(Value::Null) => String::new(),
        _ => return Err(AiFailure::Foreign),
    };
    Ok(text)
}
