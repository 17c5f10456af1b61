//! Finding the right pieces of documentation.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use futures::future::try_join_all;
use recall_kit_shared_types::libraries::{
    DocsMode, LibraryDocsData, LibraryDocument,
    library_limits::{MAX_PAGE, PAGE_SIZE},
};
use uuid::Uuid;

use super::{Shelf, no_library, no_version};
use crate::{
    app::App,
    documents::{AskedLanguage, language_named_in},
    error::ServiceError,
    search::{self, Hit},
    service::{
        experiences::in_turn,
        family::Family,
        indexing::{self, damage},
        query_vectors::{EmbeddedQuery, embed_query},
    },
    store::{Chunk, Library, LibraryVersion, file_and_kind},
};

/// Hits among which the libraries that answer a question are looked for.
const ANSWERS: usize = 100;
/// Hits among which examples in a language that was chosen are looked for; those behind are not found.
const EXAMPLES: usize = 2_000;

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

    /// The language of the examples that are asked for: the one that was chosen, else named.
    fn asked_language(&self) -> Option<AskedLanguage> {
        if let Some(name) = self.language {
            return Some(AskedLanguage { name, only: true });
        }
        let is_code = self.mode == Some(DocsMode::Code);
        let topics = self.topics.iter().filter(|_| is_code);
        let asked = topics.filter_map(|topic| language_named_in(topic));
        asked.reduce(|first, other| match other.only && !first.only {
            true => other,
            false => first,
        })
    }

    fn wants_chunk(&self, shelf: &Shelf, chunk: Uuid) -> bool {
        let (_, kind) = file_and_kind(chunk);
        self.mode.is_none_or(|mode| mode == kind)
            && (self.language.is_none() || kind == DocsMode::Code)
            && shelf
                .place(chunk, |library, version| self.wants(library, version))
                .is_some()
    }
}

/// Returns a page of the documentation that answers best.
///
/// *Errors*: [`ServiceError::Refused`] for a library or version that there is not,
/// [`ServiceError::Timeout`] past the deadline, else what the database or the index said.
pub async fn docs(app: &Arc<App>, query: DocsQuery) -> Result<LibraryDocsData, ServiceError> {
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
        page: 1,
    };
    indexing::catch_up(app, Family::Chunks).await?;
    let mut best: HashMap<u64, f64> = HashMap::new();
    for hit in hits(app, &shelf, &everything, topic.to_owned(), ANSWERS).await? {
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

/// Returns what is found of every topic up to one more than the page needs, best first.
async fn found(
    app: &Arc<App>,
    shelf: &Arc<Shelf>,
    query: &DocsQuery,
) -> Result<Vec<Hit>, ServiceError> {
    indexing::catch_up(app, Family::Chunks).await?;
    // Examples in the language that was asked for come first or alone, of as many hits as are looked at.
    let pages = match query.asked_language() {
        Some(_) => MAX_PAGE,
        None => query.page,
    };
    let needed = match query.language {
        Some(_) => EXAMPLES,
        None => pages as usize * PAGE_SIZE + 1,
    };
    let topics = query.topics.iter().cloned();
    let searches = topics.map(|topic| hits(app, shelf, query, topic, needed));
    Ok(fused(try_join_all(searches).await?))
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
    shelf: &Arc<Shelf>,
    query: &DocsQuery,
    topic: String,
    limit: usize,
) -> Result<Vec<Hit>, ServiceError> {
    let embedded = embed_query(app, &topic).await;
    let (app, shelf, query) = (Arc::clone(app), Arc::clone(shelf), query.clone());
    let searched = tokio::task::spawn_blocking(move || {
        let allows = |chunk| query.wants_chunk(&shelf, chunk);
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
    let found = app.chunks.index()?.search(&search::Query {
        text: topic,
        embedding: embedded.map(|embedded| embedded.vector.as_slice()),
        everyday: embedded.map_or(0.0, |embedded| embedded.everyday),
        context: None,
        allows: Some(allows),
        now: app.now().as_second(),
        offset: 0,
        limit,
    })?;
    Ok(found.hits)
}

/// Makes the page.
async fn page(
    app: &App,
    shelf: &Shelf,
    query: &DocsQuery,
    found: Vec<Hit>,
) -> Result<LibraryDocsData, ServiceError> {
    let ids = |hits: &[Hit]| hits.iter().map(|hit| hit.id).collect::<Vec<Uuid>>();
    let start = (query.page as usize - 1) * PAGE_SIZE;
    let mut found = found;
    if let Some(asked) = query.asked_language() {
        let chunks = damage::readable(&ids(&found), |ids| app.store.chunks(ids)).await?;
        let is_in = |chunk: &&Chunk| chunk.content.language.as_deref() == Some(asked.name);
        let in_language: HashSet<Uuid> =
            chunks.iter().filter(is_in).map(|chunk| chunk.id).collect();
        found.sort_by_key(|hit| !in_language.contains(&hit.id));
        // Others do where nobody insists.
        if asked.only && (query.language.is_some() || !in_language.is_empty()) {
            found.truncate(in_language.len());
        }
    }
    let has_more = query.page < MAX_PAGE && found.len() > start + PAGE_SIZE;
    let on_page: Vec<Hit> = found.into_iter().skip(start).take(PAGE_SIZE).collect();
    let chunks = damage::readable(&ids(&on_page), |ids| app.store.chunks(ids)).await?;
    let mut chunks: HashMap<Uuid, Chunk> =
        chunks.into_iter().map(|chunk| (chunk.id, chunk)).collect();
    let documents = on_page.iter().filter_map(|hit| {
        let chunk = chunks.remove(&hit.id)?;
        let place = shelf.place(hit.id, |library, version| query.wants(library, version))?;
        Some(document(
            chunk,
            place,
            hit.relevance,
            query.library.is_none(),
        ))
    });
    Ok(LibraryDocsData {
        library_id: query.library,
        documents: documents.collect(),
        page: query.page,
        has_more,
    })
}

fn document(
    chunk: Chunk,
    (library, version): (&Library, &LibraryVersion),
    relevance: f32,
    names_library: bool,
) -> LibraryDocument {
    let content = chunk.content;
    let source = match content.line {
        0 => chunk.path,
        line => format!("{}#L{line}", chunk.path),
    };
    let is_code = content.kind == DocsMode::Code;
    let (code, text) = match is_code {
        true => (Some(content.text), None),
        false => (None, Some(content.text)),
    };
    LibraryDocument {
        library_id: names_library.then_some(library.id),
        title: content.title,
        description: content.description.filter(|_| is_code),
        source,
        version: version.version.clone(),
        mode: content.kind,
        language: is_code.then(|| content.language.unwrap_or_default()),
        code,
        content: text,
        tokens: content.tokens,
        relevance: (f64::from(relevance) * 1_000.0).round() / 1_000.0,
    }
}
