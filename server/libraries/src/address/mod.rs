//! Resource addresses of libraries: a library itself, and its documentation on a topic.
//!
//! The scheme `go-mcp-context` is accepted wherever ours is, so that clients with fixed addresses of that
//! scheme continue to work.

use percent_encoding::percent_decode_str;
use recall_kit_core::validation::refused;
use recall_kit_shared_types::{ErrorBody, ErrorCode};
use serde_json::{Value, json};

use super::{DocsQuery, LibraryView, no_library, no_version};
use crate::{DocsInput, validate_docs};

/// The address of a library.
pub const LIBRARY_TEMPLATE: &str = "recall-kit:///library/{libraryId}";
/// The address of its documentation on a topic, or on several between commas.
pub const DOCS_TEMPLATE: &str = "recall-kit:///docs/chunk/{libraryId}/{version}/{topic}";
/// The accepted schemes; the first one is ours.
const SCHEMES: [&str; 2] = ["recall-kit:///", "go-mcp-context:///"];

/// A parsed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A library, by its number.
    Library(u64),
    /// Documentation of one version of one library.
    Docs(DocsQuery),
}

/// Returns the address of a library.
pub fn library_address(id: u64) -> String {
    format!("{}library/{id}", SCHEMES[0])
}

/// Returns whether an address has the form of a library's or of documentation's, valid or not.
pub fn is_library_address(uri: &str) -> bool {
    parts(uri).is_some()
}

/// Splits an address into its kind and the rest after it.
fn parts(uri: &str) -> Option<(Kind, &str)> {
    let path = SCHEMES.iter().find_map(|scheme| uri.strip_prefix(scheme))?;
    let library = path.strip_prefix("library/");
    let docs = || path.strip_prefix("docs/chunk/");
    library
        .map(|rest| (Kind::Library, rest))
        .or_else(|| docs().map(|rest| (Kind::Docs, rest)))
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Library,
    Docs,
}

impl Address {
    /// Parses an address; its parts are percent-decoded once.
    ///
    /// *Errors*: `VALIDATION_ERROR`, with what the address should be.
    pub fn of(uri: &str) -> Result<Self, Box<ErrorBody>> {
        let wrong = || {
            let words = format!("the address must be {LIBRARY_TEMPLATE} or {DOCS_TEMPLATE}");
            refused(ErrorCode::ValidationError, "uri", words)
        };
        let (kind, rest) = parts(uri).ok_or_else(wrong)?;
        let text = |part: &str| {
            let text = percent_decode_str(part).decode_utf8();
            text.map(|text| text.into_owned()).map_err(|_| {
                let words = "the address has escapes that are not UTF-8".to_owned();
                refused(ErrorCode::ValidationError, "uri", words)
            })
        };
        if let Kind::Library = kind {
            let query = input(text(rest)?, None, "all".to_owned())?;
            return query.library.map(Self::Library).ok_or_else(wrong);
        }
        let mut rest = rest.splitn(3, '/').filter(|part| !part.is_empty());
        let (Some(library), Some(version), Some(topic)) = (rest.next(), rest.next(), rest.next())
        else {
            return Err(wrong());
        };
        let query = input(text(library)?, Some(text(version)?), text(topic)?)?;
        match query.library.is_some() && query.version.is_some() {
            true => Ok(Self::Docs(query)),
            false => Err(wrong()),
        }
    }

    /// Returns the id of the library.
    pub fn library(&self) -> Option<u64> {
        match self {
            Self::Library(id) => Some(*id),
            Self::Docs(query) => query.library,
        }
    }

    /// Checks that the library and the version exist.
    ///
    /// *Errors*: `LIBRARY_NOT_FOUND`, `VERSION_NOT_FOUND`.
    pub fn check(&self, view: &LibraryView) -> Result<(), Box<ErrorBody>> {
        let id = self.library().unwrap_or_default();
        let library = view.library(id).ok_or_else(|| no_library(id))?;
        let Self::Docs(query) = self else {
            return Ok(());
        };
        let mut versions = library.versions.iter();
        match &query.version {
            Some(wanted) if !versions.any(|known| known.version == *wanted) => {
                Err(no_version(library, wanted))
            }
            _ => Ok(()),
        }
    }
}

/// Validates the parts of an address like the arguments of `get-library-docs`. The result is a page of
/// complete documents.
fn input(
    library: String,
    version: Option<String>,
    topic: String,
) -> Result<DocsQuery, Box<ErrorBody>> {
    let number = library.parse::<u64>().map(|id| json!(id));
    let query = validate_docs(DocsInput {
        topic: Some(topic),
        library: Some(number.unwrap_or(Value::String(library))),
        version,
        ..DocsInput::default()
    })?;
    // An address cannot name a further page with the rest of a truncated document.
    let max_tokens = None;
    Ok(DocsQuery {
        max_tokens,
        ..query
    })
}

#[cfg(test)]
mod tests;
