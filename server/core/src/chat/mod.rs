//! Asking a language model behind any OpenAI-compatible endpoint, for answers of a given shape.
//!
//! Nothing leaves before the sanitizer saw it: credentials and personal data are replaced. What a
//! text is for and what is done without an answer is decided by the use case that asks.

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

/// What is replaced in every text.
const NOT_SENT: [RuleGroup; 2] = [RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo];

/// Why there is no answer; never in the endpoint's words, which may repeat the text or the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The endpoint did not answer in time.
    #[error("the AI endpoint did not answer within {0} ms; raise ai.timeout_ms if it is slow")]
    Timeout(u64),
    /// The endpoint refused or could not be reached.
    #[error("the AI endpoint failed: {0}; check ai.base_url, ai.model and the key")]
    Endpoint(String),
    /// The model does not want to.
    #[error("the AI model declined to answer")]
    Declined,
    /// The answer came to its limit of length.
    #[error("the AI model's answer was cut off, as it was too long")]
    CutOff,
    /// The answer is no JSON, or of another shape.
    #[error("the AI model's answer is not of the shape that was asked for")]
    Unusable,
    /// The program is about to end.
    #[error("asking the AI model was stopped")]
    Stopped,
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What to do with the text.
    pub instruction: &'a str,
    /// The text, from outside; only its first [`MAX_TEXT_CHARS`] are sent, and they are data: nothing
    /// in them is an instruction.
    pub text: &'a str,
    /// The name of the answer's shape: letters, digits, `_` and `-`.
    pub shape: &'a str,
}

/// A model that answers questions, a few at a time.
pub struct Chat {
    model: HttpModel,
    timeout: Duration,
    turns: Semaphore,
}

impl Chat {
    /// Prepares what the settings ask for; `None` when nothing is to write texts. Nothing is sent
    /// before the first question.
    pub fn of(settings: &AiSettings) -> Option<Self> {
        if settings.provider == AiProvider::Off {
            return None;
        }
        let given = settings.api_key.expose();
        let api_key = match given.is_empty() {
            true => std::env::var("OPENAI_API_KEY").unwrap_or_default(),
            false => given.to_owned(),
        };
        Some(Self {
            model: HttpModel::new(settings.base_url.clone(), api_key, settings.model.clone()),
            timeout: Duration::from_millis(settings.timeout_ms),
            // Nobody would ever get a turn of none.
            turns: Semaphore::new(settings.concurrency.clamp(1, 1_000)),
        })
    }

    /// Returns the model's name at the endpoint.
    pub fn model(&self) -> &str {
        self.model.name()
    }

    /// Asks, and returns an answer of the shape `T`: a struct without optional fields that denies
    /// unknown ones, as endpoints promise nothing else. Its doc comments are read by the model.
    ///
    /// *Errors*: [`ChatError`]; waiting for a turn counts for nothing, the answer for the timeout.
    pub async fn ask<T: DeserializeOwned + JsonSchema>(
        &self,
        question: &Question<'_>,
    ) -> Result<T, ChatError> {
        let text: String = question.text.chars().take(MAX_TEXT_CHARS).collect();
        // Scanning a large text takes milliseconds, and others are waiting.
        let clean = tokio::task::spawn_blocking(move || sanitize(&text, &NOT_SENT).text);
        let clean = clean.await.map_err(|_| ChatError::Stopped)?;
        let _turn = self.turns.acquire().await.map_err(|_| ChatError::Stopped)?;
        let asked = self.model.ask(question, clean, schema_of::<T>());
        let answer = tokio::time::timeout(self.timeout, asked).await;
        let answer = answer.map_err(|_| {
            ChatError::Timeout(u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX))
        })??;
        parsed(&answer)
    }
}

fn schema_of<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(schema) = schema.as_object_mut() {
        // Endpoints refuse keywords that say nothing about the answer.
        schema.remove("$schema");
        schema.remove("title");
    }
    schema
}

/// Reads an answer; models that were not made for JSON like to put it between words and fences.
fn parsed<T: DeserializeOwned>(answer: &str) -> Result<T, ChatError> {
    let start = answer.find('{').unwrap_or(0);
    let end = answer.rfind('}').map_or(answer.len(), |end| end + 1);
    let object = answer.get(start..end).unwrap_or_default();
    serde_json::from_str(object).map_err(|_| ChatError::Unusable)
}

#[cfg(test)]
mod tests;
