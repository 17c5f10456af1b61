//! What a search reads: the parts of the index, which change together under one lock.

use std::path::Path;

use super::{
    Hit, Hits, IndexError, Query, Row,
    base::Base,
    delta::Delta,
    fuse,
    rank::{self, Candidate},
    records::{Record, Records},
    text::{self, QueryTerms},
    vectors::Vectors,
};

/// Postings that a search goes through in half a millisecond.
const QUICK_WORK: usize = 20_000;
/// Bytes of a short word.
const WORD_BYTES: usize = 4;
/// What looking up a word costs, in postings.
const WORD_WORK: usize = 50;

pub(super) struct State {
    pub(super) records: Records,
    pub(super) vectors: Vectors,
    pub(super) base: Base,
    pub(super) delta: Delta,
    pub(super) last_seq: u64,
}

impl State {
    pub(super) fn new(folder: Option<&Path>) -> Result<Self, IndexError> {
        Ok(Self {
            records: Records::default(),
            vectors: Vectors::default(),
            base: Base::open(folder)?,
            delta: Delta::default(),
            last_seq: 0,
        })
    }

    /// Takes in a row unless a newer version of it is here; returns its slot.
    pub(super) fn put_row(&mut self, row: &Row) -> Option<u32> {
        self.last_seq = self.last_seq.max(row.seq);
        let slot = self.records.put(Record {
            id: row.id,
            seq: row.seq,
            created_at: row.created_at,
            query_count: row.query_count,
        })?;
        self.vectors.put(slot, row.vector.as_deref());
        Some(slot)
    }

    /// Points the base's documents at the records again and returns how many it should hold and
    /// how many it does.
    pub(super) fn map_base(&mut self) -> Result<(usize, usize), IndexError> {
        let slots = self.records.slots_up_to(self.base.seq());
        let mapped = self.base.map_slots(&slots)?;
        Ok((slots.len(), mapped))
    }

    /// Whether a search is quick even if every record had every word of the query.
    pub(super) fn is_quick(&self, query: &Query<'_>) -> bool {
        let words = query.text.len() / WORD_BYTES + 1;
        let work = words.saturating_mul(self.records.len() + WORD_WORK);
        query.embedding.is_none() && work <= QUICK_WORK
    }

    /// See [`Index::search`].
    pub(super) fn search(&self, query: &Query<'_>) -> Result<Hits, IndexError> {
        let terms = QueryTerms::of(query.text);
        let scores = text::score(&self.base, &self.delta, self.records.len(), &terms)?;
        let cosines = query.embedding.map(|embedding| {
            let mut cosines = Vec::new();
            self.vectors.cosines(embedding, &mut cosines);
            cosines
        });
        let matches = fuse::relevances(&scores, cosines.as_deref(), query.everyday);
        let mut candidates = Vec::with_capacity(matches.len());
        candidates.extend(matches.into_iter().filter_map(|(slot, relevance)| {
            let record = self.records.get(slot)?;
            Some(Candidate {
                id: record.id,
                seq: record.seq,
                relevance,
                query_count: record.query_count,
                created_at: record.created_at,
            })
        }));
        let total = candidates.len() as u64;
        let page = rank::page(&candidates, query.now, query.offset, query.limit);
        let hits = page
            .iter()
            .map(|c| Hit {
                id: c.id,
                seq: c.seq,
                query_count: c.query_count,
                relevance: c.relevance,
            })
            .collect();
        Ok(Hits { hits, total })
    }
}
