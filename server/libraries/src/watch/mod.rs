//! Compares two views, to notify clients that cache a list or a text.

use std::collections::HashSet;

use recall_kit_store::Library;

use super::{Address, LibraryView};

/// The changes between an earlier view and a later one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whether a list of libraries would look different.
    pub list: bool,
    /// Libraries that were changed, added or removed.
    libraries: HashSet<u64>,
    /// Versions that were added, removed or ingested again, by library and name.
    versions: HashSet<(u64, String)>,
}

impl Changes {
    /// Compares two shelves.
    pub fn between(old: &LibraryView, new: &LibraryView) -> Self {
        let mut changes = Self::default();
        for library in new.libraries() {
            changes.compare(old.library(library.id), Some(library));
        }
        for library in old.libraries() {
            if new.library(library.id).is_none() {
                changes.compare(Some(library), None);
            }
        }
        changes
    }

    fn compare(&mut self, old: Option<&Library>, new: Option<&Library>) {
        let Some(library) = new.or(old).filter(|_| old != new) else {
            return;
        };
        self.libraries.insert(library.id);
        let listed = |library: Option<&Library>| {
            library.map(|library| (library.name.clone(), library.description.clone()))
        };
        self.list |= listed(old) != listed(new);
        let versions = |library: Option<&Library>| match library {
            Some(library) => library.versions.clone(),
            None => Vec::new(),
        };
        let (old, new) = (versions(old), versions(new));
        let differ = old
            .iter()
            .filter(|version| !new.contains(version))
            .chain(new.iter().filter(|version| !old.contains(version)));
        self.versions
            .extend(differ.map(|version| (library.id, version.version.clone())));
    }

    /// Whether the content at an address may have changed.
    pub fn concern(&self, uri: &str) -> bool {
        match Address::of(uri) {
            Ok(Address::Library(id)) => self.libraries.contains(&id),
            Ok(Address::Docs(query)) => {
                let version = query.library.zip(query.version);
                version.is_some_and(|version| self.versions.contains(&version))
            }
            Err(_) => false,
        }
    }
}

#[cfg(test)]
mod tests;
