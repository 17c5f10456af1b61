//! Embeds chunks of documentation, each together with its headings.

use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_search::quantize;
use recall_kit_store::{ChunkContent, NewVector, Store, StoreError};
use uuid::Uuid;

use super::{BATCH, embedding_pass::Pass};

/// Computes a vector for every chunk that has none of the model. A chunk that the model rejects is
/// skipped; the next pass tries it again.
///
/// *Errors*: those of the database.
pub(crate) async fn backfill(store: &dyn Store, pass: &mut Pass<'_>) -> Result<(), StoreError> {
    let model = pass.embedder.model();
    let (mut after, mut made) = (Uuid::nil(), 0);
    while !pass.is_over() {
        let chunks = store.chunks_without_vector(model, after, BATCH).await?;
        let Some(last) = chunks.last() else { break };
        after = last.id;
        let mut batch = Vec::with_capacity(chunks.len());
        for chunk in &chunks {
            batch.push((chunk.id, embed(pass.embedder, &chunk.content).await));
        }
        let embedded = pass.embedded("chunk", batch).await.into_iter();
        let new: Vec<_> = embedded
            .map(|(id, vector)| NewVector { id, vector })
            .collect();
        if !new.is_empty() {
            store.put_chunk_vectors(model, &new).await?;
            made += new.len();
        }
    }
    if made > 0 {
        tracing::info!(chunks = made, "vectors of documentation chunks computed");
    }
    Ok(())
}

/// Embeds a chunk, quantised, as one vector: a chunk is about one thing and hardly longer than what a
/// model reads at once.
async fn embed(embedder: &dyn Embedder, content: &ChunkContent) -> Result<Vec<u8>, EmbedError> {
    let mut text = content.title.clone();
    for part in [content.description.as_deref(), Some(&content.text)]
        .into_iter()
        .flatten()
    {
        text.push('\n');
        text.push_str(part);
    }
    let passages = embedder.passages(&text, 1).await?;
    let first = passages.first().map_or(text.as_str(), String::as_str);
    Ok(quantize(&[embedder.embed_record(first).await?]))
}
