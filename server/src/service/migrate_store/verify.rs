//! Whether two databases hold the same: counts and digests, kind by kind.

use sha2::{Digest as _, Sha256};

use super::{
    Event, Kind, Scope, canonical,
    pages::{Page, Pages},
};
use crate::store::{Store, StoreError};

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
    pub(super) fn add(&mut self, page: &Page) {
        self.records += page.len();
        self.hash.update(canonical::lines(page));
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
        rows.push(Row {
            kind,
            moved,
            source: of_source,
            target: of_target,
        });
    }
    Ok(rows)
}

async fn digest(store: &dyn Store, scope: &Scope, kind: Kind) -> Result<Digest, StoreError> {
    let mut tally = Tally::default();
    let mut pages = Pages::new(store, scope, kind);
    while let Some(page) = pages.next().await? {
        tally.add(&page);
    }
    Ok(tally.finish())
}
