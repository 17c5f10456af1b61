//! Embeds entries: a summary of title and content, and the conversation from which the entry comes.

use futures::future::try_join_all;
use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_search::quantize;
use recall_kit_store::{EntryContent, EntryVectors, NewEntryVectors, Store, StoreError};
use ulid::Ulid;

use super::{
    BATCH, Embedding, PASSAGES_AT_ONCE, embedding_pass::Pass, texts, vectors, warn,
    within_record_wait,
};

/// How many passages of a conversation have a vector: its subject shows early.
const CONTEXT_PASSAGES: usize = 2;

/// Embeds a new entry, quantised, and returns the vectors with the model's name. Returns `None` for an
/// entry that is too long to embed while its author waits, when `ENTRIES_AT_ONCE` others are waiting, or when
/// the model has no time or fails: such an entry gets its vectors later.
pub(crate) async fn embed_new(
    embedding: &Embedding,
    content: &EntryContent,
) -> Option<(String, EntryVectors)> {
    let embedder = embedding.model_in_use()?;
    let _permit = embedding.addition_permits.try_acquire().ok()?;
    let vectors = embed(&**embedder, content, PASSAGES_AT_ONCE);
    let vectors = within_record_wait(embedding, vectors)
        .await
        .inspect_err(|error| warn(error, "the entry gets its vectors later"))
        .ok()??;
    Some((embedder.model().to_owned(), vectors))
}

/// Embeds an entry; `None` if its summary has more than `most` passages.
async fn embed(
    embedder: &dyn Embedder,
    content: &EntryContent,
    most: usize,
) -> Result<Option<EntryVectors>, EmbedError> {
    let texts = texts(embedder, &content.title, &summary_text(content)).await?;
    if texts.passages.len() > most {
        return Ok(None);
    }
    let (summary, context) = futures::try_join!(
        vectors(embedder, &texts),
        context_vectors(embedder, content.context.as_deref())
    )?;
    Ok(Some(EntryVectors { summary, context }))
}

async fn context_vectors(
    embedder: &dyn Embedder,
    context: Option<&str>,
) -> Result<Option<Vec<u8>>, EmbedError> {
    let Some(context) = context else {
        return Ok(None);
    };
    let passages = embedder.passages(context, CONTEXT_PASSAGES).await?;
    let embedded = passages.iter().map(|text| embedder.embed_record(text));
    Ok(Some(quantize(&try_join_all(embedded).await?)))
}

fn summary_text(content: &EntryContent) -> String {
    let tags = content.tags.join(" ");
    let mut parts = vec![content.title.as_str(), &content.content, &tags];
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n")
}

/// Embeds every entry that has no vectors of the model and returns how many got theirs; `progress`
/// is called after each batch with the number so far.
///
/// *Errors*: those of the database.
pub(crate) async fn embed_missing(
    store: &dyn Store,
    pass: &mut Pass<'_>,
    mut progress: impl FnMut(u64),
) -> Result<u64, StoreError> {
    let (mut after, mut count) = (Ulid::nil(), 0);
    while let Some(done) = embed_next(store, pass, &mut after).await? {
        let stored = store
            .put_entry_vectors(pass.embedder.model(), &done)
            .await?;
        count += stored.len() as u64;
        progress(count);
    }
    Ok(count)
}

/// Embeds the next batch of entries without vectors after the id `after`, which it advances; `None` at
/// the end of the pass.
pub(crate) async fn embed_next(
    store: &dyn Store,
    pass: &mut Pass<'_>,
    after: &mut Ulid,
) -> Result<Option<Vec<NewEntryVectors>>, StoreError> {
    if pass.is_over() {
        return Ok(None);
    }
    let entries = store
        .entries_without_vectors(pass.embedder.model(), *after, BATCH)
        .await?;
    let Some(last) = entries.last() else {
        return Ok(None);
    };
    *after = last.id;
    let mut batch = Vec::with_capacity(entries.len());
    for entry in &entries {
        let (id, version) = (entry.id, entry.version());
        let vectors = embed(pass.embedder, &entry.content, usize::MAX).await;
        let of_version = |vectors| NewEntryVectors {
            id,
            version,
            vectors,
        };
        if let Some(made) = vectors.map(|made| made.map(of_version)).transpose() {
            batch.push((id, made));
        }
    }
    let embedded = pass.embedded("entry", batch).await;
    Ok(Some(embedded.into_iter().map(|(_, new)| new).collect()))
}
