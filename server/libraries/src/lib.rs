//! Documentation libraries: ingesting them, finding them, and finding the right chunk of their documentation.
//!
//! [`Libraries`] is the state of this crate besides the application's. Tools, pages and commands call the
//! functions; each takes the state and usually the caller.

mod address;
mod arguments;
mod browse;
mod docs;
pub mod ingest;
pub mod ingest_for_client;
pub mod jobs;
mod libraries;
pub mod refresh;
pub mod resource;
mod search;
#[cfg(test)]
mod tests;
mod view;
pub mod watch;

pub use self::{
    address::{Address, DOCS_TEMPLATE, LIBRARY_TEMPLATE, is_library_address, library_address},
    arguments::{DocsInput, validate_docs, validate_ingest, validate_library_name},
    browse::{Reading, compare, read_through, remove_version},
    docs::{DocsQuery, docs},
    libraries::{Libraries, sandbox},
    search::{
        is_stale, library_named, no_library, no_version, recall, search, shown, version_named,
    },
    view::LibraryView,
};
