//! What one version of a library has that another has not, file by file.

use std::collections::{HashMap, HashSet};

use recall_kit_store::{LibraryVersion, Store, StoreError};
use serde::Serialize;

/// A file that is new or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Its path in the source.
    pub path: String,
    /// The titles of its pieces that the earlier version does not have, in order, each once.
    pub titles: Vec<String>,
}

/// What differs between two versions; every list in the order of paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Files that only the later version has.
    #[serde(rename = "new")]
    pub added: Vec<FileChange>,
    /// Files that both have, and that differ.
    pub changed: Vec<FileChange>,
    /// Files that only the earlier version has.
    pub gone: Vec<String>,
    /// How many files are the same in both.
    pub same: usize,
}

/// Compares two versions, the earlier one first.
///
/// *Errors*: what the database said.
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

/// The titles of what a file says that it did not say before.
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
