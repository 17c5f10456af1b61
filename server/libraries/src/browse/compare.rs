//! Compares two versions of a library, file by file.

use std::collections::{HashMap, HashSet};

use recall_kit_store::{LibraryVersion, Store, StoreError};
use serde::Serialize;

/// A file that is new or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Its path in the source.
    pub path: String,
    /// The titles of its chunks that the earlier version does not have, in order, each once.
    pub titles: Vec<String>,
}

/// The differences between two versions; every list is ordered by path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Files that only the later version has.
    #[serde(rename = "new")]
    pub added: Vec<FileChange>,
    /// Files that both have but that differ.
    pub changed: Vec<FileChange>,
    /// Files that only the earlier version has.
    pub gone: Vec<String>,
    /// How many files are the same in both.
    pub same: usize,
}

/// Compares two versions, the earlier one first.
///
/// *Errors*: those of the database.
pub async fn compare(
    store: &dyn Store,
    old: &LibraryVersion,
    new: &LibraryVersion,
) -> Result<Changes, StoreError> {
    let mut before: HashMap<String, [u8; 32]> =
        store.version_files(old.id).await?.into_iter().collect();
    let mut changes = Changes::default();
    for (path, hash) in store.version_files(new.id).await? {
        match before.remove(&path) {
            Some(known) if known == hash => changes.same += 1,
            Some(known) => {
                let titles = new_titles(store, Some(known), hash).await?;
                changes.changed.push(FileChange { path, titles });
            }
            None => {
                let titles = new_titles(store, None, hash).await?;
                changes.added.push(FileChange { path, titles });
            }
        }
    }
    changes.gone = before.into_keys().collect();
    changes.gone.sort();
    Ok(changes)
}

/// Returns the titles of a file's chunks that its earlier version does not have.
async fn new_titles(
    store: &dyn Store,
    old: Option<[u8; 32]>,
    new: [u8; 32],
) -> Result<Vec<String>, StoreError> {
    let before = match old {
        Some(old) => store.file_chunks(old).await?,
        None => Vec::new(),
    };
    let known: HashSet<(&str, &str)> = before
        .iter()
        .map(|chunk| (chunk.title.as_str(), chunk.text.as_str()))
        .collect();
    let mut titles: Vec<String> = Vec::new();
    for chunk in store.file_chunks(new).await? {
        let is_known = known.contains(&(chunk.title.as_str(), chunk.text.as_str()));
        if !is_known && !titles.contains(&chunk.title) {
            titles.push(chunk.title);
        }
    }
    Ok(titles)
}
