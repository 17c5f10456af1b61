//! Searching, adding and showing entries of the knowledge base.

mod add;
mod arrange;
mod changes;
mod experiences;
mod list;
mod promote;
mod resolve;
mod tied;

use std::{collections::HashMap, sync::Arc};

use jiff::Timestamp;
use recall_kit_search::{Hits, SnippetTerms};
use recall_kit_shared_types::knowledge::{
    EntryData, EntryEmbeddings, EntryName, Neighbours, SearchData, SearchResult,
};
use recall_kit_store::{Entry, EntryBrief, Link, Projects};
use ulid::Ulid;
use uuid::Uuid;

use self::arrange::{Arranged, arranged};
pub(crate) use self::experiences::{markdown, promoted_to};
use self::resolve::not_found;
pub use self::{
    add::{Addition, add},
    changes::{Edited, edit, inspect, set_status},
    list::{EntryOrder, list},
    promote::{Promoted, promote},
    resolve::{HOW_TO_FIND, resolve},
};
use crate::{
    access::Caller,
    admission::run_query,
    app::App,
    error::ServiceError,
    indexing::{self, damage, family::Family, popularity::Exposure},
    knowledge::{labels::EntryFilter, links},
    vectors::query_vectors::{EmbeddedQuery, embed_query},
};

/// The number of top matches in which linked entries are grouped.
pub const WINDOW: usize = 200;
/// The most characters of a snippet. About 100 are wanted, and some 150 tokens for a response of
/// `rekall_search`; with more characters the responses would be longer than that.
pub const SNIPPET_CHARS: usize = 76;
/// How many characters of a context are embedded: its end, which is the current part of a conversation.
const CONTEXT_CHARS: usize = 2_000;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// A search that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The search text; not blank.
    pub query: String,
    /// The conversation in which the query was made.
    pub context: Option<String>,
    /// The most entries to return, 1–20.
    pub limit: u32,
    /// Which entries may be returned.
    pub filter: EntryFilter,
    /// What validation changed in the arguments, for the caller.
    pub note: Option<&'static str>,
}

/// Returns the best entries for a query that the caller may see.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else those of the database or the index.
pub async fn search(
    app: &Arc<App>,
    caller: &Caller,
    search: Search,
) -> Result<SearchData, ServiceError> {
    run_query(app, answer(app, &caller.projects, search)).await
}

async fn answer(
    app: &Arc<App>,
    projects: &Projects,
    search: Search,
) -> Result<SearchData, ServiceError> {
    let asked = embedded(app, projects, search).await;
    let (mut total, mut results) = found(app, &asked).await?;
    let search = &asked.search;
    if app.settings.knowledge.search_experiences && search.filter.is_empty() {
        let experiences = experiences::found(app, &asked).await?;
        total += experiences.total;
        let found = experiences.results.into_iter().map(|(_, found)| found);
        results = experiences::merged(results, found.collect(), search.limit);
    }
    Ok(SearchData {
        hint: hint(results.is_empty(), search.note),
        query: search.query.clone(),
        total,
        results,
    })
}

/// Returns the best entries and the best experiences for a search, each best first; experiences with their
/// whole ids. The filter applies to entries alone. The caller waits for a query's turn.
///
/// *Errors*: those of [`search`].
pub(crate) async fn with_experiences(
    app: &Arc<App>,
    caller: &Caller,
    search: Search,
) -> Result<(Vec<SearchResult>, Vec<(Uuid, SearchResult)>), ServiceError> {
    let asked = embedded(app, &caller.projects, search).await;
    let (_, entries) = found(app, &asked).await?;
    let experiences = experiences::found(app, &asked).await?;
    Ok((entries, experiences.results))
}

/// Embeds the texts of a search.
async fn embedded(app: &Arc<App>, projects: &Projects, search: Search) -> Arc<EntryQuery> {
    let context = search.context.as_deref().map(end_of);
    let (query, context) = futures::join!(embed_query(app, &search.query), async {
        embed_query(app, context.as_ref()?).await
    });
    Arc::new(EntryQuery {
        search,
        projects: projects.clone(),
        query,
        context,
    })
}

/// Returns how many entries match, and the best of them, best first.
async fn found(
    app: &Arc<App>,
    asked: &Arc<EntryQuery>,
) -> Result<(u64, Vec<SearchResult>), ServiceError> {
    indexing::catch_up(app, Family::Entries).await?;
    let projects = &asked.projects;
    let hits = ranked(app, asked).await?;
    let ranked = tied::with_tied(app, asked, &hits).await?;
    let ids: Vec<Ulid> = ranked.iter().map(|(id, _)| *id).collect();
    let mut links = app.store.links_of(&ids).await?;
    let is_visible = |id| app.labels.are_within(projects, id);
    links.retain(|Link { source, target, .. }| is_visible(source.0) && is_visible(target.0));
    let search = &asked.search;
    let mut page = arranged(&ranked, &links);
    page.truncate(search.limit as usize);
    let ids: Vec<Ulid> = page.iter().map(|one| one.id).collect();
    let briefs = damage::readable(&ids, |ids| app.store.entry_briefs(ids)).await?;
    let mut briefs: HashMap<Ulid, EntryBrief> =
        briefs.into_iter().map(|one| (one.id, one)).collect();
    let snippet_terms = SnippetTerms::of(&search.query);
    let results = page.into_iter().filter_map(|one| {
        let brief = briefs.remove(&one.id)?;
        Some(result(app, projects, (one, brief), &snippet_terms))
    });
    let results: Vec<SearchResult> = results.collect();
    let total = hits.total + (ranked.len() - hits.hits.len()) as u64;
    Ok((total, results))
}

/// A search with its embeddings.
struct EntryQuery {
    search: Search,
    projects: Projects,
    query: Option<Arc<EmbeddedQuery>>,
    context: Option<Arc<EmbeddedQuery>>,
}

impl EntryQuery {
    /// Converts the search to the index's type, limited to the allowed records.
    fn for_index<'a>(
        &'a self,
        allowed: recall_kit_search::Allowed<'a>,
        now: i64,
        limit: usize,
    ) -> recall_kit_search::Query<'a> {
        let query = self.query.as_ref();
        recall_kit_search::Query {
            text: &self.search.query,
            embedding: query.map(|embedded| embedded.vector.as_slice()),
            everyday: query.map_or(0.0, |embedded| embedded.everyday),
            turns: None,
            language: query.map(|embedded| embedded.language).unwrap_or_default(),
            context: self
                .context
                .as_ref()
                .map(|context| context.vector.as_slice()),
            allowed,
            now,
            offset: 0,
            limit,
        }
    }
}

/// Ranks on a blocking thread, since a large index takes milliseconds.
async fn ranked(app: &Arc<App>, asked: &Arc<EntryQuery>) -> Result<Hits, ServiceError> {
    let (app, asked) = (Arc::clone(app), Arc::clone(asked));
    let searched = tokio::task::spawn_blocking(move || {
        let (projects, filter) = (&asked.projects, &asked.search.filter);
        let is_open = projects.is_all() && filter.is_empty();
        let has_turns = app.labels.has_turns();
        let labels = (!is_open || has_turns).then(|| app.labels.filtered(projects, filter));
        let allows = |id| labels.as_ref().is_none_or(|labels| labels.allows(id));
        let around = |id| {
            let labels = labels.as_ref();
            labels.map_or_else(recall_kit_search::Around::default, |labels| {
                labels.around(id)
            })
        };
        let allowed = match is_open {
            true => recall_kit_search::Allowed::Everything,
            false => recall_kit_search::Allowed::Scope(&allows),
        };
        let query = recall_kit_search::Query {
            turns: has_turns.then_some(&around as recall_kit_search::Turns<'_>),
            ..asked.for_index(allowed, app.now().as_second(), WINDOW)
        };
        app.entries.index()?.search(&query)
    });
    let searched = searched.await;
    Ok(searched.map_err(|_| ServiceError::Broken("the search"))??)
}

fn end_of(context: &str) -> String {
    let skipped = context.chars().count().saturating_sub(CONTEXT_CHARS);
    context.chars().skip(skipped).collect()
}

fn result(
    app: &App,
    projects: &Projects,
    (one, brief): (Arranged, EntryBrief),
    snippet_terms: &SnippetTerms,
) -> SearchResult {
    let short = |id| app.labels.short(projects, id);
    let shown = match brief.excerpt.trim() {
        "" => &brief.title,
        content => content,
    };
    SearchResult {
        id: short(one.id),
        r#type: brief.kind.into(),
        score: rounded(f64::from(one.relevance)),
        snippet: snippet_terms.snippet(shown, SNIPPET_CHARS),
        title: brief.title,
        tags: brief.tags,
        superseded_by: one.superseded_by.map(short),
        contradicts: one.contradicts.into_iter().map(short).collect(),
    }
}

fn hint(is_empty: bool, note: Option<&str>) -> String {
    let next = if is_empty {
        "Nothing relevant is stored; add what you find out with rekall_add"
    } else {
        "Use rekall_show(id) for full content and links"
    };
    match note {
        Some(note) => format!("{next}. {note}"),
        None => next.to_owned(),
    }
}

/// Rounds a score to two digits.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

/// Creates an id for something that is created at a time.
///
/// *Errors*: when the system's random source fails.
pub fn new_id(now: Timestamp) -> Result<Ulid, ServiceError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)
        .map_err(|_| ServiceError::Broken("the system's random numbers"))?;
    let milliseconds = u64::try_from(now.as_millisecond()).unwrap_or(0);
    Ok(Ulid::from_parts(milliseconds, u128::from_le_bytes(random)))
}

/// Returns an entry with its links, or an experience, and counts that it was shown. An entry that the
/// caller may not see counts as missing.
///
/// *Errors*: see [`resolve`].
pub async fn show(app: &Arc<App>, caller: &Caller, id: &str) -> Result<EntryData, ServiceError> {
    let projects = &caller.projects;
    if experiences::is_id(id) {
        return experiences::show(app, caller, id).await;
    }
    let (id, _) = resolve(app, projects, "id", id).await?;
    let entry = app
        .store
        .entry(id)
        .await?
        .ok_or_else(|| not_found("id", &id.to_string()))?;
    let embeddings = embeddings_of(app, id).await?;
    let links = links::of(app, projects, id).await?;
    let promoted_from = experiences::promoted_from(app, id).await?;
    let neighbours = neighbours(app, projects, id).await?;
    let now = app.now();
    let pending = app.entries.popularity.pending(id.into());
    let voice = caller.voice();
    app.entries
        .popularity
        .count([id.into()], Exposure::Opened, voice, now);
    let Entry { content, .. } = entry;
    let access_count = entry.access_count + pending;
    // Counts that are not stored yet are only seconds old.
    let last_accessed = if pending > 0 {
        Some(now)
    } else {
        entry.last_accessed
    };
    let reference = last_accessed.unwrap_or(entry.created_at);
    Ok(EntryData {
        id: id.to_string(),
        r#type: content.kind.into(),
        title: content.title,
        content: content.content,
        tags: content.tags,
        project: content.project,
        confidence: content.confidence,
        status: entry.status,
        memory_type: content.memory_type,
        created_at: shown_time(entry.created_at),
        updated_at: shown_time(entry.updated_at),
        last_accessed: last_accessed.map(shown_time),
        access_count,
        consolidation_score: consolidation_score(access_count, reference, now),
        embeddings,
        links,
        neighbours,
        promoted_from,
        promoted_to: None,
    })
}

/// Returns the names of the entries before and after an entry in its conversation, earliest first; `None`
/// if there are none.
async fn neighbours(
    app: &Arc<App>,
    projects: &Projects,
    id: Ulid,
) -> Result<Option<Neighbours>, ServiceError> {
    indexing::catch_up(app, Family::Entries).await?;
    let around = app.labels.around(projects, id);
    let ids: Vec<Ulid> = around
        .before
        .iter()
        .chain(&around.after)
        .map(|id| (*id).into())
        .collect();
    if ids.is_empty() {
        return Ok(None);
    }
    let briefs = app.store.entry_briefs(&ids).await?;
    let named = |id: &Uuid| {
        let brief = briefs.iter().find(|brief| Uuid::from(brief.id) == *id)?;
        Some(EntryName {
            id: brief.id.to_string(),
            title: brief.title.clone(),
        })
    };
    Ok(Some(Neighbours {
        before: around.before.iter().rev().filter_map(named).collect(),
        after: around.after.iter().filter_map(named).collect(),
    }))
}

/// Returns which parts of an entry are embedded.
async fn embeddings_of(app: &App, id: Ulid) -> Result<EntryEmbeddings, ServiceError> {
    let vectors = app.store.entry_vectors(&[id]).await?;
    let embeddings = vectors.first().map(|(_, vectors)| EntryEmbeddings {
        summary: true,
        context: vectors.context.is_some(),
    });
    Ok(embeddings.unwrap_or_default())
}

/// Returns the days that have passed; 0 for a time in the future.
pub(crate) fn days_between(last: Timestamp, now: Timestamp) -> f64 {
    now.duration_since(last).as_secs_f64().max(0.0) / SECONDS_PER_DAY
}

/// Returns how well an entry is remembered, 0–1: by how often it was shown and how long ago.
pub(crate) fn consolidation_score(access_count: u64, last: Timestamp, now: Timestamp) -> f64 {
    let days = days_between(last, now);
    let frequency = ((access_count as f64 + 1.0).ln() / 5.0).min(1.0);
    rounded(0.6 * frequency + 0.4 * (-days / 30.0).exp())
}

pub(crate) fn shown_time(moment: Timestamp) -> String {
    format!("{moment:.0}")
}

#[cfg(test)]
mod tests;
