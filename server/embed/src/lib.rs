//! Embeddings: texts to vectors, by the built-in model or an OpenAI-compatible endpoint.
//!
//! What a record's text is made of is decided in `core`; how vectors are compared, in the
//! index.

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

/// The weights that every build carries; see `server/embed/models/README.md`.
static WEIGHTS: &[u8] = include_bytes!("../models/multilingual-e5-small-q4.bin");

/// Tokens of a passage: the model reads 512, of which the ends and the prefix take some, and pieces
/// that are counted apart may come out longer together.
const PASSAGE_TOKENS: usize = 480;

/// The least and the most that embedding one text costs in the queue, in bytes: about a few words,
/// and about what the model reads at once.
const COST_OF_A_TEXT: usize = 64;
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
    /// The work was stopped, as the program is about to end.
    #[error("embedding was stopped")]
    Stopped,
    /// A query did not get its turn in time.
    #[error("the model was busy for {} ms", .0.as_millis())]
    Busy(Duration),
    /// The model or its endpoint did not answer in time.
    #[error("there was no embedding within {0} ms")]
    Timeout(u64),
    /// The endpoint refused or could not be reached.
    #[error("the embeddings endpoint failed: {0}")]
    Endpoint(String),
    /// The endpoint's answer holds no vector, or one that is not finite.
    #[error("the embeddings endpoint sent no usable vector")]
    Unusable,
}

/// The cosines between the topics of records that have nothing to do with each other.
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
    /// Returns the model's name, which a database remembers beside its vectors.
    fn model(&self) -> &str;

    /// Returns the size of its vectors, where that is known without asking for one.
    fn dimensions(&self) -> Option<usize> {
        None
    }

    /// Embeds what a user looks for. *Shape*: `(dimensions,)`, L2-normalised.
    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Embeds a record or a passage of one. *Shape*: `(dimensions,)`, L2-normalised.
    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Returns how much a query, as it is [compared](Self::compared), is about everyday life, which no
    /// experience is about, in log odds; 0 where it is not, and where the model cannot tell.
    fn everyday(&self, _query: &[f32]) -> f32 {
        0.0
    }

    /// Returns how alike the vectors of unrelated records are; `None` where nobody measured it.
    fn unrelated(&self) -> Option<Unrelated> {
        None
    }

    /// Returns the name of what vectors are compared as: another name means that what was derived
    /// from stored vectors has to be derived anew.
    fn space(&self) -> String {
        self.model().to_owned()
    }

    /// Returns an embedded query or record as it is compared with others: what it says about its topic,
    /// whatever language it is in. *Shape*: as the vector, L2-normalised; the vector itself where the
    /// model's languages are not known.
    fn compared(&self, vector: &[f32]) -> Vec<f32> {
        vector.to_vec()
    }

    /// Returns the language of an embedded query or record, as a number of the model's own; `None`
    /// where it cannot be told.
    fn language(&self, _vector: &[f32]) -> Option<u8> {
        None
    }

    /// Checks that the model can be used.
    async fn ready(&self) -> Result<(), EmbedError> {
        self.embed_query("ready").await.map(drop)
    }

    /// Cuts a record's text into passages of which the model reads every word, and returns the first
    /// ones, at most `most`.
    async fn passages(&self, text: &str, most: usize) -> Result<Vec<String>, EmbedError>;
}

/// The model inside the program: multilingual-e5-small, 384 dimensions.
///
/// It works at as many texts at once as there are cores. Queries go before records, and each caller
/// gets the same share of it.
#[derive(Clone)]
pub struct BuiltinEmbedder {
    model: Arc<OnceLock<Result<BuiltinModel, String>>>,
    queue: FairQueue,
    query_wait: Duration,
}

impl BuiltinEmbedder {
    /// Prepares the model; its weights are unpacked on first use, or by [`BuiltinEmbedder::warm`].
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            model: Arc::default(),
            queue: FairQueue::new(cores),
            query_wait: Duration::MAX,
        }
    }

    /// Bounds how long a query waits for its turn; past that it fails with [`EmbedError::Busy`].
    pub fn with_query_wait(self, query_wait: Duration) -> Self {
        Self { query_wait, ..self }
    }

    /// Unpacks the weights in the background, so that the first query need not wait for it.
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

    /// Works with the model on a thread of its own, when it is this task's turn.
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
            // Held until the work is done, also when nobody waits for it any more.
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

/// Returns a text as the model reads it: behind the prefix it was trained with (arXiv 2402.05672),
/// and composed, as some systems write characters in parts.
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
        // What cannot be too long need not be counted.
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
