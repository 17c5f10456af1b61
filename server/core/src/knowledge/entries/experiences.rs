//! Experiences in the knowledge base: searched together with entries if the settings say so, and shown.

use std::{collections::HashSet, sync::Arc};

use recall_kit_search::{Allowed, Hits, SnippetTerms};
use recall_kit_shared_types::{
    ErrorCode,
    knowledge::{
        EntryData, EntryEmbeddings, EntryLinks, EntryName, EntryStatus, MemoryType, RecordType,
        SearchResult, knowledge_limits::DEFAULT_CONFIDENCE,
    },
};
use recall_kit_store::{Experience, ExperienceContent, Projects, StoreError};
use serde_json::json;
use ulid::Ulid;
use uuid::Uuid;

use super::{EntryQuery, SNIPPET_CHARS, consolidation_score, rounded, shown_time};
use crate::{
    access::{Caller, project_scope},
    admission::spawn_search,
    app::App,
    error::ServiceError,
    indexing::{
        self, damage,
        family::{Engine, Family},
        popularity::Exposure,
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
pub(super) async fn found(app: &Arc<App>, asked: &Arc<EntryQuery>) -> Result<Found, ServiceError> {
    indexing::catch_up(app, Family::Experiences).await?;
    let promoted = found_as_entries(app, &asked.projects).await?;
    let hits = ranked(app, asked, promoted).await?;
    let ids: Vec<Uuid> = hits.hits.iter().map(|hit| hit.id).collect();
    let mut records = damage::readable(&ids, |ids| app.store.experiences(ids)).await?;
    let snippet_terms = SnippetTerms::of(&asked.search.query);
    let mut results = Vec::with_capacity(ids.len());
    for hit in &hits.hits {
        let Some(at) = records.iter().position(|record| record.id == hit.id) else {
            continue;
        };
        let content = records.swap_remove(at).content;
        let text = format!("{}\n{}", content.solution, content.problem_description);
        let result = SearchResult {
            id: short(app, hit.id).await?,
            r#type: RecordType::Experience,
            score: rounded(f64::from(hit.relevance)),
            snippet: snippet_terms.snippet(&text, SNIPPET_CHARS),
            title: content.title,
            tags: content.keywords,
            superseded_by: None,
            contradicts: Vec::new(),
        };
        results.push((hit.id, result));
    }
    Ok(Found {
        total: hits.total,
        results,
    })
}

/// Returns the experiences that were promoted to entries which the caller may see.
async fn found_as_entries(app: &App, projects: &Projects) -> Result<HashSet<Uuid>, StoreError> {
    let promoted = app.store.promoted().await?;
    if projects.is_all() {
        return Ok(promoted.into_iter().collect());
    }
    let promotions = app.store.promotions(&promoted).await?.into_iter();
    let visible = promotions.filter(|one| app.labels.are_within(projects, one.entry));
    Ok(visible.map(|one| one.experience).collect())
}

/// Searches and ranks the experiences that were not promoted.
async fn ranked(
    app: &Arc<App>,
    asked: &Arc<EntryQuery>,
    promoted: HashSet<Uuid>,
) -> Result<Hits, ServiceError> {
    let (now, asked) = (app.now().as_second(), Arc::clone(asked));
    // If nothing is left out, the search need not check each record.
    let leaves_out = !promoted.is_empty();
    let allows = move |id| !promoted.contains(&id);
    let limit = asked.search.limit as usize;
    match &app.experiences.engine {
        Engine::Memory(index) => {
            let index = Arc::clone(index);
            spawn_search(move || {
                index.search(&asked.for_index(leaving_out(leaves_out, &allows), now, limit))
            })
            .await
        }
        Engine::Database(database) => {
            // The filter is applied to the candidates below.
            let found = database
                .found(app, &asked.for_index(Allowed::Everything, now, limit))
                .await?;
            let ranked = spawn_search(move || {
                found.ranked(
                    &asked.for_index(leaving_out(leaves_out, &allows), now, limit),
                    false,
                )
            });
            let (hits, _) = ranked.await?;
            Ok(hits)
        }
    }
}

/// Returns the filter if it leaves any record out.
fn leaving_out(leaves_out: bool, allows: &(dyn Fn(Uuid) -> bool + Sync)) -> Allowed<'_> {
    match leaves_out {
        true => Allowed::Filter(allows),
        false => Allowed::Everything,
    }
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
async fn short(app: &App, id: Uuid) -> Result<String, StoreError> {
    let full = id.to_string();
    for chars in SHORT_ID_CHARS {
        let prefix: String = full.chars().take(chars).collect();
        if app.store.experiences_with_prefix(&prefix, 2).await?.len() == 1 {
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
pub(super) async fn resolve(app: &App, id: &str) -> Result<Experience, ServiceError> {
    if !is_id(id) {
        let message = "id must be an experience's UUID or at least its first 13 characters";
        return Err(refused(ErrorCode::ValidationError, "id", message).into());
    }
    let id = id.trim().to_lowercase();
    let found = app.store.experiences_with_prefix(&id, CANDIDATES).await?;
    let mut records = app.store.experiences(&found).await?;
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

/// Returns an experience in the form of an entry, and counts that it was shown.
pub(super) async fn show(
    app: &Arc<App>,
    caller: &Caller,
    id: &str,
) -> Result<EntryData, ServiceError> {
    let projects = &caller.projects;
    project_scope::refresh_labels(app, projects).await?;
    let record = resolve(app, id).await?;
    let pending = app.experiences.popularity.pending(record.id);
    let voice = caller.voice();
    app.experiences
        .popularity
        .count([record.id], Exposure::Opened, voice, app.now());
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
        consolidation_score: consolidation_score(shown, record.created_at, app.now()),
        embeddings: EntryEmbeddings {
            summary: app.embedder.is_some(),
            context: false,
        },
        links: EntryLinks::default(),
        neighbours: None,
        promoted_from: None,
        promoted_to: promoted_to(app, projects, record.id).await?,
    })
}

/// Formats an experience as the text of an entry.
pub(crate) fn markdown(content: &ExperienceContent) -> String {
    let sections = [
        ("Problem", Some(&content.problem_description)),
        ("Root cause", content.root_cause.as_ref()),
        ("Solution", Some(&content.solution)),
    ];
    let mut text = String::new();
    for (heading, section) in sections {
        if let Some(section) = section {
            text.push_str(&format!("## {heading}\n\n{}\n\n", section.trim()));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the entry that an experience was promoted to, if the caller may see it.
pub(crate) async fn promoted_to(
    app: &App,
    projects: &Projects,
    id: Uuid,
) -> Result<Option<EntryName>, StoreError> {
    let promotions = app.store.promotions(&[id]).await?;
    let promotion = promotions.iter().find(|one| one.experience == id);
    let entry = promotion.map(|one| one.entry);
    let Some(entry) = entry.filter(|entry| app.labels.are_within(projects, *entry)) else {
        return Ok(None);
    };
    let title = app.store.entry_titles(&[entry]).await?.pop();
    Ok(title.map(|(id, title)| EntryName {
        id: id.to_string(),
        title,
    }))
}

/// Returns the experience that an entry was promoted from.
pub(super) async fn promoted_from(app: &App, id: Ulid) -> Result<Option<EntryName>, StoreError> {
    let promotions = app.store.promotions(&[id.into()]).await?;
    let promotion = promotions.iter().find(|one| one.entry == id);
    let Some(experience) = promotion.map(|one| one.experience) else {
        return Ok(None);
    };
    let record = app.store.experiences(&[experience]).await?.pop();
    Ok(record.map(|record| EntryName {
        id: record.id.to_string(),
        title: record.content.title,
    }))
}
