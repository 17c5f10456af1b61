//! Searching documentation.
//!
//! Every page is made from the same hits, folded and divided in the same way, so that a page begins where
//! the previous one ended.

mod pages;
mod sections;

use std::{collections::HashMap, sync::Arc};

use futures::future::try_join_all;
use recall_kit_code::{AskedLanguage, named_in};
use recall_kit_core::{
    error::ServiceError,
    indexing::{self, damage, search::spawn_search},
    vectors::query_vectors::embed_query,
};
use recall_kit_documents::tokens;
use recall_kit_search::Hit;
use recall_kit_shared_types::libraries::{
    DocsMode, LibraryDocsData, LibraryDocument,
    library_limits::{MAX_PAGE, PAGE_SIZE},
};
use recall_kit_store::{Chunk, Library, LibraryVersion, file_and_kind};
use uuid::Uuid;

pub(super) use self::sections::fenced;
use self::{
    pages::{Paging, json_tokens},
    sections::Section,
};
use crate::{Libraries, LibraryView, no_library, no_version, view::Chunks};

/// How many hits are searched for the libraries that answer a query.
const ANSWERS: usize = 100;
/// How many hits all pages are made from: two for each document that they can have, within these limits.
const HITS: std::ops::RangeInclusive<usize> = 200..=1_200;
/// A section is extended by further chunks up to so many tokens: half of a page, within these limits.
const JOINED_TOKENS: std::ops::RangeInclusive<u32> = 256..=1_500;

/// A query for documentation that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocsQuery {
    /// The search texts; at least one, none blank.
    pub topics: Vec<String>,
    /// Only this library; all when `None`.
    pub library: Option<u64>,
    /// Only this version; all when `None`.
    pub version: Option<String>,
    /// Only this kind; both when `None`.
    pub mode: Option<DocsMode>,
    /// Only examples in this language, by its usual name; all when `None`.
    pub language: Option<&'static str>,
    /// The most documents on a page; at least 1.
    pub size: usize,
    /// The most cl100k tokens of a page; no limit when `None`.
    pub max_tokens: Option<u32>,
    /// The page, 1–10.
    pub page: u32,
}

impl DocsQuery {
    fn wants(&self, library: &Library, version: &LibraryVersion) -> bool {
        self.library.is_none_or(|id| id == library.id)
            && self
                .version
                .as_ref()
                .is_none_or(|wanted| *wanted == version.version)
    }

    /// Returns the language that a topic names, if only examples are wanted and no language is chosen.
    fn named_language(&self) -> Option<AskedLanguage> {
        let is_open = self.mode == Some(DocsMode::Code) && self.language.is_none();
        let topics = self.topics.iter().filter(|_| is_open);
        let named = topics.filter_map(|topic| named_in(topic));
        named.reduce(|first, other| match other.only && !first.only {
            true => other,
            false => first,
        })
    }

    /// Returns how many hits its pages are made from.
    fn hits(&self) -> usize {
        let documents = self.size.saturating_mul(MAX_PAGE as usize);
        let hits = documents.saturating_mul(2);
        hits.clamp(*HITS.start(), *HITS.end())
    }

    /// Returns up to how many tokens a section is extended by further chunks.
    fn joined_tokens(&self) -> u32 {
        let half = self.max_tokens.map_or(u32::MAX, |most| most / 2);
        half.clamp(*JOINED_TOKENS.start(), *JOINED_TOKENS.end())
    }
}

/// The filter of a search.
struct Filter {
    query: DocsQuery,
    view: Arc<LibraryView>,
    /// The examples in the chosen language.
    examples: Option<Chunks>,
}

impl Filter {
    async fn of(
        libraries: &Libraries,
        view: &Arc<LibraryView>,
        query: &DocsQuery,
    ) -> Result<Self, ServiceError> {
        Ok(Self {
            query: query.clone(),
            view: Arc::clone(view),
            examples: match query.language {
                Some(language) => Some(view.examples(&libraries.app.store, language).await?),
                None => None,
            },
        })
    }

    fn allows(&self, chunk: Uuid) -> bool {
        let Self {
            query,
            view,
            examples,
        } = self;
        let (_, kind) = file_and_kind(chunk);
        let in_language = |examples: &Chunks| examples.contains(&chunk);
        query.mode.is_none_or(|mode| mode == kind)
            && examples.as_ref().is_none_or(in_language)
            && view
                .place(chunk, |library, version| query.wants(library, version))
                .is_some()
    }
}

/// Returns a page of the best documentation for a query.
///
/// *Errors*: [`ServiceError::Refused`] for a library or version that does not exist,
/// [`ServiceError::Timeout`] past the deadline, else those of the database or the index.
pub async fn docs(
    libraries: &Libraries,
    query: DocsQuery,
) -> Result<LibraryDocsData, ServiceError> {
    // Loaded outside the deadline, since only the first query has to load it.
    let prepared = tokio::task::spawn_blocking(tokens::prepare).await;
    prepared.map_err(|_| ServiceError::Broken("the tokenizer"))?;
    let admission = &libraries.app.admission;
    admission.run_query(|| answer(libraries, &query)).await
}

async fn answer(libraries: &Libraries, query: &DocsQuery) -> Result<LibraryDocsData, ServiceError> {
    loop {
        let view = libraries.view().await?;
        check(&view, query)?;
        let found = found(libraries, &view, query).await?;
        let data = page(libraries, &view, query, found).await?;
        // An ingest that ended meanwhile may have removed a version that this view names.
        if libraries.is_current(&view).await? {
            return Ok(data);
        }
    }
}

/// Returns the libraries whose documentation matches a topic, each with its best relevance.
pub(crate) async fn answering(
    libraries: &Libraries,
    topic: &str,
) -> Result<HashMap<u64, f64>, ServiceError> {
    let view = libraries.view().await?;
    let everything = DocsQuery {
        topics: vec![topic.to_owned()],
        library: None,
        version: None,
        mode: None,
        language: None,
        size: PAGE_SIZE,
        max_tokens: None,
        page: 1,
    };
    indexing::catch_up(&libraries.app.chunks).await?;
    let mut best: HashMap<u64, f64> = HashMap::new();
    let filter = Arc::new(Filter::of(libraries, &view, &everything).await?);
    for hit in hits(libraries, &filter, topic.to_owned(), ANSWERS).await? {
        if let Some((library, _)) = view.place(hit.id, |_, _| true) {
            let known = best.entry(library.id).or_default();
            *known = known.max(f64::from(hit.relevance));
        }
    }
    Ok(best)
}

fn check(view: &LibraryView, query: &DocsQuery) -> Result<(), ServiceError> {
    let Some(id) = query.library else {
        return Ok(());
    };
    let library = view.library(id).ok_or_else(|| no_library(id))?;
    let is_there = |wanted: &String| library.versions.iter().any(|v| v.version == *wanted);
    match &query.version {
        Some(wanted) if !is_there(wanted) => Err(no_version(library, wanted).into()),
        _ => Ok(()),
    }
}

/// Returns the hits of all topics, best first.
async fn found(
    libraries: &Libraries,
    view: &Arc<LibraryView>,
    query: &DocsQuery,
) -> Result<Vec<Hit>, ServiceError> {
    indexing::catch_up(&libraries.app.chunks).await?;
    let filter = Arc::new(Filter::of(libraries, view, query).await?);
    let needed = query.hits();
    let topics = query.topics.iter().cloned();
    let searches = topics.map(|topic| hits(libraries, &filter, topic, needed));
    let mut found = fused(try_join_all(searches).await?);
    if let Some(named) = query.named_language() {
        let examples = view.examples(&libraries.app.store, named.name).await?;
        found.sort_by_key(|hit| !examples.contains(&hit.id));
        let in_language = found.partition_point(|hit| examples.contains(&hit.id));
        // Without an example in this language, others are returned.
        if named.only && in_language > 0 {
            found.truncate(in_language);
        }
    }
    found.truncate(needed);
    Ok(found)
}

/// Merges the hits of several topics rank by rank, the more relevant first, so that every topic is
/// represented.
fn fused(topics: Vec<Vec<Hit>>) -> Vec<Hit> {
    let longest = topics.iter().map(Vec::len).max().unwrap_or_default();
    let mut fused: Vec<Hit> = Vec::new();
    for rank in 0..longest {
        let mut row: Vec<Hit> = topics
            .iter()
            .filter_map(|hits| hits.get(rank).copied())
            .collect();
        row.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
        for hit in row {
            if fused.iter().all(|known| known.id != hit.id) {
                fused.push(hit);
            }
        }
    }
    fused
}

/// Searches on a blocking thread: a filter over many chunks takes milliseconds.
async fn hits(
    libraries: &Libraries,
    filter: &Arc<Filter>,
    topic: String,
    limit: usize,
) -> Result<Vec<Hit>, ServiceError> {
    let embedded = embed_query(&libraries.app.embedding, &topic).await;
    let (chunks, filter) = (Arc::clone(&libraries.app.chunks), Arc::clone(filter));
    let now = libraries.app.clock.now();
    let found = spawn_search(move || {
        let allows = |chunk| filter.allows(chunk);
        let embedded = embedded.as_deref();
        chunks.index()?.search(&recall_kit_search::Query {
            text: &topic,
            embedding: embedded.map(|embedded| embedded.vector.as_slice()),
            everyday: embedded.map_or(0.0, |embedded| embedded.everyday),
            turns: None,
            factors: None,
            language: embedded
                .map(|embedded| embedded.language)
                .unwrap_or_default(),
            context: None,
            allowed: recall_kit_search::Allowed::Filter(&allows),
            now: now.as_second(),
            offset: 0,
            limit,
        })
    });
    Ok(found.await?.hits)
}

/// Builds the page.
async fn page(
    libraries: &Libraries,
    view: &Arc<LibraryView>,
    query: &DocsQuery,
    found: Vec<Hit>,
) -> Result<LibraryDocsData, ServiceError> {
    let ids: Vec<Uuid> = found.iter().map(|hit| hit.id).collect();
    let chunks = damage::readable(&ids, |ids| libraries.app.store.chunks(ids)).await?;
    let mut chunks: HashMap<Uuid, Chunk> =
        chunks.into_iter().map(|chunk| (chunk.id, chunk)).collect();
    let pieces = found.into_iter().filter_map(|hit| {
        let chunk = chunks.remove(&hit.id)?;
        Some((hit.relevance, chunk))
    });
    let pieces: Vec<(f32, Chunk)> = pieces.collect();
    let empty = LibraryDocsData {
        library_id: query.library,
        library_name: query
            .library
            .and_then(|id| view.library(id))
            .map(|library| library.name.clone()),
        version: query.version.clone(),
        documents: Vec::new(),
        page: query.page,
        has_more: false,
        embedding_progress: libraries.embedding_progress(),
    };
    // Counting the tokens of many pages takes milliseconds.
    let (view, query) = (Arc::clone(view), query.clone());
    let filled = tokio::task::spawn_blocking(move || filled(empty, &view, &query, pieces));
    filled.await.map_err(|_| ServiceError::Broken("the pages"))
}

/// Fills a response with the documents of its page.
fn filled(
    empty: LibraryDocsData,
    view: &LibraryView,
    query: &DocsQuery,
    pieces: Vec<(f32, Chunk)>,
) -> LibraryDocsData {
    let sections = sections::folded(pieces, query.joined_tokens());
    let documents = sections.into_iter().filter_map(|section| {
        let wanted = |library: &Library, version: &LibraryVersion| query.wants(library, version);
        let place = view.place(section.best, wanted)?;
        Some(document(section, place, query.library.is_none()))
    });
    let without_envelope = |most: u32| most.saturating_sub(json_tokens(&empty));
    let paging = Paging {
        size: query.size,
        budget: query.max_tokens.map(without_envelope),
    };
    let page = pages::page(documents.collect(), paging, query.page);
    LibraryDocsData {
        documents: page.documents,
        has_more: page.has_more,
        ..empty
    }
}

fn document(
    section: Section,
    (library, version): (&Library, &LibraryVersion),
    names_library: bool,
) -> LibraryDocument {
    let source = match section.line {
        0 => section.path,
        line => format!("{}#L{line}", section.path),
    };
    let tokens = tokens::count(&section.text);
    let (code, content) = match section.kind {
        DocsMode::Code => (Some(section.text), None),
        DocsMode::Info => (None, Some(section.text)),
    };
    LibraryDocument {
        library_id: names_library.then_some(library.id),
        library_name: names_library.then(|| library.name.clone()),
        title: section.title,
        description: section.description,
        source,
        version: version.version.clone(),
        mode: section.kind,
        language: section.language,
        code,
        content,
        tokens,
        relevance: (f64::from(section.relevance) * 1_000.0).round() / 1_000.0,
        truncated: false,
    }
}

#[cfg(test)]
mod tests;
