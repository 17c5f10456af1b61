//! Embeddings: texts to vectors, by the built-in model or an OpenAI-compatible endpoint.
//!
//! What a record's text is made of is decided in the service; how vectors are compared, in the
//! index.

mod builtin;
mod centre;
mod http;
mod languages;
mod passages;
mod topics;

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization as _;

pub use self::centre::normalized;
pub(crate) use self::http::what_failed;
pub use self::http::{HttpEmbedder, HttpEndpoint};
use self::{
    builtin::BuiltinModel,
    centre::{Kind, centred},
};

/// The weights that every build carries; see `server/models/README.md`.
static WEIGHTS: &[u8] = include_bytes!("../../models/multilingual-e5-small-q4.bin");

/// Tokens of a passage: the model reads 512, of which the ends and the prefix take some, and pieces
/// that are counted apart may come out longer together.
const PASSAGE_TOKENS: usize = 480;

/// Measured with the built-in model on pairs of entries about different topics; see
/// `server/KNOWLEDGE.md`.
const UNRELATED: Unrelated = Unrelated {
    mean: 0.0,
    deviation: 0.082,
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
    /// The endpoint did not answer in time.
    #[error("the embeddings endpoint did not answer within {0} ms")]
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

    /// Returns how much an embedded query is about something that no experience is about: the
    /// cosine to the nearest everyday topic, 0 where the model knows none.
    fn everyday(&self, _query: &[f32]) -> f32 {
        0.0
    }

    /// Returns how alike the vectors of unrelated records are; `None` where nobody measured it.
    fn unrelated(&self) -> Option<Unrelated> {
        None
    }

    /// Returns what a record's vector says about its topic, whatever language it is in: what two
    /// records are compared by. *Shape*: as the vector, L2-normalised; the vector itself where the
    /// model's languages are not known.
    fn topic(&self, record: &[f32]) -> Vec<f32> {
        record.to_vec()
    }

    /// Checks that the model can be used.
    async fn ready(&self) -> Result<(), EmbedError> {
        self.embed_query("ready").await.map(drop)
    }

    /// Cuts a record's text into passages of which the model reads every word.
    async fn passages(&self, text: &str) -> Result<Vec<String>, EmbedError>;
}

/// The model inside the program: multilingual-e5-small, 384 dimensions.
#[derive(Clone)]
pub struct BuiltinEmbedder {
    model: Arc<OnceLock<Result<BuiltinModel, String>>>,
    /// As many texts at once as there are cores; more would only slow each other.
    cores: Arc<Semaphore>,
}

impl BuiltinEmbedder {
    /// Prepares the model; its weights are unpacked on first use, or by [`BuiltinEmbedder::warm`].
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            model: Arc::default(),
            cores: Arc::new(Semaphore::new(cores)),
        }
    }

    /// Unpacks the weights in the background, so that the first query need not wait for it.
    pub fn warm(&self) {
        let model = Arc::clone(&self.model);
        drop(tokio::task::spawn_blocking(move || {
            model.get_or_init(load);
        }));
    }

    async fn embed(&self, prefix: &str, text: &str) -> Result<Vec<f32>, EmbedError> {
        // The model knows composed characters; some systems write them in parts.
        let text: String = prefix.chars().chain(text.nfc()).collect();
        self.with_model(move |model| model.embed(&text)).await
    }

    /// Works with the model on a thread of its own, when a core is free.
    async fn with_model<T: Send + 'static>(
        &self,
        work: impl FnOnce(&BuiltinModel) -> T + Send + 'static,
    ) -> Result<T, EmbedError> {
        let core = Arc::clone(&self.cores).acquire_owned();
        let core = core.await.map_err(|_| EmbedError::Stopped)?;
        let model = Arc::clone(&self.model);
        let worked = tokio::task::spawn_blocking(move || {
            // Held until the work is done, also when nobody waits for it any more.
            let _core = core;
            let model = model.get_or_init(load).as_ref();
            model.map(work).map_err(String::clone)
        });
        worked
            .await
            .map_err(|_| EmbedError::Stopped)?
            .map_err(EmbedError::Model)
    }
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

    // The prefixes are the model's: it was trained with them (arXiv 2402.05672).
    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = self.embed("query: ", text).await?;
        Ok(centred(Kind::Query, vector))
    }

    async fn embed_record(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = self.embed("passage: ", text).await?;
        Ok(centred(Kind::Record, vector))
    }

    fn everyday(&self, query: &[f32]) -> f32 {
        topics::nearest(query)
    }

    fn unrelated(&self) -> Option<Unrelated> {
        Some(UNRELATED)
    }

    fn topic(&self, record: &[f32]) -> Vec<f32> {
        languages::without(record)
    }

    async fn ready(&self) -> Result<(), EmbedError> {
        self.with_model(|_| ()).await
    }

    async fn passages(&self, text: &str) -> Result<Vec<String>, EmbedError> {
        // What cannot be too long need not be counted.
        if text.len() <= PASSAGE_TOKENS {
            return Ok(vec![text.to_owned()]);
        }
        let text: String = text.nfc().collect();
        self.with_model(move |model| {
            passages::split(&text, PASSAGE_TOKENS, |piece| model.token_count(piece))
        })
        .await
    }
}
