//! Asks a language model behind any OpenAI-compatible endpoint for answers of a given shape.
//!
//! Every text is sanitized before it is sent: credentials and personal data are replaced. The calling
//! use case decides what to ask, and what to do without an answer.

mod http;

use std::time::Duration;

use recall_kit_sanitizer::{RuleGroup, sanitize};
use recall_kit_settings::{AiProvider, AiSettings};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Semaphore;

use self::http::HttpModel;

/// The most characters of a text; some 15,000 tokens, which every common model reads.
pub const MAX_TEXT_CHARS: usize = 60_000;

/// The rule groups that are applied to every text.
const NOT_SENT: [RuleGroup; 2] = [RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo];

/// Why there is no answer. Never contains the endpoint's own message, which may repeat the text or
/// the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The endpoint did not answer in time.
    #[error("the AI endpoint did not answer within {0} ms; raise ai.timeout_ms if it is slow")]
    Timeout(u64),
    /// The endpoint refused or could not be reached.
    #[error("the AI endpoint failed: {0}; check ai.base_url, ai.model and the key")]
    Endpoint(String),
    /// The model refused to answer.
    #[error("the AI model declined to answer")]
    Declined,
    /// The answer reached its limit of length.
    #[error("the AI model's answer was cut off because it was too long")]
    CutOff,
    /// The answer is not JSON, or has another shape.
    #[error("the AI model's answer is not of the shape that was asked for")]
    Unusable,
    /// The program is shutting down.
    #[error("the request to the AI model was cancelled")]
    Stopped,
}

/// A question to a model.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What to do with the text.
    pub instruction: &'a str,
    /// The text, from an untrusted source. Only its first [`MAX_TEXT_CHARS`] are sent, as data, never
    /// as instructions.
    pub text: &'a str,
    /// The name of the answer's shape: letters, digits, `_` and `-`.
    pub shape: &'a str,
}

/// A model that answers a bounded number of questions at once.
pub struct Chat {
    model: HttpModel,
    timeout: Duration,
    turns: Semaphore,
}

impl Chat {
    /// Creates the client that the settings describe; `None` when the provider is off. Nothing is sent
    /// before the first question.
    pub fn of(settings: &AiSettings) -> Option<Self> {
        if settings.provider == AiProvider::Off {
            return None;
        }
        let configured = settings.api_key.expose();
        let api_key = match configured.is_empty() {
            true => std::env::var("OPENAI_API_KEY").unwrap_or_default(),
            false => configured.to_owned(),
        };
        Some(Self {
            model: HttpModel::new(settings.base_url.clone(), api_key, settings.model.clone()),
            timeout: Duration::from_millis(settings.timeout_ms),
            // With 0 permits every question would wait forever.
            turns: Semaphore::new(settings.concurrency.clamp(1, 1_000)),
        })
    }

    /// Returns the model's name at the endpoint.
    pub fn model(&self) -> &str {
        self.model.name()
    }

    /// Asks, and returns an answer of the shape `T`: a struct without optional fields that denies
    /// unknown ones, since endpoints guarantee only such shapes. The model reads its doc comments.
    ///
    /// *Errors*: [`ChatError`]. The timeout covers the answer, but not the wait for a turn.
    pub async fn ask<T: DeserializeOwned + JsonSchema>(
        &self,
        question: &Question<'_>,
    ) -> Result<T, ChatError> {
        let text: String = question.text.chars().take(MAX_TEXT_CHARS).collect();
        // Sanitizing a large text takes milliseconds and would block other tasks of this thread.
        let clean = tokio::task::spawn_blocking(move || sanitize(&text, &NOT_SENT).text);
        let clean = clean.await.map_err(|_| ChatError::Stopped)?;
        let _turn = self.turns.acquire().await.map_err(|_| ChatError::Stopped)?;
        let request = self.model.ask(question, clean, schema_of::<T>());
        let answer = tokio::time::timeout(self.timeout, request).await;
        let answer = answer.map_err(|_| {
            ChatError::Timeout(u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX))
        })??;
        parsed(&answer)
    }
}

fn schema_of<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(schema) = schema.as_object_mut() {
        // Endpoints reject keywords that do not describe the answer.
        schema.remove("$schema");
        schema.remove("title");
    }
    schema
}

/// Parses an answer. Models without a JSON mode often put the object between words and fences.
fn parsed<T: DeserializeOwned>(answer: &str) -> Result<T, ChatError> {
    let start = answer.find('{').unwrap_or(0);
    let end = answer.rfind('}').map_or(answer.len(), |end| end + 1);
    let object = answer.get(start..end).unwrap_or_default();
    serde_json::from_str(object).map_err(|_| ChatError::Unusable)
}

#[cfg(test)]
mod tests;
