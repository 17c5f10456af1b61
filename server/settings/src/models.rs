//! Settings of the models: what makes embeddings, and what writes texts.

use serde::{Deserialize, Serialize};

use super::Secret;

/// What makes embeddings.
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
    /// What makes them.
    pub provider: EmbeddingProvider,
    /// The model at the endpoint; only for `openai`.
    pub model: String,
    /// The endpoint up to and without `/embeddings`; only for `openai`.
    pub base_url: String,
    /// The endpoint's key; `OPENAI_API_KEY` when unset.
    pub api_key: Secret,
    /// How long one text may take, in milliseconds; a query past that is answered by its words alone.
    pub timeout_ms: u64,
    /// How long a query waits for its turn at the built-in model, in milliseconds, before it is
    /// answered by its words alone.
    pub query_wait_ms: u64,
    /// How long whoever adds an entry or edits a record waits for its vectors, in milliseconds, before
    /// it is stored without; it gets them later then. A submission waits for none.
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
    /// Nothing: texts are made by extraction.
    #[default]
    Off,
    /// An OpenAI-compatible endpoint.
    Openai,
}

/// Settings of what writes texts.
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
    /// How many questions the endpoint is asked at once.
    pub concurrency: usize,
    /// Whether it writes titles and descriptions of the examples in documentation that is read in;
    /// each is asked for once.
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
