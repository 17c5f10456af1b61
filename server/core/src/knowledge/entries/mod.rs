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

use recall_kit_search::{Hits, SnippetTerms};
use recall_kit_shared_types::knowledge::{
    CitedFile, EntryData, EntryEmbeddings, EntryName, Neighbours, SearchData, SearchResult,
};
use recall_kit_store::{Entry, EntryBrief, Link, Projects};
use ulid::Ulid;
use uuid::Uuid;

use self::arrange::{Arranged, arranged};
use self::resolve::not_found;
pub use self::{
    add::add,
    changes::{Edited, edit, inspect, set_status},
    list::{EntryOrder, list},
    promote::{Promoted, promote},
    resolve::{HOW_TO_FIND, resolve},
};
use crate::knowledge::Knowledge;
pub use crate::validation::{Addition, Search};
use crate::{
    access::Caller,
    error::ServiceError,
    experiences::promoted_from,
    indexing::{self, damage, popularity::Exposure, search::spawn_search},
    knowledge::{
        links,
        values::{consolidation_score, rounded, shown_time},
    },
    vectors::query_vectors::{EmbeddedQuery, embed_query},
};

/// The number of top matches in which linked entries are grouped.
pub const WINDOW: usize = 200;
/// The most characters of a snippet. About 100 are wanted, and some 150 tokens for a response of
/// `rekall_search`; with more characters the responses would be longer than that.
pub const SNIPPET_CHARS: usize = 76;
/// How many characters of a context are embedded: its end, which is the current part of a conversation.
const CONTEXT_CHARS: usize = 2_000;

/// Returns the best entries for a query that the caller may see.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else those of the database or the index.
pub async fn search(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    search: Search,
) -> Result<SearchData, ServiceError> {
    knowledge
        .admission
        .run_query(|| answer(knowledge, &caller.projects, search))
        .await
}

async fn answer(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    search: Search,
) -> Result<SearchData, ServiceError> {
    let asked = embedded(knowledge, projects, search).await;
    let (mut total, mut results) = found(knowledge, &asked).await?;
    let search = &asked.search;
    if knowledge.settings.knowledge.search_experiences && search.filter.is_empty() {
        let experiences = experiences::found(knowledge, &asked).await?;
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
/// whole ids. The filter applies to entries alone. It does not wait for a query's turn.
///
/// *Errors*: those of [`search`].
pub(crate) async fn with_experiences(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    search: Search,
) -> Result<(Vec<SearchResult>, Vec<(Uuid, SearchResult)>), ServiceError> {
    let asked = embedded(knowledge, &caller.projects, search).await;
    let (_, entries) = found(knowledge, &asked).await?;
    let experiences = experiences::found(knowledge, &asked).await?;
    Ok((entries, experiences.results))
}

/// Embeds the texts of a search.
async fn embedded(knowledge: &Knowledge, projects: &Projects, search: Search) -> Arc<EntryQuery> {
    let context = search.context.as_deref().map(end_of);
    let (query, context) =
        futures::join!(embed_query(&knowledge.embedding, &search.query), async {
            embed_query(&knowledge.embedding, context.as_ref()?).await
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
    knowledge: &Arc<Knowledge>,
    asked: &Arc<EntryQuery>,
) -> Result<(u64, Vec<SearchResult>), ServiceError> {
    indexing::catch_up(&knowledge.records).await?;
    let projects = &asked.projects;
    let hits = ranked(knowledge, asked).await?;
    let ranked = tied::with_tied(knowledge, asked, &hits).await?;
    let ids: Vec<Ulid> = ranked.iter().map(|(id, _)| *id).collect();
    let mut links = knowledge.store.links_of(&ids).await?;
    let is_visible = |id| knowledge.labels.are_within(projects, id);
    links.retain(|Link { source, target, .. }| is_visible(source.0) && is_visible(target.0));
    let search = &asked.search;
    let mut page = arranged(&ranked, &links);
    page.truncate(search.limit as usize);
    let ids: Vec<Ulid> = page.iter().map(|one| one.id).collect();
    let briefs = damage::readable(&ids, |ids| knowledge.store.entry_briefs(ids)).await?;
    let mut briefs: HashMap<Ulid, EntryBrief> =
        briefs.into_iter().map(|one| (one.id, one)).collect();
    let snippet_terms = SnippetTerms::of(&search.query);
    let results = page.into_iter().filter_map(|one| {
        let brief = briefs.remove(&one.id)?;
        let cites = search.citations;
        Some(result(
            knowledge,
            projects,
            (one, brief),
            &snippet_terms,
            cites,
        ))
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
    ) -> recall_kit_search::Query<'a> {
        let query = self.query.as_ref();
        recall_kit_search::Query {
            text: &self.search.query,
            embedding: query.map(|embedded| embedded.vector.as_slice()),
            everyday: query.map_or(0.0, |embedded| embedded.everyday),
            turns: None,
            factors: None,
            language: query.map(|embedded| embedded.language).unwrap_or_default(),
            context: self
                .context
                .as_ref()
                .map(|context| context.vector.as_slice()),
            allowed,
            now,
            offset: 0,
            limit: WINDOW,
        }
    }
}

/// Ranks on a blocking thread, since a large index takes milliseconds.
async fn ranked(knowledge: &Arc<Knowledge>, asked: &Arc<EntryQuery>) -> Result<Hits, ServiceError> {
    let (knowledge, asked) = (Arc::clone(knowledge), Arc::clone(asked));
    spawn_search(move || {
        let (projects, filter) = (&asked.projects, &asked.search.filter);
        let is_open = projects.is_all() && filter.is_empty();
        let has_turns = knowledge.labels.has_turns();
        let labels = (!is_open || has_turns).then(|| knowledge.labels.filtered(projects, filter));
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
            ..asked.for_index(allowed, knowledge.clock.now().as_second())
        };
        knowledge.records.index()?.search(&query)
    })
    .await
}

fn end_of(context: &str) -> String {
    let skipped = context.chars().count().saturating_sub(CONTEXT_CHARS);
    context.chars().skip(skipped).collect()
}

fn result(
    knowledge: &Knowledge,
    projects: &Projects,
    (one, brief): (Arranged, EntryBrief),
    snippet_terms: &SnippetTerms,
    cites: bool,
) -> SearchResult {
    let short = |id| knowledge.labels.short(projects, id);
    let shown = match brief.excerpt.trim() {
        "" => &brief.title,
        content => content,
    };
    let is_cited = cites && !brief.citations.is_empty();
    SearchResult {
        id: short(one.id),
        r#type: brief.kind.into(),
        score: rounded(f64::from(one.relevance)),
        snippet: snippet_terms.snippet(shown, SNIPPET_CHARS),
        title: brief.title,
        tags: brief.tags,
        superseded_by: one.superseded_by.map(short),
        contradicts: one.contradicts.into_iter().map(short).collect(),
        citations: brief
            .citations
            .into_iter()
            .filter(|_| cites)
            .map(CitedFile::from)
            .collect(),
        project: brief.project.filter(|_| is_cited),
        changed_files: Vec::new(),
        missing_files: Vec::new(),
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

/// Why a record is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Somebody reads it, which is counted.
    Opening,
    /// A program looks something up, which is not counted.
    Lookup,
}

/// Returns an entry with its links, or an experience, and counts that it was opened. An entry that the
/// caller may not see counts as missing.
///
/// *Errors*: see [`resolve`].
pub async fn show(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    (id, reading): (&str, Reading),
) -> Result<EntryData, ServiceError> {
    let projects = &caller.projects;
    if experiences::is_id(id) {
        return experiences::show(knowledge, caller, (id, reading)).await;
    }
    let (id, _) = resolve(knowledge, projects, "id", id).await?;
    let entry = knowledge
        .store
        .entry(id)
        .await?
        .ok_or_else(|| not_found("id", &id.to_string()))?;
    let embeddings = embeddings_of(knowledge, id).await?;
    let links = links::of(knowledge, projects, id).await?;
    let promoted_from = promoted_from(&knowledge.experiences, id).await?;
    let neighbours = neighbours(knowledge, projects, id).await?;
    let now = knowledge.clock.now();
    let pending = knowledge.records.popularity.pending(id.into());
    if reading == Reading::Opening {
        let popularity = &knowledge.records.popularity;
        popularity.count([id.into()], Exposure::Opened, caller.voice(), now);
    }
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
        citations: content.citations.into_iter().map(CitedFile::from).collect(),
        neighbours,
        promoted_from,
        promoted_to: None,
    })
}

/// Returns the names of the entries before and after an entry in its conversation, earliest first; `None`
/// if there are none.
async fn neighbours(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    id: Ulid,
) -> Result<Option<Neighbours>, ServiceError> {
    indexing::catch_up(&knowledge.records).await?;
    let around = knowledge.labels.around(projects, id);
    let ids: Vec<Ulid> = around
        .before
        .iter()
        .chain(&around.after)
        .map(|id| (*id).into())
        .collect();
    if ids.is_empty() {
        return Ok(None);
    }
    let briefs = knowledge.store.entry_briefs(&ids).await?;
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
async fn embeddings_of(knowledge: &Knowledge, id: Ulid) -> Result<EntryEmbeddings, ServiceError> {
    let vectors = knowledge.store.entry_vectors(&[id]).await?;
    let embeddings = vectors.first().map(|(_, vectors)| EntryEmbeddings {
        summary: true,
        context: vectors.context.is_some(),
    });
    Ok(embeddings.unwrap_or_default())
}

#[cfg(test)]
mod tests;
