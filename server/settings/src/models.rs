//! Settings of the models that compute embeddings and write texts.

use serde::{Deserialize, Serialize};

use super::Secret;

/// What computes embeddings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingProvider {
    /// The model inside the program.
    #[default]
    Builtin,
    /// An OpenAI-compatible endpoint.
    Openai,
    /// Nothing: search is lexical.
    Off,
}

/// Settings of embeddings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EmbeddingSettings {
    /// What computes them.
    pub provider: EmbeddingProvider,
    /// The model at the endpoint; only for `openai`.
    pub model: String,
    /// The endpoint up to and without `/embeddings`; only for `openai`.
    pub base_url: String,
    /// The endpoint's key; `OPENAI_API_KEY` when unset.
    pub api_key: Secret,
    /// How long one text may take, in milliseconds; a query that takes longer is answered by lexical
    /// search alone.
    pub timeout_ms: u64,
    /// How long a query waits for its turn at the built-in model, in milliseconds, before it is
    /// answered by lexical search alone.
    pub query_wait_ms: u64,
    /// How long a call that adds an entry or edits a record waits for its vectors, in milliseconds. After
    /// that the record is stored without vectors, and they follow later. A submission never waits.
    pub record_wait_ms: u64,
}

impl Default for EmbeddingSettings {
    fn default() -> Self {
        Self {
            provider: EmbeddingProvider::Builtin,
            model: "text-embedding-3-small".to_owned(),
            base_url: "https://api.openai.com/v1".to_owned(),
            api_key: Secret::default(),
            timeout_ms: 1_500,
            query_wait_ms: 150,
            record_wait_ms: 5_000,
        }
    }
}

/// What writes texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AiProvider {
    /// No model: texts are extracted from what is there.
    #[default]
    Off,
    /// An OpenAI-compatible endpoint.
    Openai,
}

/// Settings of the model that writes texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AiSettings {
    /// What writes them.
    pub provider: AiProvider,
    /// The model at the endpoint.
    pub model: String,
    /// The endpoint up to and without `/chat/completions`.
    pub base_url: String,
    /// The endpoint's key; `OPENAI_API_KEY` when unset.
    pub api_key: Secret,
    /// How long one answer may take, in milliseconds.
    pub timeout_ms: u64,
    /// How many requests are sent to the endpoint at once.
    pub concurrency: usize,
    /// Whether it writes titles and descriptions for the code examples of ingested documentation; one
    /// request per example.
    pub describe_examples: bool,
}

impl Default for AiSettings {
    fn default() -> Self {
        Self {
            provider: AiProvider::Off,
            model: "gpt-4o-mini".to_owned(),
            base_url: "https://api.openai.com/v1".to_owned(),
            api_key: Secret::default(),
            timeout_ms: 60_000,
            concurrency: 5,
            describe_examples: false,
        }
    }
}
