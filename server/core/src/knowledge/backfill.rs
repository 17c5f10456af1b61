//! Computes vectors for entries that have none, and makes suggestions about these entries.

use std::sync::Arc;

use recall_kit_store::{NewEntryVectors, Projects, StoreError};
use recall_kit_telemetry::chain;
use ulid::Ulid;

use super::{Knowledge, suggestions};
use crate::{
    error::ServiceError,
    indexing,
    vectors::{embedding_pass::Pass, entry_vectors},
};

/// Computes vectors for every entry that has none of the model, and makes suggestions about it. An entry
/// that the model rejects is skipped; the next pass tries it again.
///
/// *Errors*: those of the database.
pub(crate) async fn backfill(
    knowledge: &Arc<Knowledge>,
    pass: &mut Pass<'_>,
) -> Result<(), StoreError> {
    let store = knowledge.store.as_ref();
    let mut after = Ulid::nil();
    while let Some(mut done) = entry_vectors::embed_next(store, pass, &mut after).await? {
        if done.is_empty() {
            continue;
        }
        let model = pass.embedder.model();
        let stored = store.put_entry_vectors(model, &done).await?;
        done.retain(|new| stored.contains(&new.id));
        tracing::info!(entries = done.len(), "vectors of entries computed");
        if let Err(error) = suggest_all(knowledge, &done).await {
            tracing::warn!(error = chain(&error), "suggestions could not be made");
        }
    }
    Ok(())
}

async fn suggest_all(
    knowledge: &Arc<Knowledge>,
    done: &[NewEntryVectors],
) -> Result<(), ServiceError> {
    indexing::catch_up(&knowledge.records).await?;
    for NewEntryVectors { id, vectors, .. } in done {
        suggestions::suggest(knowledge, &Projects::All, *id, &vectors.summary).await?;
    }
    Ok(())
}
