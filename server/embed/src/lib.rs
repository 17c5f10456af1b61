//! Embeddings: texts to vectors, by the built-in model or an OpenAI-compatible endpoint.
//!
//! `core` decides which texts of a record are embedded; the search index compares the vectors.

mod builtin;
mod centre;
mod everyday;
mod http;
mod passages;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use recall_kit_fair_queue::{FairQueue, Urgency};
use unicode_normalization::UnicodeNormalization as _;

pub use self::centre::normalized;
pub use self::http::what_failed;
pub use self::http::{HttpEmbedder, HttpEndpoint};
use self::{
    builtin::{BuiltinModel, LanguageMap},
    centre::{Kind, centred},
    passages::Cut,
};

/// The weights of the built-in model; see `server/embed/models/README.md`.
static WEIGHTS: &[u8] = include_bytes!("../models/multilingual-e5-small-q4.bin");

/// The most tokens of a passage. The model reads 512, some of which are the end marks and the prefix, and pieces
/// that are counted separately may have more tokens together.
const PASSAGE_TOKENS: usize = 480;

/// The least that embedding one text costs in the queue, in bytes: about a few words.
const COST_OF_A_TEXT: usize = 64;
/// The most that it costs: about what the model reads at once.
const COST_OF_A_PASSAGE: usize = 2_048;

/// Measured with the built-in model on pairs of entries about different topics; see
/// `docs/design/knowledge.md`.
const UNRELATED: Unrelated = Unrelated {
    mean: 0.1,
    deviation: 0.089,
};

/// Why a text could not be embedded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The built-in weights could not be read.
    #[error("the built-in model is damaged: {0}")]
    Model(String),
    /// The program is shutting down.
    #[error("embedding was stopped")]
    Stopped,
    /// A query did not get a place in the queue in time.
    #[error("the model was busy for {} ms", .0.as_millis())]
    Busy(Duration),
    /// The model or its endpoint did not answer in time.
    #[error("the embedding took longer than {0} ms")]
    Timeout(u64),
    /// The endpoint rejected the request or could not be reached.
    #[error("the embeddings endpoint failed: {0}")]
    Endpoint(String),
    /// The endpoint's response has no vector, or one that is not finite.
    #[error("the embeddings endpoint sent no usable vector")]
    Unusable,
}

/// The distribution of the cosines of unrelated records' topics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unrelated {
    /// Their mean.
    pub mean: f32,
    /// Their standard deviation.
    pub deviation: f32,
}

/// Turns texts into L2-normalised vectors that can be compared by their dot product.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns the model's name, which is stored in the database with its vectors.
    fn model(&self) -> &str;

    /// Returns the number of dimensions, if it is known without embedding a text.
    fn dimensions(&self) -> Option<usize> {
        None
    }

    /// Embeds a query. *Shape*: `(dimensions,)`, L2-normalised.
    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Embeds a record or a passage of one. *Shape*: `(dimensions,)`, L2-normalised.
    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Returns how much a query, as it is [compared](Self::compared), is about everyday life, in log odds; 0 if
    /// it is not or the model cannot tell. No record is about everyday life.
    fn everyday(&self, _query: &[f32]) -> f32 {
        0.0
    }

    /// Returns the distribution of cosines of unrelated records; `None` if it was not measured for this model.
    fn unrelated(&self) -> Option<Unrelated> {
        None
    }

    /// Returns the name of the space in which vectors are compared. If the name changes, everything that was
    /// derived from stored vectors has to be computed again.
    fn space(&self) -> String {
        self.model().to_owned()
    }

    /// Returns the vector of a query or record in the form that is compared with others: it describes the topic,
    /// independent of the language. *Shape*: as the vector, L2-normalised; the vector itself if the model has no
    /// language map.
    fn compared(&self, vector: &[f32]) -> Vec<f32> {
        vector.to_vec()
    }

    /// Returns the language of an embedded query or record, as a number that the model defines; `None` if it
    /// cannot be recognized.
    fn language(&self, _vector: &[f32]) -> Option<u8> {
        None
    }

    /// Checks that the model can be used.
    async fn ready(&self) -> Result<(), EmbedError> {
        self.embed_query("ready").await.map(drop)
    }

    /// Splits a record's text into passages that the model reads completely, and returns the first ones, at most
    /// `most`.
    async fn passages(&self, text: &str, most: usize) -> Result<Vec<String>, EmbedError>;
}

/// The built-in model: multilingual-e5-small, 384 dimensions.
///
/// It embeds as many texts at a time as there are cores. Queries go before records, and each caller gets an
/// equal share.
#[derive(Clone)]
pub struct BuiltinEmbedder {
    model: Arc<OnceLock<Result<BuiltinModel, String>>>,
    queue: FairQueue,
    query_wait: Duration,
}

impl BuiltinEmbedder {
    /// Creates the embedder; the weights are unpacked on first use, or by [`BuiltinEmbedder::warm`].
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            model: Arc::default(),
            queue: FairQueue::new(cores),
            query_wait: Duration::MAX,
        }
    }

    /// Limits how long a query waits in the queue; after that it fails with [`EmbedError::Busy`].
    pub fn with_query_wait(self, query_wait: Duration) -> Self {
        Self { query_wait, ..self }
    }

    /// Unpacks the weights in the background, so that the first query need not wait for that.
    pub fn warm(&self) {
        let model = Arc::clone(&self.model);
        drop(tokio::task::spawn_blocking(move || {
            model.get_or_init(load);
        }));
    }

    async fn embed(&self, urgency: Urgency, text: String) -> Result<Vec<f32>, EmbedError> {
        let cost = text.len().clamp(COST_OF_A_TEXT, COST_OF_A_PASSAGE);
        self.with_model(urgency, cost, move |model| model.embed(&text))
            .await
    }

    /// Runs `work` with the model on a blocking thread, when the queue gives this task a place.
    async fn with_model<T: Send + 'static>(
        &self,
        urgency: Urgency,
        cost: usize,
        work: impl FnOnce(&BuiltinModel) -> T + Send + 'static,
    ) -> Result<T, EmbedError> {
        let turn = self.queue.turn(urgency, cost as u64);
        let turn = match urgency {
            Urgency::Urgent => tokio::time::timeout(self.query_wait, turn)
                .await
                .map_err(|_| EmbedError::Busy(self.query_wait))?,
            Urgency::Patient => turn.await,
        };
        let model = Arc::clone(&self.model);
        let worked = tokio::task::spawn_blocking(move || {
            // Held until the work is done, even if the caller no longer waits for it.
            let _turn = turn;
            let model = model.get_or_init(load).as_ref();
            model.map(work).map_err(String::clone)
        });
        worked
            .await
            .map_err(|_| EmbedError::Stopped)?
            .map_err(EmbedError::Model)
    }
}

/// Returns a text in the form that the model reads: with the prefix that it was trained with (arXiv 2402.05672),
/// and composed (NFC), because some systems decompose characters.
fn prefixed(prefix: &str, text: &str) -> String {
    prefix.chars().chain(text.nfc()).collect()
}

fn load() -> Result<BuiltinModel, String> {
    BuiltinModel::load(WEIGHTS.into()).map_err(|error| error.to_string())
}

impl Default for BuiltinEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Embedder for BuiltinEmbedder {
    fn model(&self) -> &str {
        "builtin:multilingual-e5-small-q4-centred"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(centre::DIMENSIONS)
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let text = prefixed("query: ", text);
        let vector = self.embed(Urgency::Urgent, text).await?;
        Ok(centred(Kind::Query, vector))
    }

    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let text = prefixed("passage: ", text);
        let vector = self.embed(Urgency::Patient, text).await?;
        Ok(centred(Kind::Record, vector))
    }

    fn everyday(&self, query: &[f32]) -> f32 {
        everyday::excess(query)
    }

    fn unrelated(&self) -> Option<Unrelated> {
        Some(UNRELATED)
    }

    fn space(&self) -> String {
        let map = LanguageMap::builtin().checksum();
        format!("{}/map-{map:08x}", self.model())
    }

    fn compared(&self, vector: &[f32]) -> Vec<f32> {
        LanguageMap::builtin().map(vector)
    }

    fn language(&self, vector: &[f32]) -> Option<u8> {
        LanguageMap::builtin().language(vector)
    }

    async fn ready(&self) -> Result<(), EmbedError> {
        self.with_model(Urgency::Patient, COST_OF_A_TEXT, |_| ())
            .await
    }

    async fn passages(&self, text: &str, most: usize) -> Result<Vec<String>, EmbedError> {
        // A text of so few bytes cannot have too many tokens.
        if text.len() <= PASSAGE_TOKENS {
            return Ok(vec![text.to_owned()]);
        }
        let text: String = text.nfc().collect();
        let cut = Cut {
            units: PASSAGE_TOKENS,
            passages: most,
        };
        self.with_model(Urgency::Patient, COST_OF_A_PASSAGE, move |model| {
            passages::split(&text, cut, |piece| model.token_count(piece))
        })
        .await
    }
}

#[cfg(test)]
mod tests;
