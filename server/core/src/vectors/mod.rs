//! Embeds records. Queries are embedded in `query_vectors`; records that are stored without a vector
//! get theirs in `backfill`.

pub mod backfill;
pub(crate) mod chunk_vectors;
pub(crate) mod comparison;
mod embedding;
pub mod embedding_pass;
pub(crate) mod entry_vectors;
pub(crate) mod fresh_vectors;
pub mod query_vectors;
pub(crate) mod turn;

use std::fmt;

use futures::future::{try_join, try_join_all};
use recall_kit_embed::{EmbedError, Embedder, normalized};
use recall_kit_search::quantize;
use recall_kit_store::{ExperienceContent, ExperienceVector, Store, StoreError, Unembedded};
use uuid::Uuid;

#[cfg(test)]
pub(crate) use self::embedding::ENTRIES_AT_ONCE;
pub use self::embedding::{Embedding, embedder};
use self::embedding_pass::{Pass, Refusals};

/// Records embedded per write to the database.
pub(crate) const BATCH: u32 = 32;
/// The most passages of a record that have a vector; text beyond them is found by lexical search only.
const MAX_PASSAGES: usize = 32;
/// The most vectors of a record: one for each passage, and one that emphasizes the headline.
pub const MAX_VECTORS: usize = MAX_PASSAGES + 1;
/// The most passages that are embedded while a record's author waits.
pub(crate) const PASSAGES_AT_ONCE: usize = 4;
/// The length from which the output of a build is embedded by its essence. *Unit*: bytes.
const LONG_OUTPUT: usize = 400;
/// The most words of a label in front of a title.
const LABEL_WORDS: usize = 4;
/// The fewest characters after a title's label that are meaningful by themselves.
const HEADLINE_CHARS: usize = 8;

/// Embeds a record, quantised, and returns the vectors with the model's name. Returns `None` for a record
/// that is too long to embed while its author waits, or when the model has no time or fails: such a record
/// gets its vectors later.
pub(crate) async fn embed_record(
    embedding: &Embedding,
    content: &ExperienceContent,
) -> Option<(String, Vec<u8>)> {
    let embedder = embedding.model_in_use()?;
    let embedded = within_record_wait(embedding, async {
        let texts = texts(&**embedder, &content.title, &record_text(content)).await?;
        if texts.passages.len() > PASSAGES_AT_ONCE {
            return Ok(None);
        }
        vectors(&**embedder, &texts).await.map(Some)
    });
    let vectors = embedded
        .await
        .inspect_err(|error| warn(error, "the record gets its vectors later"))
        .ok()??;
    Some((embedder.model().to_owned(), vectors))
}

/// Waits for the vectors of a record for at most the `record_wait_ms` of the settings.
async fn within_record_wait<T>(
    embedding: &Embedding,
    vectors: impl Future<Output = Result<T, EmbedError>>,
) -> Result<T, EmbedError> {
    let most = embedding.record_wait;
    let embedded = tokio::time::timeout(most, vectors).await;
    embedded.unwrap_or(Err(EmbedError::Busy(most)))
}

pub(crate) fn warn(error: &EmbedError, consequence: &str) {
    tracing::warn!(error = %error, "embedding failed, {consequence}");
}

/// Embeds a record of any length, quantised.
pub(crate) async fn stored_vectors(
    embedder: &dyn Embedder,
    content: &ExperienceContent,
) -> Result<Vec<u8>, EmbedError> {
    let texts = texts(embedder, &content.title, &record_text(content)).await?;
    vectors(embedder, &texts).await
}

/// The texts from which a record's vectors are computed.
pub(crate) struct Texts {
    headline: String,
    /// The record's text in parts, each preceded by the headline.
    pub(crate) passages: Vec<String>,
}

/// Splits a record with this title and this full text.
pub(crate) async fn texts(
    embedder: &dyn Embedder,
    title: &str,
    full_text: &str,
) -> Result<Texts, EmbedError> {
    let headline = headline(title);
    let mut passages = embedder.passages(full_text, MAX_PASSAGES).await?;
    for passage in passages.iter_mut().skip(1) {
        passage.insert(0, '\n');
        passage.insert_str(0, headline);
    }
    Ok(Texts {
        headline: headline.to_owned(),
        passages,
    })
}

/// Embeds each passage, and adds a vector in which the headline weighs as much as the first passage: a
/// query is often the headline in other words, and details would outweigh it.
pub(crate) async fn vectors(embedder: &dyn Embedder, texts: &Texts) -> Result<Vec<u8>, EmbedError> {
    let passages = texts
        .passages
        .iter()
        .map(|text| embedder.embed_record(text));
    let (headline, mut vectors) = try_join(
        embedder.embed_record(&texts.headline),
        try_join_all(passages),
    )
    .await?;
    if let Some(first) = vectors.first() {
        let sum = first.iter().zip(&headline).map(|(a, b)| a + b).collect();
        vectors.push(normalized(sum));
    }
    Ok(quantize(&vectors))
}

/// Returns a title without the label before its first colon (`git push: …`, `E0502: …`), which says
/// little about the meaning of the rest but strongly influences a model. If the text after the label is
/// too short, the full title is returned.
fn headline(title: &str) -> &str {
    let Some((label, rest)) = title.split_once(": ") else {
        return title;
    };
    let is_label = label.split_whitespace().count() <= LABEL_WORDS;
    let is_meaningful = rest.trim().chars().count() >= HEADLINE_CHARS;
    if is_label && is_meaningful {
        rest.trim()
    } else {
        title
    }
}

/// Returns the full text of a record; the parts that resemble a query come first.
fn record_text(content: &ExperienceContent) -> String {
    let mut parts = vec![content.title.as_str()];
    let essence = essence_of_long(&content.problem_description);
    if content.problem_description != content.title {
        parts.push(essence.as_deref().unwrap_or(&content.problem_description));
    }
    parts.extend(content.root_cause.as_deref());
    parts.push(&content.solution);
    let keywords = content.keywords.join(" ");
    parts.push(&keywords);
    parts.extend(content.context.as_deref());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Returns the essence of a build's output that is too long to be embedded as it is: its paths and boilerplate would
/// outweigh the cause.
fn essence_of_long(problem: &str) -> Option<String> {
    let is_long = problem.len() >= LONG_OUTPUT;
    is_long.then(|| recall_kit_build_log::essence(problem))?
}

/// Computes every vector of a database again, replaces them in one step, and returns how many were
/// computed. Records that were added or changed meanwhile get theirs afterwards.
///
/// `progress` is called after each batch with the number done.
///
/// *Errors*: [`ReembedError`].
pub async fn reembed(
    store: &dyn Store,
    embedder: &dyn Embedder,
    mut progress: impl FnMut(u64),
) -> Result<u64, ReembedError> {
    let mut vectors = Vec::new();
    let mut after = Uuid::nil();
    loop {
        // No record has a vector of the empty model name: this walks through all of them.
        let records = store.without_vector("", after, BATCH).await?;
        let Some(last) = records.last() else { break };
        after = last.experience.id;
        for Unembedded {
            experience,
            version,
        } in &records
        {
            vectors.push(ExperienceVector {
                id: experience.id,
                version: *version,
                vector: stored_vectors(embedder, &experience.content)
                    .await
                    .map_err(ReembedError::Embed)?,
            });
        }
        progress(vectors.len() as u64);
    }
    let replaced = store.replace_vectors(embedder.model(), &vectors).await?;
    let mut refusals = Refusals::default();
    let mut pass = Pass::new(embedder, &mut refusals);
    let later = |made| progress(replaced + made);
    let made = replaced + backfill::embed_missing(store, &mut pass, later).await?;
    let entries = |embedded| progress(made + embedded);
    let made = made + entry_vectors::embed_missing(store, &mut pass, entries).await?;
    match pass.into_failure() {
        Some(error) => Err(ReembedError::Incomplete(error)),
        None => Ok(made),
    }
}

/// How many records have no vector of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Missing {
    /// Experiences.
    pub records: u64,
    /// Entries of the knowledge base.
    pub entries: u64,
    /// Chunks of documentation.
    pub chunks: u64,
}

impl Missing {
    /// Whether every record has its vector.
    pub fn is_none(&self) -> bool {
        self == &Self::default()
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.records, "records"),
            (self.entries, "entries"),
            (self.chunks, "pieces of documentation"),
        ];
        let some = counts.into_iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = some
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        f.write_str(&words.join(", "))
    }
}

/// Counts the records that have no vector of a model.
///
/// *Errors*: those of the database.
pub async fn missing(store: &dyn Store, model: &str) -> Result<Missing, StoreError> {
    Ok(Missing {
        records: store.count_without_vector(model).await?,
        entries: store.count_entries_without_vectors(model).await?,
        chunks: store.count_chunks_without_vector(model).await?,
    })
}

/// Why not every vector could be computed again.
#[derive(Debug, thiserror::Error)]
pub enum ReembedError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model failed before anything was replaced.
    #[error("no vector was replaced; the old ones are still there")]
    Embed(#[source] EmbedError),
    /// The model failed on records that were added or changed meanwhile, or on entries.
    #[error("some records are left without a vector; a server with this model tries them again")]
    Incomplete(#[source] EmbedError),
}
