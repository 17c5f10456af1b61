//! Embedding pieces of documentation: each below the headings that lead to it.

use uuid::Uuid;

use super::vectors::{BATCH, warn};
use crate::{
    app::App,
    embed::{EmbedError, Embedder},
    search::quantize,
    store::{ChunkContent, NewVector, StoreError},
};

/// Gives a vector to every chunk that has none of the model. A chunk that the model fails on is passed
/// over; the next round tries it again.
///
/// *Errors*: what the database said.
pub(super) async fn backfill(app: &App, embedder: &dyn Embedder) -> Result<(), StoreError> {
    let (mut after, mut made) = (Uuid::nil(), 0);
    loop {
        let store = app.store.as_ref();
        let chunks = store
            .chunks_without_vector(embedder.model(), after, BATCH)
            .await?;
        let Some(last) = chunks.last() else {
            break;
        };
        after = last.id;
        let mut done = Vec::with_capacity(chunks.len());
        for chunk in &chunks {
            match embed(embedder, &chunk.content).await {
                Ok(vector) => done.push(NewVector {
                    id: chunk.id,
                    vector,
                }),
                Err(error) => warn(&error, "the chunk stays without a vector for now"),
            }
        }
        if done.is_empty() {
            break;
        }
        store.put_chunk_vectors(embedder.model(), &done).await?;
        made += done.len();
    }
    if made > 0 {
        tracing::info!(chunks = made, "pieces of documentation got their vectors");
    }
    Ok(())
}

/// Embeds a chunk, quantised: one vector, as a chunk is about one thing and hardly longer than what a
/// model reads at once.
async fn embed(embedder: &dyn Embedder, content: &ChunkContent) -> Result<Vec<u8>, EmbedError> {
    let mut whole = content.title.clone();
    for part in [content.description.as_deref(), Some(&content.text)]
        .into_iter()
        .flatten()
    {
        whole.push('\n');
        whole.push_str(part);
    }
    let passages = embedder.passages(&whole, 1).await?;
    let first = passages.first().map_or(whole.as_str(), String::as_str);
    Ok(quantize(&[embedder.embed_record(first).await?]))
}
