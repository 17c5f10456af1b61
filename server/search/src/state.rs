//! The state of an index that a search reads: its parts change together under one lock.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use uuid::Uuid;

use super::{
    Allowed, Hits, IndexError, Nearest, Parts, Query, Row, Text,
    ranking::{Ranking, Scratch},
    scope::Scope,
    text::Texts,
    vectors::Vectors,
};
use crate::storage::{
    base::{Base, Snapshot, TermDocument, short_id},
    delta::Delta,
    records::{Records, SlotsBySeq},
};

/// The number of postings that a search processes in half a millisecond.
const QUICK_WORK: usize = 20_000;
/// The length of a short word in bytes.
const WORD_BYTES: usize = 4;
/// The cost of looking up a word, in postings.
const WORD_WORK: usize = 50;
/// The most scratch buffers that are retained for further searches.
const SPARE: usize = 4;

pub(super) struct State {
    pub(super) records: Records,
    pub(super) vectors: Vectors,
    pub(super) base: Base,
    pub(super) delta: Delta,
    pub(super) last_seq: u64,
    scratch: ScratchPool,
}

impl State {
    pub(super) fn new(folder: Option<&Path>) -> Result<Self, IndexError> {
        Ok(Self {
            records: Records::default(),
            vectors: Vectors::default(),
            base: Base::open(folder)?,
            delta: Delta::default(),
            last_seq: 0,
            scratch: ScratchPool::default(),
        })
    }

    /// Adds records and their terms, in commit order.
    pub(super) fn take_in(&mut self, records: &[(Row, Text)], analysed: Vec<Arc<[String]>>) {
        for ((row, _), terms) in records.iter().zip(analysed) {
            let Some(slot) = self.put_row(row) else {
                continue;
            };
            let (seq, id) = (row.seq, short_id(row.id));
            self.delta.put(slot, TermDocument { seq, id, terms });
        }
    }

    /// Adds a row unless a newer version of it is present; returns its slot, if the record can be found.
    pub(super) fn put_row(&mut self, row: &Row) -> Option<u32> {
        self.last_seq = self.last_seq.max(row.seq);
        if row.is_gone {
            self.remove(row);
            return None;
        }
        let slot = self.records.put(row.into())?;
        self.vectors.put(slot, row.vector.as_deref());
        Some(slot)
    }

    /// Removes a record. Its text may be in the base, where the delta hides it until the base is extended.
    fn remove(&mut self, row: &Row) {
        if let Some(slot) = self.records.remove(row.id, row.seq) {
            self.vectors.put(slot, None);
            self.delta.hide(slot, row.seq);
        }
    }

    /// Maps the base's documents to the records again; returns how many documents the base should have and how
    /// many were mapped.
    pub(super) fn map_base(&mut self) -> Result<(usize, usize), IndexError> {
        let slots = SlotsBySeq::of(self.records.up_to(self.base.seq()).into_iter());
        let mapped = self.base.map_slots(&slots)?;
        Ok((slots.len(), mapped))
    }

    /// Replaces the base by a newer snapshot and drops what the delta has of it. Returns the replaced parts,
    /// because dropping them takes a while.
    pub(super) fn show(&mut self, snapshot: Snapshot) -> (Snapshot, Delta) {
        let (free, dropped) = self.delta.drop_up_to(snapshot.seq());
        self.records.reuse(free);
        (self.base.show(snapshot), dropped)
    }

    /// Whether a search is quick even if every record has every word of the query.
    pub(super) fn is_quick(&self, query: &Query<'_>) -> bool {
        let words = query.text.len() / WORD_BYTES + 1;
        let work = words.saturating_mul(self.records.len() + WORD_WORK);
        query.embedding.is_none() && work <= QUICK_WORK
    }

    /// See [`Index::search`].
    pub(super) fn search(&self, query: &Query<'_>) -> Result<Hits, IndexError> {
        let mut scratch = self.scratch.take();
        let found = self.search_with(query, &mut scratch, None);
        self.scratch.put_back(scratch);
        found
    }

    /// See [`Index::search_with_parts`].
    pub(super) fn search_with_parts(
        &self,
        query: &Query<'_>,
    ) -> Result<(Hits, Vec<Parts>), IndexError> {
        let mut scratch = self.scratch.take();
        let mut parts = Vec::new();
        let found = self.search_with(query, &mut scratch, Some(&mut parts));
        self.scratch.put_back(scratch);
        Ok((found?, parts))
    }

    fn search_with(
        &self,
        query: &Query<'_>,
        scratch: &mut Scratch,
        parts: Option<&mut Vec<Parts>>,
    ) -> Result<Hits, IndexError> {
        let scope = self.scope(query.allowed);
        let texts = Texts {
            base: &self.base,
            delta: &self.delta,
            records: self.records.len(),
            scope: scope.as_ref(),
        };
        let ranking = Ranking {
            records: &self.records,
            vectors: &self.vectors,
            texts: &texts,
            all: None,
            scope: scope.as_ref(),
        };
        ranking.search(query, scratch, parts)
    }

    /// Returns the records that exist for a query; `None` if all do.
    fn scope(&self, allowed: Allowed<'_>) -> Option<Scope> {
        match allowed {
            Allowed::Scope(allows) => Some(Scope::of(&self.records, allows)),
            Allowed::Everything | Allowed::Filter(_) => None,
        }
    }
}

impl State {
    /// Returns the embedding of a record's first passage, L2-normalised; `None` if it has none.
    pub(super) fn first_passage(&self, id: Uuid) -> Option<Vec<f32>> {
        self.vectors.first_passage(self.records.slot(id)?)
    }

    /// See [`super::Index::nearest`].
    pub(super) fn nearest(&self, embedding: &[f32], count: usize, allowed: Allowed<'_>) -> Nearest {
        let mut cosines = Vec::new();
        let spread = match self.scope(allowed) {
            Some(scope) => {
                self.vectors.cosines(embedding, scope.slots(), &mut cosines);
                scope.mask(&mut cosines);
                // The cosines inside are all exact.
                1.0
            }
            None => {
                let wanted = std::iter::empty();
                self.vectors.cosines(embedding, wanted, &mut cosines)
            }
        };
        let known = cosines.iter().copied().filter(|cosine| !cosine.is_nan());
        let (mut sum, mut squares, mut compared) = (0.0_f64, 0.0_f64, 0_u32);
        for cosine in known.map(f64::from) {
            sum += cosine;
            squares += cosine * cosine;
            compared += 1;
        }
        let of_all = |total: f64| total / f64::from(compared.max(1));
        let (mean, square) = (of_all(sum), of_all(squares));
        let passes = |slot: u32| match allowed {
            Allowed::Filter(allows) => self.records.get(slot).is_some_and(|row| allows(row.id)),
            Allowed::Everything | Allowed::Scope(_) => true,
        };
        let mut best: Vec<(u32, f32)> = (0..).zip(cosines).collect();
        best.retain(|(slot, cosine)| !cosine.is_nan() && passes(*slot));
        let better = |(_, a): &(u32, f32), (_, b): &(u32, f32)| b.total_cmp(a);
        if count < best.len() {
            best.select_nth_unstable_by(count, better);
            best.truncate(count);
        }
        best.sort_unstable_by(better);
        let named = |(slot, cosine)| Some((self.records.get(slot)?.id, cosine));
        Nearest {
            best: best.into_iter().filter_map(named).collect(),
            compared: compared as usize,
            mean: mean as f32,
            deviation: (square - mean * mean).max(0.0).sqrt() as f32 / spread,
        }
    }
}

/// The buffers of searches, reused from one search to the next: megabytes in a large index.
#[derive(Default)]
struct ScratchPool(Mutex<Vec<Scratch>>);

impl ScratchPool {
    fn take(&self) -> Scratch {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pool.pop().unwrap_or_default()
    }

    fn put_back(&self, scratch: Scratch) {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.len() < SPARE {
            pool.push(scratch);
        }
    }
}
