//! Experiences in the knowledge base: searched together with entries if the settings say so, and shown.

use recall_kit_search::SnippetTerms;
use recall_kit_shared_types::{
    ErrorCode,
    knowledge::{
        EntryData, EntryEmbeddings, EntryLinks, EntryStatus, MemoryType, RecordType, SearchResult,
        knowledge_limits::DEFAULT_CONFIDENCE,
    },
};
use recall_kit_store::{Experience, Store, StoreError};
use serde_json::json;
use uuid::Uuid;

use super::{EntryQuery, Reading, SNIPPET_CHARS};
use crate::{
    access::Caller,
    error::ServiceError,
    experiences::{applicability::surroundings, markdown, promoted, promoted_to},
    indexing::{
        damage,
        popularity::Exposure,
        project_scope,
        search::{ExperienceSearch, search},
    },
    knowledge::{
        Knowledge,
        values::{consolidation_score, rounded, shown_time},
    },
    validation::refused,
};

/// Characters of a shortened id: the time of its creation, to the millisecond; if that is ambiguous, also
/// the part up to the next dash.
const SHORT_ID_CHARS: [usize; 2] = [13, 18];
/// The most experiences that the error about an ambiguous beginning of an id names.
const CANDIDATES: u32 = 10;

/// Experiences that match.
pub(super) struct Found {
    pub(super) total: u64,
    /// Best first, each with its whole id.
    pub(super) results: Vec<(Uuid, SearchResult)>,
}

/// Searches experiences, without those that were promoted, which are found as entries.
pub(super) async fn found(
    knowledge: &Knowledge,
    asked: &EntryQuery,
) -> Result<Found, ServiceError> {
    let (store, experiences) = (&knowledge.store, &knowledge.experiences);
    let wanted = ExperienceSearch {
        surroundings: surroundings(experiences, &asked.search.query, &asked.search.environment),
        text: asked.search.query.clone(),
        query: asked.query.clone(),
        context: asked.context.clone(),
        offset: 0,
        limit: asked.search.limit,
        left_out: promoted(experiences, &asked.projects).await?,
    };
    let (hits, _) = search(&experiences.records, wanted, false).await?;
    let ids: Vec<Uuid> = hits.hits.iter().map(|hit| hit.id).collect();
    let mut records = damage::readable(&ids, |ids| store.experiences(ids)).await?;
    let snippet_terms = SnippetTerms::of(&asked.search.query);
    let mut results = Vec::with_capacity(ids.len());
    for hit in &hits.hits {
        let Some(at) = records.iter().position(|record| record.id == hit.id) else {
            continue;
        };
        let content = records.swap_remove(at).content;
        let text = format!("{}\n{}", content.solution, content.problem_description);
        let result = SearchResult {
            id: short(store.as_ref(), hit.id).await?,
            r#type: RecordType::Experience,
            score: rounded(f64::from(hit.relevance)),
            snippet: snippet_terms.snippet(&text, SNIPPET_CHARS),
            title: content.title,
            tags: content.keywords,
            superseded_by: None,
            contradicts: Vec::new(),
            citations: Vec::new(),
            project: None,
            changed_files: Vec::new(),
            missing_files: Vec::new(),
        };
        results.push((hit.id, result));
    }
    Ok(Found {
        total: hits.total,
        results,
    })
}

/// Merges experiences into entries, each before the first entry that is less relevant.
pub(super) fn merged(
    entries: Vec<SearchResult>,
    experiences: Vec<SearchResult>,
    limit: u32,
) -> Vec<SearchResult> {
    let mut experiences = experiences.into_iter().peekable();
    let mut merged = Vec::new();
    for entry in entries {
        while let Some(better) = experiences.next_if(|one| one.score > entry.score) {
            merged.push(better);
        }
        merged.push(entry);
    }
    merged.extend(experiences);
    merged.truncate(limit as usize);
    merged
}

/// Returns the beginning of an id that is long enough to be unique.
async fn short(store: &dyn Store, id: Uuid) -> Result<String, StoreError> {
    let full = id.to_string();
    for chars in SHORT_ID_CHARS {
        let prefix: String = full.chars().take(chars).collect();
        if store.experiences_with_prefix(&prefix, 2).await?.len() == 1 {
            return Ok(prefix);
        }
    }
    Ok(full)
}

/// Whether a text looks like the id of an experience: ids of entries have no dash.
pub(super) fn is_id(id: &str) -> bool {
    let id = id.trim();
    let least = SHORT_ID_CHARS.first().copied().unwrap_or_default();
    let has_valid_chars = id.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    has_valid_chars && id.len() >= least && id.chars().nth(8) == Some('-')
}

/// Finds the experience that an argument names, by its id or the beginning of it.
///
/// *Errors*: `ENTRY_NOT_FOUND`; `VALIDATION_ERROR` for a text that cannot be an id, and for an ambiguous
/// beginning, with the candidates.
pub(super) async fn resolve(store: &dyn Store, id: &str) -> Result<Experience, ServiceError> {
    if !is_id(id) {
        let message = "id must be an experience's UUID or at least its first 13 characters";
        return Err(refused(ErrorCode::ValidationError, "id", message).into());
    }
    let id = id.trim().to_lowercase();
    let found = store.experiences_with_prefix(&id, CANDIDATES).await?;
    let mut records = store.experiences(&found).await?;
    match (records.pop(), records.is_empty()) {
        (Some(record), true) => Ok(record),
        (None, _) => {
            let message = format!("Experience with ID '{id}' not found");
            Err(refused(ErrorCode::EntryNotFound, "id", message).into())
        }
        (Some(last), false) => {
            let message =
                format!("Several experiences begin with '{id}'; use more characters of one id");
            let mut body = refused(ErrorCode::ValidationError, "id", message);
            let named = |one: &Experience| json!({"id": one.id, "title": one.content.title});
            let candidates = records.iter().chain([&last]).map(named);
            body.details = Some(json!({ "candidates": candidates.collect::<Vec<_>>() }));
            Err(body.into())
        }
    }
}

/// Returns an experience in the form of an entry, and counts that it was opened.
pub(super) async fn show(
    knowledge: &Knowledge,
    caller: &Caller,
    (id, reading): (&str, Reading),
) -> Result<EntryData, ServiceError> {
    let (experiences, projects) = (&knowledge.experiences, &caller.projects);
    project_scope::refresh_labels(&knowledge.records, projects).await?;
    let record = resolve(knowledge.store.as_ref(), id).await?;
    let (popularity, now) = (&experiences.records.popularity, knowledge.clock.now());
    let pending = popularity.pending(record.id);
    if reading == Reading::Opening {
        popularity.count([record.id], Exposure::Opened, caller.voice(), now);
    }
    let shown = record.query_count + pending;
    let content = record.content;
    Ok(EntryData {
        id: record.id.to_string(),
        r#type: RecordType::Experience,
        content: markdown(&content),
        title: content.title,
        tags: content.keywords,
        project: None,
        confidence: DEFAULT_CONFIDENCE,
        status: EntryStatus::Active,
        memory_type: MemoryType::Episodic,
        created_at: shown_time(record.created_at),
        updated_at: shown_time(record.created_at),
        last_accessed: None,
        access_count: shown,
        consolidation_score: consolidation_score(shown, record.created_at, now),
        embeddings: EntryEmbeddings {
            summary: knowledge.embedding.model().is_some(),
            context: false,
        },
        links: EntryLinks::default(),
        citations: Vec::new(),
        neighbours: None,
        promoted_from: None,
        promoted_to: promoted_to(experiences, projects, record.id).await?,
    })
}
