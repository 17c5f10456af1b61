//! Compares two databases by counts and digests, kind by kind, and finds the records that differ.

use std::collections::HashMap;

use recall_kit_store::{Store, StoreError};
use sha2::{Digest as _, Sha256};

use super::{
    Event, Kind, Scope, canonical,
    pages::{Page, Pages},
};

/// The most differences of a kind that are reported.
const MAX_DIFFERENCES: usize = 20;

/// How two databases differ in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// It is only in the source.
    Missing,
    /// It is only in the target.
    Foreign,
    /// It differs.
    Other,
}

impl Difference {
    /// Returns a description for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "only in the source",
            Self::Foreign => "only in the target",
            Self::Other => "not the same in both",
        }
    }
}

/// The number and the digest of a database's records of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// The number of records.
    pub records: u64,
    /// SHA-256 of their canonical lines, in order.
    pub sha256: [u8; 32],
}

impl Digest {
    /// Returns the beginning of the digest in hexadecimal, for people.
    pub fn shown(&self) -> String {
        let bytes = self.sha256.iter().take(8);
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Both are equal.
    Equal,
    /// They differ, and the source did not change since it was moved.
    Different,
    /// They differ, and the source changed while it was moved.
    SourceChanged,
}

/// The comparison of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The kind.
    pub kind: Kind,
    /// The source's records as they were moved.
    pub moved: Digest,
    /// The source's records at the end.
    pub source: Digest,
    /// The target's records at the end.
    pub target: Digest,
}

impl Row {
    /// Returns the result of the comparison.
    pub fn verdict(&self) -> Verdict {
        match (self.source == self.target, self.source == self.moved) {
            (true, _) => Verdict::Equal,
            (false, true) => Verdict::Different,
            (false, false) => Verdict::SourceChanged,
        }
    }
}

/// A digest that is being computed.
#[derive(Default)]
pub(super) struct Tally {
    records: u64,
    hash: Sha256,
}

impl Tally {
    pub(super) fn add(&mut self, page: &Page) -> Result<(), StoreError> {
        self.records += page.len();
        for (_, lines) in canonical_records(page)? {
            self.hash.update(lines);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Digest {
        Digest {
            records: self.records,
            sha256: self.hash.finalize().into(),
        }
    }
}

/// Reads both databases and compares them.
pub(super) async fn compare(
    source: &dyn Store,
    target: &dyn Store,
    scope: &Scope,
    moved: Vec<(Kind, Digest)>,
    on_event: &mut (dyn FnMut(Event) + Send),
) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::with_capacity(moved.len());
    let mut verified = 0;
    for (kind, moved) in moved {
        let (of_source, of_target) =
            futures::future::try_join(digest(source, scope, kind), digest(target, scope, kind))
                .await?;
        verified += of_source.records;
        on_event(Event::Verified(verified));
        let row = Row {
            kind,
            moved,
            source: of_source,
            target: of_target,
        };
        if row.verdict() == Verdict::Different {
            for (id, how) in differences(source, target, scope, kind).await? {
                let id = kind.shown(id);
                on_event(Event::Difference { kind, id, how });
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Reads both databases in parallel and returns the first records in which they differ. Both return the
/// records in the same order, so only few have to be held for comparison.
async fn differences(
    source: &dyn Store,
    target: &dyn Store,
    scope: &Scope,
    kind: Kind,
) -> Result<Vec<(String, Difference)>, StoreError> {
    let mut sides = [
        (Difference::Missing, Some(Pages::new(source, scope, kind))),
        (Difference::Foreign, Some(Pages::new(target, scope, kind))),
    ];
    let mut waiting: HashMap<String, (Difference, [u8; 32])> = HashMap::new();
    let mut found = Vec::new();
    while found.len() < MAX_DIFFERENCES && sides.iter().any(|(_, pages)| pages.is_some()) {
        for (side, pages) in &mut sides {
            let page = match pages {
                Some(pages) => pages.next().await?,
                None => continue,
            };
            let Some(page) = page else {
                *pages = None;
                continue;
            };
            for (id, lines) in canonical_records(&page)? {
                let lines = Sha256::digest(lines).into();
                match waiting.remove(&id) {
                    Some((_, other)) if other == lines => {}
                    Some(_) => found.push((id, Difference::Other)),
                    None => drop(waiting.insert(id, (*side, lines))),
                }
            }
        }
    }
    let mut alone: Vec<_> = waiting
        .into_iter()
        .map(|(id, (side, _))| (id, side))
        .collect();
    alone.sort_by(|(one, _), (other, _)| one.cmp(other));
    // If reading stopped early, the waiting records may still exist on the other side.
    if found.len() < MAX_DIFFERENCES {
        found.extend(alone);
    }
    found.truncate(MAX_DIFFERENCES);
    Ok(found)
}

fn canonical_records(page: &Page) -> Result<Vec<canonical::Canonical>, StoreError> {
    canonical::records(page).map_err(|_| StoreError::Damaged {
        what: "text",
        id: "a record that cannot be written as JSON".to_owned(),
    })
}

async fn digest(store: &dyn Store, scope: &Scope, kind: Kind) -> Result<Digest, StoreError> {
    let mut tally = Tally::default();
    let mut pages = Pages::new(store, scope, kind);
    while let Some(page) = pages.next().await? {
        tally.add(&page)?;
    }
    Ok(tally.finish())
}
