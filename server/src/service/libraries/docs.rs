//! Finding the right pieces of documentation.

use std::{collections::HashMap, sync::Arc};

use futures::future::try_join_all;
use recall_kit_shared_types::libraries::{
    DocsMode, LibraryDocsData, LibraryDocument,
    library_limits::{MAX_PAGE, PAGE_SIZE},
};
use uuid::Uuid;

use super::{Shelf, no_library, no_version, shelf::Chunks};
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
    /// Pieces on a page; at least 1.
    pub size: usize,
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

    /// How many pieces stand on the pages before.
    fn skipped(&self) -> usize {
        (self.page as usize - 1) * self.size
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

/// Returns what is found of every topic up to one more than the page needs, best first.
async fn found(
    app: &Arc<App>,
    shelf: &Arc<Shelf>,
    query: &DocsQuery,
) -> Result<Vec<Hit>, ServiceError> {
    indexing::catch_up(app, Family::Chunks).await?;
    let filter = Arc::new(Filter::of(app, shelf, query).await?);
    let named = query.named_language();
    // Examples in a language that is named come first or alone, of as many hits as have pages, however
    // small these are.
    let (pages, size) = match named {
        Some(_) => (MAX_PAGE, query.size.max(PAGE_SIZE)),
        None => (query.page, query.size),
    };
    let needed = pages as usize * size + 1;
    let topics = query.topics.iter().cloned();
    let searches = topics.map(|topic| hits(app, &filter, topic, needed));
    let mut found = fused(try_join_all(searches).await?);
    if let Some(named) = named {
        let examples = shelf.examples(app, named.name).await?;
        found.sort_by_key(|hit| !examples.contains(&hit.id));
        let in_language = found.partition_point(|hit| examples.contains(&hit.id));
        // Others do where there are none.
        if named.only && in_language > 0 {
            found.truncate(in_language);
        }
    }
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
    let found = app.chunks.index()?.search(&search::Query {
        text: topic,
        embedding: embedded.map(|embedded| embedded.vector.as_slice()),
        everyday: embedded.map_or(0.0, |embedded| embedded.everyday),
        turns: None,
        language: embedded
            .map(|embedded| embedded.language)
            .unwrap_or_default(),
        context: None,
        allowed: search::Allowed::Filter(allows),
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
    let end = query.skipped() + query.size;
    let has_more = query.page < MAX_PAGE && found.len() > end;
    let on_page = found.into_iter().take(end).skip(query.skipped());
    let on_page: Vec<Hit> = on_page.collect();
    let ids: Vec<Uuid> = on_page.iter().map(|hit| hit.id).collect();
    let chunks = damage::readable(&ids, |ids| app.store.chunks(ids)).await?;
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
    let asked = query.library.and_then(|id| shelf.library(id));
    Ok(LibraryDocsData {
        library_id: query.library,
        library_name: asked.map(|library| library.name.clone()),
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
        library_name: names_library.then(|| library.name.clone()),
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

#[cfg(test)]
mod tests;
