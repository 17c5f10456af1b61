//! Embedding queries and records, and giving vectors to records that have none.

use std::sync::{Arc, atomic::Ordering};

use recall_kit_shared_types::limits;
use uuid::Uuid;

use crate::{
    app::App,
    embed::{EmbedError, Embedder},
    search::quantize,
    store::{ExperienceContent, NewVector, Store, StoreError},
};

/// Records embedded between two writes.
const BATCH: u32 = 32;

/// Embeds a query; without a model, or when it fails, search is lexical.
pub async fn embed_query(app: &Arc<App>, text: &str) -> Option<Vec<f32>> {
    let embedder = model_in_use(app)?;
    let text: String = text.chars().take(limits::MAX_QUERY_CHARS).collect();
    embedder
        .embed_query(&text)
        .await
        .inspect_err(|error| warn(error, "searching lexically only"))
        .ok()
}

/// Embeds a record, quantised, with the model's name; a record without a vector gets one later.
pub async fn embed_record(
    app: &Arc<App>,
    content: &ExperienceContent,
) -> Option<(String, Vec<u8>)> {
    let embedder = model_in_use(app)?;
    let embedded = embedder.embed_record(&record_text(content)).await;
    let vector = embedded
        .inspect_err(|error| warn(error, "the record gets its vector later"))
        .ok()?;
    Some((embedder.model().to_owned(), quantize(&[vector])))
}

fn warn(error: &EmbedError, consequence: &str) {
    tracing::warn!(error = %error, "embedding failed, {consequence}");
}

/// The text of a record that its embedding stands for: what a question would be about comes first,
/// since models read only the beginning of a long text.
fn record_text(content: &ExperienceContent) -> String {
    let mut parts = vec![content.title.as_str()];
    if content.problem_description != content.title {
        parts.push(&content.problem_description);
    }
    parts.extend(content.root_cause.as_deref());
    parts.push(&content.solution);
    let keywords = content.keywords.join(" ");
    parts.push(&keywords);
    parts.extend(content.context.as_deref());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Gives a vector to every record that has none of the configured model, a batch at a time. A record
/// that the model fails on is passed over; the next round tries it again.
///
/// *Errors*: what the database said.
pub async fn backfill(app: &Arc<App>) -> Result<(), StoreError> {
    let Some(embedder) = model_in_use(app) else {
        return Ok(());
    };
    let mut after = Uuid::nil();
    loop {
        let records = app
            .store
            .without_vector(embedder.model(), after, BATCH)
            .await?;
        let Some(last) = records.last() else {
            return Ok(());
        };
        after = last.id;
        let mut vectors = Vec::with_capacity(records.len());
        for record in &records {
            match embedder.embed_record(&record_text(&record.content)).await {
                Ok(vector) => vectors.push(NewVector {
                    id: record.id,
                    vector: quantize(&[vector]),
                }),
                Err(error) => warn(&error, "the record stays without a vector for now"),
            }
        }
        if vectors.is_empty() {
            return Ok(());
        }
        app.store.put_vectors(embedder.model(), &vectors).await?;
        tracing::info!(records = vectors.len(), "records got their vectors");
    }
}

/// Notices when another process gave the database another model: from then on this one searches
/// lexically, as its embeddings cannot be compared with the new vectors.
pub async fn check_model(app: &Arc<App>) -> Result<(), StoreError> {
    let Some(embedder) = model_in_use(app) else {
        return Ok(());
    };
    match app.store.embedding_model().await? {
        Some(stored) if stored != embedder.model() => {
            tracing::error!(
                stored,
                "the vectors are now made by another model; searching lexically until the next start"
            );
            app.model_replaced.store(true, Ordering::Relaxed);
        }
        _ => {}
    }
    Ok(())
}

/// Returns the model, unless there is none or the database has another by now.
fn model_in_use(app: &App) -> Option<&Arc<dyn Embedder>> {
    app.embedder
        .as_ref()
        .filter(|_| !app.model_replaced.load(Ordering::Relaxed))
}

/// Makes every vector of a database anew, replaces them in one step, and returns how many.
///
/// `progress` hears after each batch how many are done.
pub async fn reembed(
    store: &dyn Store,
    embedder: &dyn Embedder,
    mut progress: impl FnMut(usize),
) -> Result<usize, ReembedError> {
    let mut vectors = Vec::new();
    let mut after = Uuid::nil();
    loop {
        // No record has a vector of the empty model name: this walks through all of them.
        let records = store.without_vector("", after, BATCH).await?;
        let Some(last) = records.last() else { break };
        after = last.id;
        for record in &records {
            let vector = embedder.embed_record(&record_text(&record.content)).await?;
            vectors.push(NewVector {
                id: record.id,
                vector: quantize(&[vector]),
            });
        }
        progress(vectors.len());
    }
    store.replace_vectors(embedder.model(), &vectors).await?;
    Ok(vectors.len())
}

/// Why vectors could not be made anew; the old ones are still there.
#[derive(Debug, thiserror::Error)]
pub enum ReembedError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}
