//! Generalizes several episodic entries into a semantic one: makes a draft, and stores it with a link to
//! each of its sources. A language model writes the draft if one is configured; without a model, or if it
//! fails, the draft is made by extraction. Either is meant to be revised by a person.

mod extraction;
mod written;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use recall_kit_shared_types::{
    ErrorCode,
    knowledge::{EntryName, MemoryType, RelationType},
};
use recall_kit_store::{Entry, EntryBatch, EntryContent, NewEntry, NewLink, Projects};
use recall_kit_telemetry::chain;
use ulid::Ulid;

use super::{entries::resolve, links, new_id};
use crate::{
    access::Caller,
    error::ServiceError,
    indexing::{self, project_scope},
    knowledge::{Knowledge, projects::assign_project},
    validation::{refused, validate_add},
    vectors::entry_vectors,
};

/// How many entries may be generalised together.
const SOURCES: std::ops::RangeInclusive<usize> = 2..=50;

/// A semantic entry that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its content.
    pub content: EntryContent,
    /// The entries it was made from, in the order of the arguments.
    pub sources: Vec<EntryName>,
    /// The model that wrote it; `None` for extraction.
    pub model: Option<String>,
    /// Why the configured model did not write it.
    pub failure: Option<String>,
}

/// Drafts a semantic entry from episodic ones, named by their ids or the beginnings of them.
///
/// *Errors*: `VALIDATION_ERROR` for too few or too many entries and for one that is not episodic,
/// `INVALID_TITLE`, `LINK_ALREADY_EXISTS` if an entry was already made from exactly these; see
/// [`resolve`] for the rest.
pub async fn draft(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    ids: &[String],
    title: Option<String>,
) -> Result<Draft, ServiceError> {
    let sources = sources(knowledge, &caller.projects, ids).await?;
    let (model, failure, content) = match knowledge.chat.as_deref() {
        None => (None, None, None),
        Some(chat) => match written::by(chat, &sources, title.as_deref()).await {
            Ok(content) => (Some(chat.model().to_owned()), None, Some(content)),
            Err(failure) => {
                tracing::warn!(
                    error = chain(&failure),
                    "the AI model did not write a draft"
                );
                (None, Some(chain(&failure)), None)
            }
        },
    };
    let mut content = match content {
        Some(content) => content,
        None => validate_add(extraction::of(&sources, title))?.content,
    };
    assign_project(&caller.projects, &mut content)?;
    let sources = sources.into_iter().map(|one| EntryName {
        id: one.id.to_string(),
        title: one.content.title,
    });
    Ok(Draft {
        content,
        sources: sources.collect(),
        model,
        failure,
    })
}

/// Stores a draft with a link `derived_from` to each source in one transaction; returns the new id.
///
/// *Errors*: `ENTRY_NOT_FOUND` if a source was removed; `VALIDATION_ERROR` for a project that the caller
/// may not write to; those of the database.
pub async fn store(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    draft: &Draft,
) -> Result<Ulid, ServiceError> {
    let projects = &caller.projects;
    let mut content = draft.content.clone();
    assign_project(projects, &mut content)?;
    let now = knowledge.clock.now();
    let id = new_id(now)?;
    let mut batch = EntryBatch::default();
    for source in &draft.sources {
        batch.links.push(NewLink {
            id: new_id(now)?,
            source: id,
            target: resolve(knowledge, projects, "id", &source.id).await?.0,
            relation: RelationType::DerivedFrom,
            created_at: now,
        });
    }
    batch.entries.push(NewEntry {
        id,
        vectors: entry_vectors::embed_new(&knowledge.embedding, &content).await,
        content,
        created_at: now,
        idempotency: None,
        suggestions: Vec::new(),
    });
    let first = batch.links.first();
    let first = first.ok_or(ServiceError::Broken("a draft without sources"))?;
    let stored = knowledge.store.insert_entries(&batch).await;
    stored.map_err(links::refusal(first))?;
    // The entry is stored; if this fails, the next search catches up.
    if let Err(error) = indexing::catch_up(&knowledge.records).await {
        tracing::warn!(error = chain(&error), "the index could not catch up");
    }
    Ok(id)
}

async fn sources(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    ids: &[String],
) -> Result<Vec<Entry>, ServiceError> {
    let wrong = |message: String| refused(ErrorCode::ValidationError, "id", message);
    let mut sources: Vec<Entry> = Vec::new();
    for argument in ids {
        let (id, title) = resolve(knowledge, projects, "id", argument).await?;
        let gone = || format!("Entry with ID '{id}' not found: it no longer exists");
        let entry = knowledge.store.entry(id).await?;
        let entry = entry
            .ok_or_else(|| ServiceError::from(refused(ErrorCode::EntryNotFound, "id", gone())))?;
        if entry.content.memory_type != MemoryType::Episodic {
            let message =
                format!("'{title}' ({id}) is semantic; only episodic entries are generalised");
            return Err(wrong(message).into());
        }
        if !sources.iter().any(|known| known.id == id) {
            sources.push(entry);
        }
    }
    if !SOURCES.contains(&sources.len()) {
        let (least, most) = SOURCES.into_inner();
        let message = format!(
            "Name {least} to {most} different entries, not {}",
            sources.len()
        );
        return Err(wrong(message).into());
    }
    match generalized(knowledge, &sources).await? {
        Some((id, _)) if !project_scope::is_within(&knowledge.labels, projects, [id]) => {
            let message = "These entries were generalised before, in a project that is not yours";
            Err(refused(ErrorCode::LinkAlreadyExists, "id", message).into())
        }
        Some((id, title)) => {
            let message = format!("These entries were generalised before, as '{title}' ({id})");
            Err(refused(ErrorCode::LinkAlreadyExists, "id", message).into())
        }
        None => Ok(sources),
    }
}

/// Finds an entry that was derived from exactly these entries.
async fn generalized(
    knowledge: &Knowledge,
    sources: &[Entry],
) -> Result<Option<(Ulid, String)>, ServiceError> {
    let ids: HashSet<Ulid> = sources.iter().map(|source| source.id).collect();
    let listed: Vec<Ulid> = ids.iter().copied().collect();
    let mut links = knowledge.store.links_of(&listed).await?;
    links.retain(|link| link.relation == RelationType::DerivedFrom);
    let derived: Vec<Ulid> = links.iter().map(|link| link.source.0).collect();
    let mut sources_of: HashMap<(Ulid, String), HashSet<Ulid>> = HashMap::new();
    for link in knowledge.store.links_of(&derived).await? {
        if link.relation == RelationType::DerivedFrom {
            sources_of
                .entry(link.source)
                .or_default()
                .insert(link.target.0);
        }
    }
    let found = sources_of.into_iter().find(|(_, targets)| *targets == ids);
    Ok(found.map(|(entry, _)| entry))
}
