//! Finding the right pieces of documentation.
//!
//! Every page is made of the same hits, folded and divided in the same way, so that a page begins where
//! the one before it ended.

mod pages;
mod sections;

use std::{collections::HashMap, sync::Arc};

use futures::future::try_join_all;
use recall_kit_documents::{AskedLanguage, language_named_in, tokens};
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
use super::{Shelf, embedding_progress, no_library, no_version, shelf::Chunks};
use crate::{
    app::App,
    error::ServiceError,
    experiences::in_turn,
    indexing::{self, damage, family::Family},
    vectors::query_vectors::{EmbeddedQuery, embed_query},
};

/// Hits among which the libraries that answer a question are looked for.
const ANSWERS: usize = 100;
/// Hits of which all pages are made: two for each document that they can have, at least and at most
/// so many.
const HITS: std::ops::RangeInclusive<usize> = 200..=1_200;
/// Tokens up to which further pieces join their section: half of a page, at least and at most so many.
const JOINED_TOKENS: std::ops::RangeInclusive<u32> = 256..=1_500;

/// A question that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocsQuery {
    /// What to look for; at least one, none blank.
    pub topics: Vec<String>,
    /// The library; all where there is none.
    pub library: Option<u64>,
    /// The version; all where there is none.
    pub version: Option<String>,
    /// What kind is wanted; both where nothing is said.
    pub mode: Option<DocsMode>,
    /// Only examples in this language, by its usual name; all where none is chosen.
    pub language: Option<&'static str>,
    /// Documents on a page, at most; at least 1.
    pub size: usize,
    /// cl100k tokens of a page, at most; any where there is no limit.
    pub max_tokens: Option<u32>,
    /// 1–10.
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

    /// The language that a topic names, where examples are asked for and none is chosen.
    fn named_language(&self) -> Option<AskedLanguage> {
        let is_open = self.mode == Some(DocsMode::Code) && self.language.is_none();
        let topics = self.topics.iter().filter(|_| is_open);
        let named = topics.filter_map(|topic| language_named_in(topic));
        named.reduce(|first, other| match other.only && !first.only {
            true => other,
            false => first,
        })
    }

    /// Of how many hits all of its pages are made.
    fn hits(&self) -> usize {
        let documents = self.size.saturating_mul(MAX_PAGE as usize);
        let hits = documents.saturating_mul(2);
        hits.clamp(*HITS.start(), *HITS.end())
    }

    /// Tokens up to which further pieces join their section.
    fn joined_tokens(&self) -> u32 {
        let half = self.max_tokens.map_or(u32::MAX, |most| most / 2);
        half.clamp(*JOINED_TOKENS.start(), *JOINED_TOKENS.end())
    }
}

/// What a search lets pass.
struct Filter {
    query: DocsQuery,
    shelf: Arc<Shelf>,
    /// The examples in the language that was chosen.
    examples: Option<Chunks>,
}

impl Filter {
    async fn of(
        app: &Arc<App>,
        shelf: &Arc<Shelf>,
        query: &DocsQuery,
    ) -> Result<Self, ServiceError> {
        Ok(Self {
            query: query.clone(),
            shelf: Arc::clone(shelf),
            examples: match query.language {
                Some(language) => Some(shelf.examples(app, language).await?),
                None => None,
            },
        })
    }

    fn allows(&self, chunk: Uuid) -> bool {
        let Self {
            query,
            shelf,
            examples,
        } = self;
        let (_, kind) = file_and_kind(chunk);
        let in_language = |examples: &Chunks| examples.contains(&chunk);
        query.mode.is_none_or(|mode| mode == kind)
            && examples.as_ref().is_none_or(in_language)
            && shelf
                .place(chunk, |library, version| query.wants(library, version))
                .is_some()
    }
}

/// Returns a page of the documentation that answers best.
///
/// *Errors*: [`ServiceError::Refused`] for a library or version that there is not,
/// [`ServiceError::Timeout`] past the deadline, else what the database or the index said.
pub async fn docs(app: &Arc<App>, query: DocsQuery) -> Result<LibraryDocsData, ServiceError> {
    // The first question must not run out of time for what the later ones find ready.
    let prepared = tokio::task::spawn_blocking(tokens::prepare).await;
    prepared.map_err(|_| ServiceError::Broken("the tokenizer"))?;
    in_turn(app, answer(app, &query)).await
}

async fn answer(app: &Arc<App>, query: &DocsQuery) -> Result<LibraryDocsData, ServiceError> {
    loop {
        let shelf = app.shelf.now(app).await?;
        check(&shelf, query)?;
        let found = found(app, &shelf, query).await?;
        let data = page(app, &shelf, query, found).await?;
        // What was published meanwhile may have taken away what this shelf names.
        if app.shelf.is_current(app, &shelf).await? {
            return Ok(data);
        }
    }
}

/// Returns the libraries whose documentation is about something, each with its best relevance.
pub(super) async fn answering(
    app: &Arc<App>,
    topic: &str,
) -> Result<HashMap<u64, f64>, ServiceError> {
    let shelf = app.shelf.now(app).await?;
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
    indexing::catch_up(app, Family::Chunks).await?;
    let mut best: HashMap<u64, f64> = HashMap::new();
    let filter = Arc::new(Filter::of(app, &shelf, &everything).await?);
    for hit in hits(app, &filter, topic.to_owned(), ANSWERS).await? {
        if let Some((library, _)) = shelf.place(hit.id, |_, _| true) {
            let known = best.entry(library.id).or_default();
            *known = known.max(f64::from(hit.relevance));
        }
    }
    Ok(best)
}

fn check(shelf: &Shelf, query: &DocsQuery) -> Result<(), ServiceError> {
    let Some(id) = query.library else {
        return Ok(());
    };
    let library = shelf.library(id).ok_or_else(|| no_library(id))?;
    let is_there = |wanted: &String| library.versions.iter().any(|v| v.version == *wanted);
    match &query.version {
        Some(wanted) if !is_there(wanted) => Err(no_version(library, wanted).into()),
        _ => Ok(()),
    }
}

/// Returns what is found of every topic, best first.
async fn found(
    app: &Arc<App>,
    shelf: &Arc<Shelf>,
    query: &DocsQuery,
) -> Result<Vec<Hit>, ServiceError> {
    indexing::catch_up(app, Family::Chunks).await?;
    let filter = Arc::new(Filter::of(app, shelf, query).await?);
    let needed = query.hits();
    let topics = query.topics.iter().cloned();
    let searches = topics.map(|topic| hits(app, &filter, topic, needed));
    let mut found = fused(try_join_all(searches).await?);
    if let Some(named) = query.named_language() {
        let examples = shelf.examples(app, named.name).await?;
        found.sort_by_key(|hit| !examples.contains(&hit.id));
        let in_language = found.partition_point(|hit| examples.contains(&hit.id));
        // Others do where there are none.
        if named.only && in_language > 0 {
            found.truncate(in_language);
        }
    }
    found.truncate(needed);
    Ok(found)
}

/// Takes of every topic in turn the best that is left, the more relevant first: each of the topics
/// was asked for.
fn fused(topics: Vec<Vec<Hit>>) -> Vec<Hit> {
    let longest = topics.iter().map(Vec::len).max().unwrap_or_default();
    let mut fused: Vec<Hit> = Vec::new();
    for place in 0..longest {
        let mut row: Vec<Hit> = topics
            .iter()
            .filter_map(|hits| hits.get(place).copied())
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

/// Searches on a thread of its own: a filter over many chunks takes milliseconds.
async fn hits(
    app: &Arc<App>,
    filter: &Arc<Filter>,
    topic: String,
    limit: usize,
) -> Result<Vec<Hit>, ServiceError> {
    let embedded = embed_query(app, &topic).await;
    let (app, filter) = (Arc::clone(app), Arc::clone(filter));
    let searched = tokio::task::spawn_blocking(move || {
        let allows = |chunk| filter.allows(chunk);
        search_chunks(&app, &topic, embedded.as_deref(), &allows, limit)
    });
    let searched = searched.await;
    searched.map_err(|_| ServiceError::Broken("the search"))?
}

fn search_chunks(
    app: &App,
    topic: &str,
    embedded: Option<&EmbeddedQuery>,
    allows: &(dyn Fn(Uuid) -> bool + Sync),
    limit: usize,
) -> Result<Vec<Hit>, ServiceError> {
    let found = app.chunks.index()?.search(&recall_kit_search::Query {
        text: topic,
        embedding: embedded.map(|embedded| embedded.vector.as_slice()),
        everyday: embedded.map_or(0.0, |embedded| embedded.everyday),
        turns: None,
        language: embedded
            .map(|embedded| embedded.language)
            .unwrap_or_default(),
        context: None,
        allowed: recall_kit_search::Allowed::Filter(allows),
        now: app.now().as_second(),
        offset: 0,
        limit,
    })?;
    Ok(found.hits)
}

/// Makes the page.
async fn page(
    app: &App,
    shelf: &Arc<Shelf>,
    query: &DocsQuery,
    found: Vec<Hit>,
) -> Result<LibraryDocsData, ServiceError> {
    let ids: Vec<Uuid> = found.iter().map(|hit| hit.id).collect();
    let chunks = damage::readable(&ids, |ids| app.store.chunks(ids)).await?;
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
            .and_then(|id| shelf.library(id))
            .map(|library| library.name.clone()),
        version: query.version.clone(),
        documents: Vec::new(),
        page: query.page,
        has_more: false,
        embedding_progress: embedding_progress(app),
    };
    // Counting the tokens of many pages takes milliseconds.
    let (shelf, query) = (Arc::clone(shelf), query.clone());
    let filled = tokio::task::spawn_blocking(move || filled(empty, &shelf, &query, pieces));
    filled.await.map_err(|_| ServiceError::Broken("the pages"))
}

/// Fills an answer with the documents of its page.
fn filled(
    empty: LibraryDocsData,
    shelf: &Shelf,
    query: &DocsQuery,
    pieces: Vec<(f32, Chunk)>,
) -> LibraryDocsData {
    let sections = sections::folded(pieces, query.joined_tokens());
    let documents = sections.into_iter().filter_map(|section| {
        let wanted = |library: &Library, version: &LibraryVersion| query.wants(library, version);
        let place = shelf.place(section.best, wanted)?;
        Some(document(section, place, query.library.is_none()))
    });
    let around = |most: u32| most.saturating_sub(json_tokens(&empty));
    let paging = Paging {
        size: query.size,
        budget: query.max_tokens.map(around),
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
