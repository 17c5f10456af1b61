//! Adding an entry, with suggestions of links to other entries and of generalizations.

use std::{sync::Arc, time::Duration};

use recall_kit_shared_types::knowledge::{AddData, Citation};
use recall_kit_store::{EntryContent, EntryVectors, IdempotencyKey, NewEntry, Projects};
use recall_kit_telemetry::chain;
use sha2::{Digest as _, Sha256};
use ulid::Ulid;

use super::Addition;
use crate::{
    access::Caller,
    detached,
    error::ServiceError,
    indexing::{self, project_scope},
    knowledge::{
        Knowledge, new_id,
        projects::assign_project,
        suggestions::{self, Proposed},
    },
    vectors::entry_vectors,
};

/// The longest time that a new entry waits for the lock on suggestions.
const TURN: Duration = Duration::from_secs(2);

/// Stores a new entry, and makes suggestions about it; the next search finds it. If the caller is limited
/// to one project and the entry names none, it gets that project.
///
/// *Errors*: `VALIDATION_ERROR` for a project that the caller may not write to;
/// [`recall_kit_store::StoreError::KeyReused`] for a known key with other content, else those of the
/// database.
pub async fn add(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    addition: Addition,
) -> Result<AddData, ServiceError> {
    let Addition {
        mut content,
        notes,
        idempotency_key,
    } = addition;
    let projects = &caller.projects;
    assign_project(projects, &mut content)?;
    let fingerprint = fingerprint(&content);
    let new = NewEntry {
        id: new_id(knowledge.clock.now())?,
        vectors: entry_vectors::embed_new(&knowledge.embedding, &content).await,
        content,
        created_at: knowledge.clock.now(),
        idempotency: idempotency_key.map(|key| IdempotencyKey {
            key: caller.idempotency_key(key),
            fingerprint,
        }),
        suggestions: Vec::new(),
    };
    let (knowledge, projects) = (Arc::clone(knowledge), projects.clone());
    detached::run("the addition", async move {
        store(&knowledge, &projects, new, notes).await
    })
    .await
}

/// Stores an entry together with its suggestions, one entry at a time, so that concurrent additions see
/// each other. If the lock is not free in time, suggestions are made after the entry was stored.
async fn store(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    mut new: NewEntry,
    mut notes: Vec<String>,
) -> Result<AddData, ServiceError> {
    let (id, content, vectors) = (new.id, new.content.clone(), new.vectors.clone());
    let is_embedded = vectors.is_some();
    // Held until the entry is indexed.
    let turn = match is_embedded {
        true => tokio::time::timeout(TURN, knowledge.suggesting.lock())
            .await
            .ok(),
        false => None,
    };
    let proposed = match turn {
        Some(_) => proposed(knowledge, projects, (id, &content), vectors.as_ref()).await,
        None => Proposed::default(),
    };
    let suggestions_created =
        project_scope::count_visible(&knowledge.labels, projects, id, &proposed.suggestions);
    new.suggestions = proposed.suggestions;
    let stored = knowledge.store.insert_entry(new).await?;
    if stored != id {
        notes
            .push("an earlier call with the same key added it; nothing was added twice".to_owned());
        return Ok(added(stored, content, is_embedded, notes));
    }
    tracing::info!(entry.id = %id, "entry stored");
    index(knowledge, id).await;
    let has_model = knowledge.embedding.model_in_use().is_some();
    if has_model && turn.is_none() {
        notes.push("suggestions for this entry follow later".to_owned());
    }
    // Those of an entry without vectors are made by the backfill.
    if is_embedded && turn.is_none() {
        suggest_later(knowledge, projects, id, vectors);
    }
    drop(turn);
    Ok(AddData {
        similar_entries: proposed.similar,
        suggestions_created,
        ..added(id, content, is_embedded, notes)
    })
}

/// Makes suggestions for a stored entry in a background task.
fn suggest_later(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    id: Ulid,
    vectors: Option<(String, EntryVectors)>,
) {
    let (knowledge, projects) = (Arc::clone(knowledge), projects.clone());
    let suggesting = async move { suggested(&knowledge, &projects, id, vectors.as_ref()).await };
    drop(tokio::spawn(detached::of_request(suggesting)));
}

/// Indexes a stored entry. Acknowledged means stored: if this fails, the next search catches up.
async fn index(knowledge: &Arc<Knowledge>, id: Ulid) {
    if let Err(error) = indexing::catch_up(&knowledge.records).await {
        tracing::warn!(error = chain(&error), entry.id = %id, "stored, but not yet in the index");
    }
}

/// Returns suggestions for a new entry; none if that fails, since the entry is stored anyway.
async fn proposed(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    (id, content): (Ulid, &EntryContent),
    vectors: Option<&(String, EntryVectors)>,
) -> Proposed {
    let Some((_, vectors)) = vectors else {
        return Proposed::default();
    };
    let proposed = suggestions::propose(knowledge, projects, (id, content), &vectors.summary).await;
    proposed.unwrap_or_else(|error| {
        tracing::warn!(error = chain(&error), entry.id = %id, "suggestions could not be made");
        Proposed::default()
    })
}

/// Indexes a stored entry and makes suggestions about it. Acknowledged means stored: if anything fails
/// here, the next search catches up, and the entry has no suggestions.
pub(super) async fn suggested(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    id: Ulid,
    vectors: Option<&(String, EntryVectors)>,
) -> suggestions::Suggested {
    let suggested = async {
        indexing::catch_up(&knowledge.records).await?;
        match vectors {
            Some((_, vectors)) => {
                suggestions::suggest(knowledge, projects, id, &vectors.summary).await
            }
            None => Ok(suggestions::Suggested::default()),
        }
    };
    suggested.await.unwrap_or_else(|error| {
        tracing::warn!(error = chain(&error), entry.id = %id, "stored, but without suggestions");
        suggestions::Suggested::default()
    })
}

fn added(id: Ulid, content: EntryContent, is_embedded: bool, notes: Vec<String>) -> AddData {
    AddData {
        id: id.to_string(),
        title: content.title,
        r#type: content.kind,
        created: true,
        embeddings_calculated: is_embedded,
        similar_entries: Vec::new(),
        suggestions_created: 0,
        notes,
    }
}

/// Returns the SHA-256 over every field with its length, which distinguishes contents.
fn fingerprint(content: &EntryContent) -> [u8; 32] {
    let mut hash = Sha256::new();
    let confidence = content.confidence.to_string();
    let fields = [
        content.kind.as_str(),
        &content.title,
        &content.content,
        content.project.as_deref().unwrap_or_default(),
        content.context.as_deref().unwrap_or_default(),
        &confidence,
        content.memory_type.as_str(),
    ];
    let tags = content.tags.iter().map(String::as_str);
    for field in fields.into_iter().chain(tags) {
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field.as_bytes());
    }
    // Keys from before there were citations keep their fingerprints.
    if !content.citations.is_empty() {
        hash.update(b"citations");
    }
    for Citation { path, sha256 } in &content.citations {
        hash.update((path.len() as u64).to_le_bytes());
        hash.update(path.as_bytes());
        hash.update(sha256.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests;
