//! One semantic entry out of several episodic ones: a draft, and storing it with a link to each of its
//! sources. A language model writes the draft where one is configured, and extraction otherwise or
//! when the model fails; either is a beginning for a person.
//!
//! Source: seeds knowledge document, `generalize_command`.

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

use super::{
    entries::{new_id, resolve},
    links,
};
use crate::{
    access::{Caller, reach},
    app::App,
    error::ServiceError,
    indexing::{self, family::Family},
    validation::{refused, validate_add},
    vectors::entry_vectors,
};

/// How many entries may be generalised at once.
const SOURCES: std::ops::RangeInclusive<usize> = 2..=50;

/// A semantic entry that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What it would say.
    pub content: EntryContent,
    /// What it was made from, in the order in which they were named.
    pub sources: Vec<EntryName>,
    /// The model that wrote it; `None` for extraction.
    pub model: Option<String>,
    /// Why the model that was asked did not write it.
    pub failure: Option<String>,
}

/// Drafts a semantic entry from episodic ones, named by their ids or the beginnings of them.
///
/// *Errors*: `VALIDATION_ERROR` for too few or too many and for one that is not episodic,
/// `INVALID_TITLE`, `LINK_ALREADY_EXISTS` for the sources of an entry that is there; see [`resolve`]
/// for the rest.
pub async fn draft(
    app: &Arc<App>,
    caller: &Caller,
    ids: &[String],
    title: Option<String>,
) -> Result<Draft, ServiceError> {
    let sources = sources(app, &caller.projects, ids).await?;
    let (model, failure, content) = match &app.chat {
        None => (None, None, None),
        Some(chat) => match written::by(chat, &sources, title.as_deref()).await {
            Ok(content) => (Some(chat.model().to_owned()), None, Some(content)),
            Err(failure) => {
                tracing::warn!(error = chain(&failure), "the AI model wrote no draft");
                (None, Some(chain(&failure)), None)
            }
        },
    };
    let mut content = match content {
        Some(content) => content,
        None => validate_add(extraction::of(&sources, title))?.content,
    };
    reach::place(&caller.projects, &mut content)?;
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

/// Stores a draft with a link `derived_from` to each source, all or nothing; returns the new id.
///
/// *Errors*: `ENTRY_NOT_FOUND` when a source is gone; `VALIDATION_ERROR` for a project out of the
/// caller's reach; what the database said.
pub async fn store(app: &Arc<App>, caller: &Caller, draft: &Draft) -> Result<Ulid, ServiceError> {
    let reach = &caller.projects;
    let mut content = draft.content.clone();
    reach::place(reach, &mut content)?;
    let now = app.now();
    let id = new_id(now)?;
    let mut batch = EntryBatch::default();
    for source in &draft.sources {
        batch.links.push(NewLink {
            id: new_id(now)?,
            source: id,
            target: resolve(app, reach, "id", &source.id).await?.0,
            relation: RelationType::DerivedFrom,
            created_at: now,
        });
    }
    batch.entries.push(NewEntry {
        id,
        vectors: entry_vectors::embed_new(app, &content).await,
        content,
        created_at: now,
        idempotency: None,
        suggestions: Vec::new(),
    });
    let first = batch.links.first();
    let first = first.ok_or(ServiceError::Broken("a draft without sources"))?;
    let stored = app.store.insert_entries(&batch).await;
    stored.map_err(links::refusal(first))?;
    // Stored is stored: should this fail, the next search catches up.
    if let Err(error) = indexing::catch_up(app, Family::Entries).await {
        tracing::warn!(error = chain(&error), "the index could not catch up");
    }
    Ok(id)
}

async fn sources(
    app: &Arc<App>,
    reach: &Projects,
    ids: &[String],
) -> Result<Vec<Entry>, ServiceError> {
    let wrong = |message: String| refused(ErrorCode::ValidationError, "id", message);
    let mut sources: Vec<Entry> = Vec::new();
    for given in ids {
        let (id, title) = resolve(app, reach, "id", given).await?;
        let gone = || format!("Entry with ID '{id}' not found: it is not there any more");
        let entry = app.store.entry(id).await?;
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
    match generalized(app, &sources).await? {
        Some((id, _)) if !reach::is_within(app, reach, [id]) => {
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

/// Finds an entry that was derived from these and no others.
async fn generalized(app: &App, sources: &[Entry]) -> Result<Option<(Ulid, String)>, ServiceError> {
    let ids: HashSet<Ulid> = sources.iter().map(|source| source.id).collect();
    let listed: Vec<Ulid> = ids.iter().copied().collect();
    let mut links = app.store.links_of(&listed).await?;
    links.retain(|link| link.relation == RelationType::DerivedFrom);
    let makers: Vec<Ulid> = links.iter().map(|link| link.source.0).collect();
    let mut made_of: HashMap<(Ulid, String), HashSet<Ulid>> = HashMap::new();
    for link in app.store.links_of(&makers).await? {
        if link.relation == RelationType::DerivedFrom {
            made_of
                .entry(link.source)
                .or_default()
                .insert(link.target.0);
        }
    }
    let found = made_of.into_iter().find(|(_, targets)| *targets == ids);
    Ok(found.map(|(maker, _)| maker))
}
