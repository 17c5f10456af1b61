//! Embedding entries: a summary, of title and content, and the conversation that they come from.

use std::sync::Arc;

use futures::future::try_join_all;
use ulid::Ulid;

use super::{
    family::Family,
    indexing, suggestions,
    vectors::{
        BATCH, PASSAGES_AT_ONCE, ReembedError, model_in_use, texts, vectors, warn,
        within_record_wait,
    },
};
use crate::{
    app::App,
    embed::{EmbedError, Embedder},
    error::{ServiceError, chain},
    search::quantize,
    store::{Entry, EntryContent, EntryVectors, Projects, Store, StoreError},
};

/// Passages of a conversation that have a vector: what it is about shows early.
const CONTEXT_PASSAGES: usize = 2;

/// Embeds a new entry, quantised, with the model's name. An entry without vectors gets them later,
/// as one does that is so long that its author would wait for them, or that the model has no time for.
pub(super) async fn embed_new(
    app: &Arc<App>,
    content: &EntryContent,
) -> Option<(String, EntryVectors)> {
    let embedder = model_in_use(app)?;
    let embedding = embed(&**embedder, content, PASSAGES_AT_ONCE);
    let vectors = within_record_wait(app, embedding)
        .await
        .inspect_err(|error| warn(error, "the entry gets its vectors later"))
        .ok()??;
    Some((embedder.model().to_owned(), vectors))
}

/// Embeds an entry; `None` when its summary has more passages than wanted.
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

/// Gives vectors to every entry that has none of the model, and suggests what it may have to do
/// with others. An entry that the model fails on is passed over; the next round tries it again.
///
/// *Errors*: what the database said.
pub(super) async fn backfill(
    app: &Arc<App>,
    embedder: &Arc<dyn Embedder>,
) -> Result<(), StoreError> {
    let mut after = Ulid::nil();
    loop {
        let store = app.store.as_ref();
        let entries = store
            .entries_without_vectors(embedder.model(), after, BATCH)
            .await?;
        let Some(last) = entries.last() else {
            return Ok(());
        };
        after = last.id;
        let mut done = Vec::with_capacity(entries.len());
        for Entry { id, content, .. } in &entries {
            match embed(&**embedder, content, usize::MAX).await {
                Ok(vectors) => done.extend(vectors.map(|vectors| (*id, vectors))),
                Err(error) => warn(&error, "the entry stays without vectors for now"),
            }
        }
        if done.is_empty() {
            return Ok(());
        }
        store.put_entry_vectors(embedder.model(), &done).await?;
        tracing::info!(entries = done.len(), "entries got their vectors");
        if let Err(error) = suggest_all(app, &done).await {
            tracing::warn!(error = chain(&error), "no suggestions were made");
        }
    }
}

async fn suggest_all(app: &Arc<App>, done: &[(Ulid, EntryVectors)]) -> Result<(), ServiceError> {
    indexing::catch_up(app, Family::Entries).await?;
    for (id, vectors) in done {
        suggestions::suggest(app, &Projects::All, *id, &vectors.summary).await?;
    }
    Ok(())
}

/// Embeds every entry that has no vectors of a model and returns how many; `progress` hears after
/// each batch how many are done.
///
/// *Errors*: the first that comes; what was embedded before stays.
pub(super) async fn embed_missing(
    store: &dyn Store,
    embedder: &dyn Embedder,
    mut progress: impl FnMut(usize),
) -> Result<usize, ReembedError> {
    let (mut after, mut count) = (Ulid::nil(), 0);
    loop {
        let entries = store
            .entries_without_vectors(embedder.model(), after, BATCH)
            .await?;
        let Some(last) = entries.last() else {
            return Ok(count);
        };
        after = last.id;
        let mut done = Vec::with_capacity(entries.len());
        for Entry { id, content, .. } in &entries {
            let vectors = embed(embedder, content, usize::MAX).await?;
            done.extend(vectors.map(|vectors| (*id, vectors)));
        }
        store.put_entry_vectors(embedder.model(), &done).await?;
        count += done.len();
        progress(count);
    }
}
