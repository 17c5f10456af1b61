//! One semantic entry out of several episodic ones: a draft by extraction, and storing it with a
//! link to each of its sources. No language model is asked; the draft is a beginning for a person.
//!
//! Source: seeds knowledge document, `generalize_command`.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use recall_kit_shared_types::{
    ErrorCode,
    knowledge::{
        EntryName, EntryType, MemoryType, RelationType, knowledge_limits::MAX_TITLE_CHARS,
    },
};
use serde_json::json;
use ulid::Ulid;

use super::{
    entries::{Addition, new_id, resolve},
    entry_vectors,
    family::Family,
    indexing, links,
    validation::{AddInput, refused, validate_add},
};
use crate::{
    app::App,
    error::{ServiceError, chain},
    search::shared_words,
    store::{Entry, EntryBatch, EntryContent, NewEntry, NewLink},
};

/// How many entries may be generalised at once.
const SOURCES: std::ops::RangeInclusive<usize> = 2..=50;
/// Words that a draft names as common to its sources.
const COMMON_WORDS: usize = 8;
/// Characters of a sentence that a draft takes over.
const SENTENCE_CHARS: usize = 300;
/// Tags of a draft.
const MAX_TAGS: usize = 5;

/// A semantic entry that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What it would say.
    pub content: EntryContent,
    /// What it was made from, in the order in which they were named.
    pub sources: Vec<EntryName>,
}

/// Drafts a semantic entry from episodic ones, named by their ids or the beginnings of them.
///
/// *Errors*: `VALIDATION_ERROR` for too few or too many and for one that is not episodic,
/// `INVALID_TITLE`, `LINK_ALREADY_EXISTS` for the sources of an entry that is there; see [`resolve`]
/// for the rest.
pub async fn draft(
    app: &Arc<App>,
    ids: &[String],
    title: Option<String>,
) -> Result<Draft, ServiceError> {
    let sources = sources(app, ids).await?;
    let texts: Vec<String> = sources
        .iter()
        .map(|one| format!("{}\n{}", one.content.title, one.content.content))
        .collect();
    let words = shared_words(&texts, COMMON_WORDS);
    let input = AddInput {
        kind: Some(kind(&sources).to_string()),
        title: Some(title.unwrap_or_else(|| common_title(&sources, &words))),
        content: Some(text(&sources, &words)),
        tags: Some(tags(&sources)),
        project: project(&sources),
        confidence: Some(json!(confidence(&sources))),
        memory_type: Some(MemoryType::Semantic.to_string()),
        ..AddInput::default()
    };
    let Addition { content, .. } = validate_add(input)?;
    let sources = sources.into_iter().map(|one| EntryName {
        id: one.id.to_string(),
        title: one.content.title,
    });
    Ok(Draft {
        content,
        sources: sources.collect(),
    })
}

/// Stores a draft with a link `derived_from` to each source, all or nothing; returns the new id.
///
/// *Errors*: `ENTRY_NOT_FOUND` when a source is gone; what the database said.
pub async fn store(app: &Arc<App>, draft: &Draft) -> Result<Ulid, ServiceError> {
    let now = app.now();
    let id = new_id(now)?;
    let mut batch = EntryBatch::default();
    for source in &draft.sources {
        batch.links.push(NewLink {
            id: new_id(now)?,
            source: id,
            target: resolve(app, "id", &source.id).await?.0,
            relation: RelationType::DerivedFrom,
            created_at: now,
        });
    }
    batch.entries.push(NewEntry {
        id,
        content: draft.content.clone(),
        vectors: entry_vectors::embed_new(app, &draft.content).await,
        created_at: now,
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

async fn sources(app: &Arc<App>, ids: &[String]) -> Result<Vec<Entry>, ServiceError> {
    let wrong = |message: String| refused(ErrorCode::ValidationError, "id", message);
    let mut sources: Vec<Entry> = Vec::new();
    for given in ids {
        let (id, title) = resolve(app, "id", given).await?;
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

/// The type that most sources have; of several, that of the first.
fn kind(sources: &[Entry]) -> EntryType {
    let count = |kind: EntryType| {
        sources
            .iter()
            .filter(|one| one.content.kind == kind)
            .count()
    };
    let kinds = sources.iter().map(|one| one.content.kind);
    // `max_by_key` takes the last of equals.
    kinds
        .rev()
        .max_by_key(|kind| count(*kind))
        .unwrap_or(EntryType::Pattern)
}

/// The source's title that has most of the common words.
fn common_title(sources: &[Entry], words: &[String]) -> String {
    let titles = sources.iter().map(|one| one.content.title.as_str());
    let best = titles.rev().max_by_key(|title| mentions(title, words));
    best.unwrap_or_default()
        .chars()
        .take(MAX_TITLE_CHARS)
        .collect()
}

fn text(sources: &[Entry], words: &[String]) -> String {
    let mut text = String::new();
    if !words.is_empty() {
        text.push_str(&format!(
            "Common to {} episodes: {}\n\n",
            sources.len(),
            words.join(", ")
        ));
    }
    text.push_str("## What they say\n\n");
    let mut said = HashSet::new();
    for source in sources {
        let sentence = sentence(&source.content, words);
        if said.insert(sentence.to_lowercase()) {
            text.push_str(&format!("- {sentence}\n"));
        }
    }
    text.push_str("\n## Made from\n\n");
    for source in sources {
        text.push_str(&format!("- {} ({})\n", source.content.title, source.id));
    }
    text
}

/// The sentence of an entry that has most of the common words; its title when there is none.
fn sentence(content: &EntryContent, words: &[String]) -> String {
    let sentences = content.content.lines().flat_map(|line| {
        let line = line.trim_start_matches(['#', '-', '*', '>', ' ']);
        line.split_inclusive(['。', '！', '？'])
            .flat_map(|part| part.split(". "))
    });
    let sentences: Vec<&str> = sentences
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .collect();
    let best = sentences
        .into_iter()
        .rev()
        .max_by_key(|one| mentions(one, words));
    best.unwrap_or(&content.title)
        .chars()
        .take(SENTENCE_CHARS)
        .collect()
}

fn mentions(text: &str, words: &[String]) -> usize {
    let text = text.to_lowercase();
    words
        .iter()
        .filter(|word| text.contains(word.as_str()))
        .count()
}

/// Tags that at least half of the sources have.
fn tags(sources: &[Entry]) -> Vec<String> {
    let has = |tag: &String| {
        sources
            .iter()
            .filter(|one| one.content.tags.contains(tag))
            .count()
    };
    let mut seen = HashSet::new();
    let tags = sources.iter().flat_map(|one| &one.content.tags);
    let common = tags.filter(|tag| 2 * has(tag) >= sources.len() && seen.insert(*tag));
    common.take(MAX_TAGS).cloned().collect()
}

/// The project, where all sources have the same.
fn project(sources: &[Entry]) -> Option<String> {
    let first = sources.first()?.content.project.clone()?;
    let same = |one: &Entry| one.content.project.as_ref() == Some(&first);
    sources.iter().all(same).then_some(first)
}

/// The mean, rounded.
fn confidence(sources: &[Entry]) -> usize {
    let sum: usize = sources
        .iter()
        .map(|one| usize::from(one.content.confidence))
        .sum();
    let count = sources.len().max(1);
    (sum + count / 2) / count
}

#[cfg(test)]
mod tests;
