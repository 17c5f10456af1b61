//! Reading a version's chunks from the beginning, and removing a version.
//!
//! A [`crate::LibraryView`] lists the libraries and versions, with counts and times.

pub mod compare;

use std::sync::Arc;

use recall_kit_core::{
    access::{
        Caller, Scope,
        audit::{Action, PendingEvent, Subject},
    },
    detached,
    error::ServiceError,
    indexing,
};
use recall_kit_shared_types::libraries::DocsMode;
use recall_kit_store::{Chunk, Page};

use crate::{Libraries, no_library, no_version, version_named};

/// Which chunks to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The library's number.
    pub library: u64,
    /// The version's name.
    pub version: String,
    /// Only this kind; both when `None`.
    pub kind: Option<DocsMode>,
    /// The page.
    pub page: Page,
}

/// Returns chunks of a version in reading order, and their total number.
///
/// *Errors*: `LIBRARY_NOT_FOUND`, `VERSION_NOT_FOUND`; else those of the database.
pub async fn read_through(
    libraries: &Libraries,
    reading: &Reading,
) -> Result<(Vec<Chunk>, u64), ServiceError> {
    let view = libraries.view().await?;
    let library = view.library(reading.library);
    let library = library.ok_or_else(|| no_library(reading.library))?;
    let version = version_named(library, &reading.version)?;
    let (kind, page) = (reading.kind, reading.page);
    Ok(libraries
        .app
        .store
        .version_chunks(version.id, kind, page)
        .await?)
}

/// Removes a version, and the library with its last version. If the default version is removed, the one
/// ingested last becomes the default.
///
/// *Errors*: [`ServiceError::Forbidden`], `LIBRARY_NOT_FOUND`, `VERSION_NOT_FOUND`; else those of the
/// database.
pub async fn remove_version(
    libraries: &Libraries,
    caller: &Caller,
    (library, version): (u64, &str),
) -> Result<(), ServiceError> {
    caller.require(Scope::Write)?;
    let view = libraries.view().await?;
    let known = view.library(library).ok_or_else(|| no_library(library))?;
    let pending = PendingEvent::new(Action::VersionRemoved).to(Subject::Library, &known.name);
    let event = pending
        .saying(version)
        .by(caller, libraries.app.clock.now());
    let (store, chunks) = (
        Arc::clone(&libraries.app.store),
        Arc::clone(&libraries.app.chunks),
    );
    let name = known.name.clone();
    let (unknown, version) = (no_version(known, version), version.to_owned());
    detached::run("the removal", async move {
        let removed = store.remove_version(library, &version, Some(&event));
        if !removed.await? {
            return Err(unknown.into());
        }
        indexing::catch_up_soon(&chunks);
        tracing::info!(library.name = %name, library.version = version, "version removed");
        Ok(())
    })
    .await
}
