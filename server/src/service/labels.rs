//! What searches filter entries by, of every entry and in memory; and how short an id may be.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound::{Excluded, Unbounded},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};

use recall_kit_shared_types::knowledge::{EntryStatus, EntryType};
use ulid::Ulid;
use uuid::Uuid;

use crate::store::{EntryLabels, IndexedEntry, Store, StoreError};

/// Entries read from the database at once.
const BATCH: u32 = 10_000;
/// The fewest characters of a shortened id. Eight tell a second from the next, so that what is added
/// later hardly ever makes one ambiguous.
const SHORT_ID_CHARS: usize = 8;

/// What one entry is filtered by.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Label {
    kind: EntryType,
    project: Option<Arc<str>>,
    status: EntryStatus,
}

/// Which entries are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Of this type.
    pub kind: Option<EntryType>,
    /// Of this project, in any case.
    pub project: Option<String>,
    /// With this status.
    pub status: Option<EntryStatus>,
}

impl EntryFilter {
    /// Whether nothing is filtered.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// The labels of every entry, by id.
#[derive(Default)]
pub struct Labels(RwLock<BTreeMap<Ulid, Label>>);

impl Labels {
    /// Reads the labels of every entry.
    pub(crate) async fn load(&self, store: &dyn Store) -> Result<(), StoreError> {
        let mut after = Ulid::nil();
        loop {
            let batch = store.entry_labels(after, BATCH).await?;
            let Some(last) = batch.last() else {
                return Ok(());
            };
            after = last.id;
            self.put(batch);
        }
    }

    /// Takes in labels, or other ones of entries that are here.
    pub(super) fn put(&self, labels: impl IntoIterator<Item = EntryLabels>) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for labels in labels {
            let label = Label {
                kind: labels.kind,
                project: labels.project.map(Arc::from),
                status: labels.status,
            };
            all.insert(labels.id, label);
        }
    }

    /// Looks entries up that a filter lets pass; nothing is taken in meanwhile.
    pub fn filtered<'a>(&'a self, filter: &'a EntryFilter) -> Filtered<'a> {
        Filtered {
            labels: self.read(),
            filter,
        }
    }

    /// Returns whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    /// Returns the labels of the entries that a filter lets pass, ordered by id.
    pub(super) fn list(&self, filter: &EntryFilter) -> Vec<EntryLabels> {
        let filtered = self.filtered(filter);
        let all = filtered.labels.iter();
        let passing = all.filter(|(id, _)| filtered.allows(Uuid::from(**id)));
        passing
            .map(|(id, label)| EntryLabels {
                id: *id,
                kind: label.kind,
                project: label.project.as_deref().map(str::to_owned),
                status: label.status,
            })
            .collect()
    }

    /// Returns the names of all projects, in order.
    pub fn projects(&self) -> BTreeSet<Arc<str>> {
        let all = self.read();
        all.values()
            .filter_map(|label| label.project.clone())
            .collect()
    }

    /// Returns the beginning of an id, long enough to tell it from every other that is here.
    pub fn short(&self, id: Ulid) -> String {
        let all = self.read();
        let before = all.range(..id).next_back();
        let after = all.range((Excluded(id), Unbounded)).next();
        let own = id.to_string();
        let needed = [before, after]
            .into_iter()
            .flatten()
            .map(|(neighbour, _)| common_prefix(&own, &neighbour.to_string()) + 1)
            .fold(SHORT_ID_CHARS, usize::max);
        own.chars().take(needed).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Ulid, Label>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The labels, seen through a filter.
pub struct Filtered<'a> {
    labels: RwLockReadGuard<'a, BTreeMap<Ulid, Label>>,
    filter: &'a EntryFilter,
}

impl Filtered<'_> {
    /// Whether an entry passes.
    pub fn allows(&self, id: Uuid) -> bool {
        let Some(label) = self.labels.get(&Ulid::from(id)) else {
            return false;
        };
        let EntryFilter {
            kind,
            project,
            status,
        } = self.filter;
        let same_project = |wanted: &String| {
            let project = label.project.as_deref().unwrap_or_default();
            project.to_lowercase() == wanted.to_lowercase()
        };
        kind.is_none_or(|kind| kind == label.kind)
            && status.is_none_or(|status| status == label.status)
            && project.as_ref().is_none_or(same_project)
    }
}

impl IndexedEntry {
    /// What searches filter it by.
    pub(super) fn labels(&self) -> EntryLabels {
        EntryLabels {
            id: self.row.id.into(),
            kind: self.content.kind,
            project: self.content.project.clone(),
            status: self.status,
        }
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
