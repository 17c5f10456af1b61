//! Searching libraries by name.
//!
//! If no library's name matches, the documentation itself is searched, and libraries that answer the query
//! well are returned.

mod names;
pub mod recall;

use std::{collections::HashMap, time::Duration};

use jiff::Timestamp;
use recall_kit_core::{error::ServiceError, validation::refused};
use recall_kit_documents::by_version;
use recall_kit_nearest::nearest;
use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    libraries::{LibraryMatch, SearchLibrariesData, library_limits::MAX_LIBRARIES},
};
use recall_kit_store::{Library, LibraryVersion};

use crate::{Libraries, LibraryView, docs};

/// After this time documentation may be out of date.
const STALE_AFTER: Duration = Duration::from_secs(180 * 24 * 60 * 60);
/// If all names score less than this, the documentation is searched as well.
const NAME_SCORE: f64 = 0.5;
/// The weight of a documentation hit's relevance in a library's score.
const DOCS_WEIGHT: f64 = 0.6;

/// The most libraries of an answer to a request without a name.
const MAX_LISTED: usize = 100;

/// Returns the libraries whose name matches, or whose documentation is about it; without a name, all.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else those of the database or the index.
pub async fn search(
    libraries: &Libraries,
    name: Option<&str>,
) -> Result<SearchLibrariesData, ServiceError> {
    let Some(name) = name else {
        return all(libraries).await;
    };
    let admission = &libraries.app.admission;
    admission.run_query(|| find(libraries, name)).await
}

/// Returns every library, ordered by name, each with score 1.
async fn all(libraries: &Libraries) -> Result<SearchLibrariesData, ServiceError> {
    let view = libraries.view().await?;
    let now = libraries.app.clock.now();
    let listed = view.libraries().iter().take(MAX_LISTED);
    Ok(SearchLibrariesData {
        libraries: listed.map(|library| shown(library, 1.0, now)).collect(),
    })
}

async fn find(libraries: &Libraries, name: &str) -> Result<SearchLibrariesData, ServiceError> {
    let view = libraries.view().await?;
    let mut scores: HashMap<u64, f64> = view
        .libraries()
        .iter()
        .map(|library| (library.id, names::score(name, library)))
        .collect();
    if scores.values().all(|score| *score < NAME_SCORE) {
        for (id, relevance) in docs::answering(libraries, name).await? {
            let score = scores.entry(id).or_default();
            *score = score.max(DOCS_WEIGHT * relevance);
        }
    }
    let score = |library: &Library| scores.get(&library.id).copied().unwrap_or_default();
    let mut found: Vec<&Library> = view.libraries().iter().collect();
    found.retain(|library| score(library) > 0.0);
    // The sort is stable: libraries with the same score stay ordered by name.
    found.sort_by(|a, b| score(b).total_cmp(&score(a)));
    found.truncate(MAX_LIBRARIES);
    let (found, now) = (found.into_iter(), libraries.app.clock.now());
    Ok(SearchLibrariesData {
        libraries: found
            .map(|library| shown(library, score(library), now))
            .collect(),
    })
}

/// Converts a library to its form in responses.
pub fn shown(library: &Library, score: f64, now: Timestamp) -> LibraryMatch {
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
        stale: is_stale(newest, now),
    }
}

/// Whether documentation that was ingested at a time may be out of date.
pub fn is_stale(ingested_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(ingested_at).unsigned_abs() > STALE_AFTER
}

/// Finds a library by its name, in any case; `field` is the argument that names it.
///
/// *Errors*: `LIBRARY_NOT_FOUND`, with the most similar name.
pub fn library_named<'a>(
    view: &'a LibraryView,
    name: &str,
    field: &str,
) -> Result<&'a Library, Box<ErrorBody>> {
    view.named(name).ok_or_else(|| {
        let known = view.libraries().iter();
        let hint = match nearest(name, known.map(|library| library.name.as_str())) {
            Some(name) => format!("did you mean {name:?}?"),
            None if view.libraries().is_empty() => "there are no libraries yet".to_owned(),
            None => "`recall-kit-server libraries list` shows all libraries".to_owned(),
        };
        let words = format!("there is no library {name:?}; {hint}");
        refused(ErrorCode::LibraryNotFound, field, words)
    })
}

/// Finds a version of a library by its name.
///
/// *Errors*: `VERSION_NOT_FOUND`, with the existing versions.
pub fn version_named<'a>(
    library: &'a Library,
    name: &str,
) -> Result<&'a LibraryVersion, Box<ErrorBody>> {
    let mut versions = library.versions.iter();
    let found = versions.find(|version| version.version == name);
    found.ok_or_else(|| no_version(library, name))
}

/// Returns the names of the versions besides the default one, newest first.
pub(crate) fn other_versions(library: &Library) -> Vec<String> {
    let versions = library.versions.iter();
    let mut versions: Vec<String> = versions
        .map(|version| version.version.clone())
        .filter(|version| *version != library.default_version)
        .collect();
    versions.sort_by(|a, b| by_version(b, a));
    versions
}

/// Returns the error for an unknown library, with advice how to find one.
pub fn no_library(id: u64) -> Box<ErrorBody> {
    refused(
        ErrorCode::LibraryNotFound,
        "libraryId",
        format!("there is no library {id}; use search-libraries to find libraries"),
    )
}

/// Returns the error for an unknown version, with the existing versions.
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
