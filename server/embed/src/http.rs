//! Embeddings from any OpenAI-compatible `/v1/embeddings` endpoint.

use std::time::Duration;

use async_openai::{
    Client,
    config::OpenAIConfig,
    error::OpenAIError,
    types::embeddings::{CreateEmbeddingRequest, EmbeddingInput},
};
use async_trait::async_trait;
use recall_kit_fair_queue::{FairQueue, Urgency};

use super::{
    EmbedError, Embedder,
    passages::{self, Cut},
};

/// The most characters of a text that are sent: endpoints reject longer texts (8,191 tokens at OpenAI).
const MAX_CHARS: usize = 16_000;

/// The most requests for records at a time. Queries are not limited, because users wait for them.
const RECORDS_AT_ONCE: usize = 8;

/// A model behind an HTTP endpoint.
pub struct HttpEmbedder {
    /// Limits the requests for records.
    records: FairQueue,
    client: Client<OpenAIConfig>,
    /// The model's name at the endpoint.
    endpoint_model: String,
    /// `openai:` followed by that name.
    model: String,
    timeout: Duration,
}

/// An endpoint and the model to request there.
pub struct HttpEndpoint {
    /// The base URL, without `/embeddings`.
    pub base_url: String,
    /// Sent as a bearer token; if it is empty, none is sent.
    pub api_key: String,
    /// The model's name at the endpoint.
    pub model: String,
    /// The timeout for one text.
    pub timeout: Duration,
}

impl HttpEmbedder {
    /// Creates a client; it sends nothing before the first text.
    pub fn new(endpoint: HttpEndpoint) -> Self {
        let config = OpenAIConfig::new()
            .with_api_base(endpoint.base_url)
            .with_api_key(endpoint.api_key);
        let model = format!("openai:{}", endpoint.model);
        Self {
            records: FairQueue::new(RECORDS_AT_ONCE),
            client: Client::with_config(config),
            endpoint_model: endpoint.model,
            model,
            timeout: endpoint.timeout,
        }
    }

    async fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let request = CreateEmbeddingRequest {
            model: self.endpoint_model.clone(),
            input: EmbeddingInput::String(text.chars().take(MAX_CHARS).collect()),
            ..CreateEmbeddingRequest::default()
        };
        let embeddings = self.client.embeddings();
        let answer = tokio::time::timeout(self.timeout, embeddings.create(request))
            .await
            .map_err(|_| {
                EmbedError::Timeout(u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX))
            })?
            .map_err(|error| EmbedError::Endpoint(what_failed(&error)))?;
        let vector = answer
            .data
            .into_iter()
            .next()
            .ok_or(EmbedError::Unusable)?
            .embedding;
        normalized(vector)
    }
}

/// Describes an error without the endpoint's own words, which may repeat the text or the key.
pub fn what_failed(error: &OpenAIError) -> String {
    match error {
        OpenAIError::Reqwest(error) if error.is_connect() => "it cannot be reached".to_owned(),
        OpenAIError::Reqwest(error) => match error.status() {
            Some(status) => format!("it answered with status {status}"),
            None => "the connection broke".to_owned(),
        },
        OpenAIError::ApiError(refusal) => format!("it refused with status {}", refusal.status_code),
        OpenAIError::JSONDeserialize(..) => "its answer is not of the OpenAI kind".to_owned(),
        _ => "the request failed".to_owned(),
    }
}

/// Scales a vector to length 1.
fn normalized(mut vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !norm.is_finite() || norm <= 0.0 {
        return Err(EmbedError::Unusable);
    }
    vector.iter_mut().for_each(|x| *x /= norm);
    Ok(vector)
}

#[async_trait]
impl Embedder for HttpEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(text).await
    }

    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let cost = text.len().min(MAX_CHARS) as u64;
        let _turn = self.records.turn(Urgency::Patient, cost).await;
        self.embed(text).await
    }

    async fn passages(&self, text: &str, most: usize) -> Result<Vec<String>, EmbedError> {
        let cut = Cut {
            units: MAX_CHARS,
            passages: most,
        };
        Ok(passages::split(text, cut, |piece| piece.chars().count()))
    }
}
