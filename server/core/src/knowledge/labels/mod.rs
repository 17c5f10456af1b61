//! What searches filter entries by, of every entry and in memory; and how short an id may be.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound::{Excluded, Unbounded},
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use recall_kit_search::Around;
use recall_kit_shared_types::knowledge::{EntryStatus, EntryType};
use recall_kit_store::{EntryLabels, IndexedEntry, Projects, ShortText, Store, StoreError};
use ulid::Ulid;
use uuid::Uuid;

use super::turns::{self, Turn};

/// Entries read from the database at once.
const BATCH: u32 = 10_000;
/// The fewest characters of a shortened id. Eight tell a second from the next, so that what is added
/// later hardly ever makes one ambiguous.
const SHORT_ID_CHARS: usize = 8;
/// Characters of a whole id.
const ULID_LEN: usize = 26;

/// What one entry is filtered by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    kind: EntryType,
    pub(crate) project: Option<Arc<str>>,
    pub(crate) status: EntryStatus,
    /// What it is as a turn of a conversation; none of one that is too long.
    pub(crate) turn: Option<Turn>,
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
pub struct Labels {
    all: RwLock<BTreeMap<Ulid, Label>>,
    /// Whether an entry may be a turn of a conversation.
    has_turns: AtomicBool,
}

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
    pub(crate) fn put(&self, labels: impl IntoIterator<Item = EntryLabels>) {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        for labels in labels {
            let label = Label {
                kind: labels.kind,
                project: labels.project.map(Arc::from),
                status: labels.status,
                turn: labels.short.as_ref().and_then(Turn::of),
            };
            if label.turn.is_some() {
                self.has_turns.store(true, Ordering::Relaxed);
            }
            all.insert(labels.id, label);
        }
    }

    /// Whether any entry may be a turn of a conversation.
    pub(crate) fn has_turns(&self) -> bool {
        self.has_turns.load(Ordering::Relaxed)
    }

    /// Returns what stands around an entry in its conversation, as far as it is within reach.
    pub(crate) fn around(&self, reach: &Projects, id: Ulid) -> Around {
        let all = self.read();
        let is_within = all
            .get(&id)
            .is_some_and(|label| reach.allow(label.project.as_deref()));
        // A conversation is of one project.
        match is_within {
            true => turns::around(&all, id),
            false => Around::default(),
        }
    }

    /// Looks entries up that are within reach and that a filter lets pass; nothing is taken in
    /// meanwhile.
    pub fn filtered<'a>(&'a self, reach: &'a Projects, filter: &'a EntryFilter) -> Filtered<'a> {
        Filtered {
            labels: self.read(),
            reach,
            filter,
        }
    }

    /// Returns whether an entry is within reach, as of the last time that labels were taken in. What
    /// is not here is within the reach only of who has no limit.
    pub fn are_within(&self, reach: &Projects, id: Ulid) -> bool {
        let within = |label: &Label| reach.allow(label.project.as_deref());
        reach.is_all() || self.read().get(&id).is_some_and(within)
    }

    /// Returns up to `limit` entries within reach whose ids begin like this, ordered by id.
    pub(crate) fn with_prefix(&self, reach: &Projects, prefix: &str, limit: usize) -> Vec<Ulid> {
        let Ok(first) = Ulid::from_string(&format!("{prefix:0<width$}", width = ULID_LEN)) else {
            return Vec::new();
        };
        let all = self.read();
        all.range(first..)
            .take_while(|(id, _)| id.to_string().starts_with(prefix))
            .filter(|(_, label)| reach.allow(label.project.as_deref()))
            .map(|(id, _)| *id)
            .take(limit)
            .collect()
    }

    /// Returns whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    /// Returns the labels of the entries within reach that a filter lets pass, ordered by id.
    pub(crate) fn list(&self, reach: &Projects, filter: &EntryFilter) -> Vec<EntryLabels> {
        let filtered = self.filtered(reach, filter);
        let all = filtered.labels.iter();
        let passing = all.filter(|(id, _)| filtered.allows(Uuid::from(**id)));
        passing
            .map(|(id, label)| EntryLabels {
                id: *id,
                kind: label.kind,
                project: label.project.as_deref().map(str::to_owned),
                status: label.status,
                short: None,
            })
            .collect()
    }

    /// Returns the names of all projects within reach, in order.
    pub fn projects(&self, reach: &Projects) -> BTreeSet<Arc<str>> {
        let all = self.read();
        let named = all.values().filter_map(|label| label.project.clone());
        // Entries are many, projects few.
        let mut projects: BTreeSet<Arc<str>> = named.collect();
        projects.retain(|project| reach.allow(Some(project)));
        projects
    }

    /// Returns the beginning of an id, long enough to tell it from every other within reach: how long
    /// it is says nothing of others.
    pub fn short(&self, reach: &Projects, id: Ulid) -> String {
        let all = self.read();
        let own = id.to_string();
        let shared = |(neighbour, label): (&Ulid, &Label)| {
            let shared = common_prefix(&own, &neighbour.to_string());
            (shared, reach.allow(label.project.as_deref()))
        };
        // The nearest in each direction; those that share less than is shown anyway do not matter.
        let nearest = |neighbours: &mut dyn Iterator<Item = (usize, bool)>| {
            let mut near = neighbours.take_while(|(shared, _)| *shared >= SHORT_ID_CHARS);
            near.find(|(_, within)| *within).map(|(shared, _)| shared)
        };
        let before = nearest(&mut all.range(..id).rev().map(shared));
        let after = nearest(&mut all.range((Excluded(id), Unbounded)).map(shared));
        let needed = [before, after].into_iter().flatten().max();
        let chars = needed.map_or(SHORT_ID_CHARS, |shared| shared + 1);
        own.chars().take(chars).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Ulid, Label>> {
        self.all.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The labels, seen through a reach and a filter.
pub struct Filtered<'a> {
    labels: RwLockReadGuard<'a, BTreeMap<Ulid, Label>>,
    reach: &'a Projects,
    filter: &'a EntryFilter,
}

impl Filtered<'_> {
    /// Returns what stands around an entry where it is said in a conversation; whether that passes is
    /// not asked.
    pub fn around(&self, id: Uuid) -> Around {
        turns::conversation_around(&self.labels, id.into())
    }

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
        self.reach.allow(label.project.as_deref())
            && kind.is_none_or(|kind| kind == label.kind)
            && status.is_none_or(|status| status == label.status)
            && project.as_ref().is_none_or(same_project)
    }
}

/// Returns what searches filter an entry by.
pub(crate) fn labels_of(entry: &IndexedEntry) -> EntryLabels {
    EntryLabels {
        id: entry.row.id.into(),
        kind: entry.content.kind,
        project: entry.content.project.clone(),
        status: entry.status,
        short: ShortText::of(&entry.content),
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
