//! Documentation libraries: finding them, and finding the right piece of their documentation.
//!
//! Source: seeds documentation document, "search-libraries" and "get-library-docs". Where it leaves a
//! name unmatched it searches the documentation itself: a library that answers a question well is the
//! one that was meant.

mod address;
pub mod compare;
mod docs;
pub mod ingest;
pub mod intake;
pub mod jobs;
mod look;
mod names;
pub mod refresh;
pub mod resource;
mod shelf;
pub mod watch;

use std::{collections::HashMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use recall_kit_documents::by_version;
use recall_kit_nearest::nearest;
use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    libraries::{
        EmbeddingProgress, LibraryMatch, SearchLibrariesData, library_limits::MAX_LIBRARIES,
    },
};
use recall_kit_store::{Library, LibraryVersion, StoreError};

pub use self::{
    address::{Address, DOCS_TEMPLATE, LIBRARY_TEMPLATE, is_library_address, library_address},
    docs::{DocsQuery, docs},
    look::{Reading, read_through, remove_version},
    shelf::{KnownShelf, Shelf},
};
use crate::{
    app::App,
    error::ServiceError,
    experiences::{in_turn, kept_since},
    validation::refused,
};

/// After so long documentation may be out of date.
const STALE_AFTER: Duration = Duration::from_secs(180 * 24 * 60 * 60);
/// Rows of pieces that are gone removed in one transaction.
const PURGE_BATCH: u32 = 2_000;
/// Transactions in one round of housekeeping, at most.
const PURGE_BATCHES: u32 = 10;
/// A name that fits less than this may not be what was meant, and the documentation is asked too.
const NAMED: f64 = 0.5;
/// What the best answer of a library's documentation is worth beside a name.
const ANSWERS: f64 = 0.6;

/// Removes what is left of pieces of documentation that were replaced or removed long ago, a bounded
/// number at a time; returns how many.
///
/// *Errors*: what the database said.
pub async fn purge(app: &App) -> Result<u64, StoreError> {
    let Some(before) = kept_since(app) else {
        return Ok(0);
    };
    let mut purged = 0;
    for _ in 0..PURGE_BATCHES {
        let batch = app.store.purge_chunks(before, PURGE_BATCH).await?;
        purged += batch;
        if batch < u64::from(PURGE_BATCH) {
            break;
        }
    }
    Ok(purged)
}

/// Returns how many pieces of documentation have their vectors; `None` where all have, or none is to
/// have one.
pub fn embedding_progress(app: &App) -> Option<EmbeddingProgress> {
    app.embedder.as_ref()?;
    let status = app.chunks.status();
    (status.without_vector > 0).then(|| EmbeddingProgress {
        embedded: status.records.saturating_sub(status.without_vector) as u64,
        total: status.records as u64,
    })
}

/// Finds the libraries that are called like this, or whose documentation is about it.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else what the database or the index said.
pub async fn search(app: &Arc<App>, name: &str) -> Result<SearchLibrariesData, ServiceError> {
    in_turn(app, find(app, name)).await
}

async fn find(app: &Arc<App>, name: &str) -> Result<SearchLibrariesData, ServiceError> {
    let shelf = app.shelf.now(app).await?;
    let libraries = shelf.libraries().iter();
    let mut scores: HashMap<u64, f64> = libraries
        .map(|library| (library.id, names::score(name, library)))
        .collect();
    if scores.values().all(|score| *score < NAMED) {
        for (id, relevance) in docs::answering(app, name).await? {
            let score = scores.entry(id).or_default();
            *score = score.max(ANSWERS * relevance);
        }
    }
    let score = |library: &Library| scores.get(&library.id).copied().unwrap_or_default();
    let mut found: Vec<&Library> = shelf.libraries().iter().collect();
    found.retain(|library| score(library) > 0.0);
    // Those that fit alike stay in the order of their names.
    found.sort_by(|a, b| score(b).total_cmp(&score(a)));
    found.truncate(MAX_LIBRARIES);
    let libraries = found.into_iter();
    Ok(SearchLibrariesData {
        libraries: libraries
            .map(|library| shown(app, library, score(library)))
            .collect(),
    })
}

/// Shows a library as an answer does.
pub fn shown(app: &App, library: &Library, score: f64) -> LibraryMatch {
    let newest = library.versions.iter().map(|version| version.ingested_at);
    let newest = newest.max().unwrap_or_default();
    LibraryMatch {
        library_id: library.id,
        name: library.name.clone(),
        versions: other_versions(library),
        default_version: library.default_version.clone(),
        description: library.description.clone(),
        snippets: library.versions.iter().map(|version| version.chunks).sum(),
        score: (score * 1_000.0).round() / 1_000.0,
        updated: newest.strftime("%F").to_string(),
        stale: is_stale(newest, app.now()),
    }
}

/// Whether documentation that was read in at a moment may be out of date.
pub fn is_stale(ingested_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(ingested_at).unsigned_abs() > STALE_AFTER
}

/// Finds a library by its name, in any case.
///
/// *Errors*: `LIBRARY_NOT_FOUND`, with the name that is most like it.
pub fn library_named<'a>(shelf: &'a Shelf, name: &str) -> Result<&'a Library, Box<ErrorBody>> {
    shelf.named(name).ok_or_else(|| {
        let known = shelf.libraries().iter();
        let hint = match nearest(name, known.map(|library| library.name.as_str())) {
            Some(name) => format!("did you mean {name:?}?"),
            None if shelf.libraries().is_empty() => "there is none yet".to_owned(),
            None => "`recall-kit-server libraries list` names those there are".to_owned(),
        };
        let words = format!("there is no library {name:?}; {hint}");
        refused(ErrorCode::LibraryNotFound, "libraryName", words)
    })
}

/// Finds a version of a library by its name.
///
/// *Errors*: `VERSION_NOT_FOUND`, with those there are.
pub fn version_named<'a>(
    library: &'a Library,
    name: &str,
) -> Result<&'a LibraryVersion, Box<ErrorBody>> {
    let mut versions = library.versions.iter();
    let found = versions.find(|version| version.version == name);
    found.ok_or_else(|| no_version(library, name))
}

/// Returns the names of the versions besides the default one, newest first.
fn other_versions(library: &Library) -> Vec<String> {
    let versions = library.versions.iter();
    let mut versions: Vec<String> = versions
        .map(|version| version.version.clone())
        .filter(|version| *version != library.default_version)
        .collect();
    versions.sort_by(|a, b| by_version(b, a));
    versions
}

/// Says that there is no such library, and how to find one.
pub fn no_library(id: u64) -> Box<ErrorBody> {
    refused(
        ErrorCode::LibraryNotFound,
        "libraryId",
        format!("there is no library {id}; search-libraries finds those there are"),
    )
}

/// Says that a library has no such version, and which it has.
pub fn no_version(library: &Library, version: &str) -> Box<ErrorBody> {
    let mut known: Vec<&str> = library
        .versions
        .iter()
        .map(|version| version.version.as_str())
        .collect();
    known.sort_by(|a, b| by_version(b, a));
    refused(
        ErrorCode::VersionNotFound,
        "version",
        format!(
            "{} has no version {version:?}; it has {}",
            library.name,
            known.join(", ")
        ),
    )
}
