//! Labels: the properties of every entry by which searches filter, in memory; and unique short ids.

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
/// The fewest characters of a shortened id. Eight distinguish one second from the next, so that later
/// entries hardly ever make one ambiguous.
const SHORT_ID_CHARS: usize = 8;
/// Characters of a full id.
const ULID_LEN: usize = 26;

/// The properties of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    kind: EntryType,
    pub(crate) project: Option<Arc<str>>,
    pub(crate) status: EntryStatus,
    /// Its properties as a turn of a conversation; `None` if it is too long for one.
    pub(crate) turn: Option<Turn>,
}

/// A filter for entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Only this type.
    pub kind: Option<EntryType>,
    /// Only this project, ignoring case.
    pub project: Option<String>,
    /// Only this status.
    pub status: Option<EntryStatus>,
}

impl EntryFilter {
    /// Whether every entry passes.
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

    /// Adds labels, or replaces those of known entries.
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

    /// Returns the entries around an entry in its conversation; none if the caller may not see it.
    pub(crate) fn around(&self, projects: &Projects, id: Ulid) -> Around {
        let all = self.read();
        let is_visible = all
            .get(&id)
            .is_some_and(|label| projects.allow(label.project.as_deref()));
        // A conversation belongs to one project.
        match is_visible {
            true => turns::around(&all, id),
            false => Around::default(),
        }
    }

    /// Returns a view of the entries that the caller may see and that pass a filter. It holds a read
    /// lock, so that no labels can be added meanwhile.
    pub(crate) fn filtered<'a>(
        &'a self,
        projects: &'a Projects,
        filter: &'a EntryFilter,
    ) -> Filtered<'a> {
        Filtered {
            labels: self.read(),
            projects,
            filter,
        }
    }

    /// Returns whether a caller with these projects may see an entry, by the labels known so far. Only
    /// callers without a limit may see unknown entries.
    pub(crate) fn are_within(&self, projects: &Projects, id: Ulid) -> bool {
        let is_visible = |label: &Label| projects.allow(label.project.as_deref());
        projects.is_all() || self.read().get(&id).is_some_and(is_visible)
    }

    /// Returns up to `limit` visible entries whose ids have this prefix, ordered by id.
    pub(crate) fn with_prefix(&self, projects: &Projects, prefix: &str, limit: usize) -> Vec<Ulid> {
        let Ok(first) = Ulid::from_string(&format!("{prefix:0<width$}", width = ULID_LEN)) else {
            return Vec::new();
        };
        let all = self.read();
        all.range(first..)
            .take_while(|(id, _)| id.to_string().starts_with(prefix))
            .filter(|(_, label)| projects.allow(label.project.as_deref()))
            .map(|(id, _)| *id)
            .take(limit)
            .collect()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    /// Returns the labels of the visible entries that pass a filter, ordered by id.
    pub(crate) fn list(&self, projects: &Projects, filter: &EntryFilter) -> Vec<EntryLabels> {
        let filtered = self.filtered(projects, filter);
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

    /// Returns the names of all visible projects, in order.
    pub fn projects(&self, projects: &Projects) -> BTreeSet<Arc<str>> {
        let all = self.read();
        let named = all.values().filter_map(|label| label.project.clone());
        // Collected before filtering, since there are many entries but few projects.
        let mut names: BTreeSet<Arc<str>> = named.collect();
        names.retain(|name| projects.allow(Some(name)));
        names
    }

    /// Returns the beginning of an id that is unique among the visible entries. Its length reveals
    /// nothing about other entries.
    pub fn short(&self, projects: &Projects, id: Ulid) -> String {
        let all = self.read();
        let own = id.to_string();
        let shared = |(neighbour, label): (&Ulid, &Label)| {
            let shared = common_prefix(&own, &neighbour.to_string());
            (shared, projects.allow(label.project.as_deref()))
        };
        // The nearest in each direction; ids that share fewer characters than are shown do not matter.
        let nearest = |neighbours: &mut dyn Iterator<Item = (usize, bool)>| {
            let mut near = neighbours.take_while(|(shared, _)| *shared >= SHORT_ID_CHARS);
            near.find(|(_, is_visible)| *is_visible)
                .map(|(shared, _)| shared)
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

/// A view of the labels, limited to projects and a filter.
pub(crate) struct Filtered<'a> {
    labels: RwLockReadGuard<'a, BTreeMap<Ulid, Label>>,
    projects: &'a Projects,
    filter: &'a EntryFilter,
}

impl Filtered<'_> {
    /// Returns the entries around an entry if it is part of a conversation, whether or not they pass the
    /// filter.
    pub(crate) fn around(&self, id: Uuid) -> Around {
        turns::conversation_around(&self.labels, id.into())
    }

    /// Whether an entry passes.
    pub(crate) fn allows(&self, id: Uuid) -> bool {
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
        self.projects.allow(label.project.as_deref())
            && kind.is_none_or(|kind| kind == label.kind)
            && status.is_none_or(|status| status == label.status)
            && project.as_ref().is_none_or(same_project)
    }
}

/// Returns the labels of an entry.
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
