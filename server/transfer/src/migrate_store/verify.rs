//! Whether two databases hold the same: counts and digests, kind by kind; and where not, in what.

use std::collections::HashMap;

use recall_kit_store::{Store, StoreError};
use sha2::{Digest as _, Sha256};

use super::{
    Event, Kind, Scope, canonical,
    pages::{Page, Pages},
};

/// Of a kind so many differences are told.
const TOLD: usize = 20;

/// How two databases differ in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// It is only in the source.
    Missing,
    /// It is only in the target.
    Foreign,
    /// It is another one in each.
    Other,
}

impl Difference {
    /// Returns what people read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "only in the source",
            Self::Foreign => "only in the target",
            Self::Other => "not the same in both",
        }
    }
}

/// How many records of a kind a database has, and what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// How many.
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

/// What a comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Both hold the same.
    Equal,
    /// They do not, and the source is what it was when it was moved.
    Different,
    /// They do not, and the source changed while it was moved.
    SourceChanged,
}

/// One kind in both databases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The kind.
    pub kind: Kind,
    /// The source as it was moved.
    pub moved: Digest,
    /// The source at the end.
    pub source: Digest,
    /// The target at the end.
    pub target: Digest,
}

impl Row {
    /// Returns what the comparison says.
    pub fn verdict(&self) -> Verdict {
        match (self.source == self.target, self.source == self.moved) {
            (true, _) => Verdict::Equal,
            (false, true) => Verdict::Different,
            (false, false) => Verdict::SourceChanged,
        }
    }
}

/// A digest in the making.
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
    heard: &mut (dyn FnMut(Event) + Send),
) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::with_capacity(moved.len());
    let mut verified = 0;
    for (kind, moved) in moved {
        let (of_source, of_target) =
            futures::future::try_join(digest(source, scope, kind), digest(target, scope, kind))
                .await?;
        verified += of_source.records;
        heard(Event::Verified(verified));
        let row = Row {
            kind,
            moved,
            source: of_source,
            target: of_target,
        };
        if row.verdict() == Verdict::Different {
            for (id, how) in differences(source, target, scope, kind).await? {
                let id = kind.shown(id);
                heard(Event::Difference { kind, id, how });
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Reads both databases side by side and returns the first records in which they differ. As they come
/// in the same order, little waits to be compared.
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
    while found.len() < TOLD && sides.iter().any(|(_, pages)| pages.is_some()) {
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
    // Where it was not read to the end, what waits may have been to come.
    if found.len() < TOLD {
        found.extend(alone);
    }
    found.truncate(TOLD);
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
