//! Documentation as people look after it: a version read through from its beginning, or removed.
//!
//! Which libraries and versions there are, with counts and times, is what a [`super::Shelf`] says.

use std::sync::Arc;

use recall_kit_shared_types::libraries::DocsMode;
use recall_kit_store::{Chunk, Page};

use super::{no_library, no_version, version_named};
use crate::{
    access::{
        Caller, Scope,
        audit::{Action, Deed, Subject},
    },
    app::App,
    detached,
    error::ServiceError,
    indexing::{self, family::Family},
};

/// Which chunks are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The library's number.
    pub library: u64,
    /// The version's name.
    pub version: String,
    /// What kind is wanted; both where nothing is said.
    pub kind: Option<DocsMode>,
    /// Which part of them.
    pub page: Page,
}

/// Returns chunks of a version in the order in which they are read, and how many there are.
///
/// *Errors*: `LIBRARY_NOT_FOUND`, `VERSION_NOT_FOUND`; else what the database said.
pub async fn read_through(
    app: &Arc<App>,
    reading: &Reading,
) -> Result<(Vec<Chunk>, u64), ServiceError> {
    let shelf = app.shelf.now(app).await?;
    let library = shelf.library(reading.library);
    let library = library.ok_or_else(|| no_library(reading.library))?;
    let version = version_named(library, &reading.version)?;
    let (kind, page) = (reading.kind, reading.page);
    Ok(app.store.version_chunks(version.id, kind, page).await?)
}

/// Removes a version, and its library with the last one; of the default version the one read in last
/// takes the place.
///
/// *Errors*: [`ServiceError::Forbidden`], `LIBRARY_NOT_FOUND`, `VERSION_NOT_FOUND`; else what the
/// database said.
pub async fn remove_version(
    app: &Arc<App>,
    caller: &Caller,
    (library, version): (u64, &str),
) -> Result<(), ServiceError> {
    caller.require(Scope::Write)?;
    let shelf = app.shelf.now(app).await?;
    let known = shelf.library(library).ok_or_else(|| no_library(library))?;
    let deed = Deed::new(Action::VersionRemoved).to(Subject::Library, &known.name);
    let event = deed.saying(version).by(caller, app.now());
    let (app, name) = (Arc::clone(app), known.name.clone());
    let (unknown, version) = (no_version(known, version), version.to_owned());
    detached::run("the removal", async move {
        let removed = app.store.remove_version(library, &version, Some(&event));
        if !removed.await? {
            return Err(unknown.into());
        }
        indexing::catch_up_soon(&app, Family::Chunks);
        tracing::info!(library.name = %name, library.version = version, "version removed");
        Ok(())
    })
    .await
}
