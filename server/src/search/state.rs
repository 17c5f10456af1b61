//! What a search reads: the parts of the index, which change together under one lock.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use uuid::Uuid;

use super::{
    Hit, Hits, IndexError, Nearest, Parts, Query, Row, Text,
    base::{Base, TermDocument, short_id},
    delta::Delta,
    fuse::{self, Matches, Signals},
    rank::{Best, Candidate},
    records::{Record, Records},
    text::{self, LeastScore, QueryTerms, TextScore, TextScores, Texts},
    vectors::{self, Vectors},
};

/// Postings that a search goes through in half a millisecond.
const QUICK_WORK: usize = 20_000;
/// Bytes of a short word.
const WORD_BYTES: usize = 4;
/// What looking up a word costs, in postings.
const WORD_WORK: usize = 50;
/// Records from which it pays to know what score still matters.
const PRUNED_FROM: usize = 5_000;
/// Halvings after which a score is known well enough.
const HALVINGS: usize = 16;
/// Searches whose room is kept.
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

    /// Takes in records and their terms, in commit order.
    pub(super) fn take_in(&mut self, records: &[(Row, Text)], analysed: Vec<Arc<[String]>>) {
        for ((row, _), terms) in records.iter().zip(analysed) {
            let Some(slot) = self.put_row(row) else {
                continue;
            };
            let (seq, id) = (row.seq, short_id(row.id));
            self.delta.put(slot, TermDocument { seq, id, terms });
        }
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
        let texts = self.texts();
        let terms = QueryTerms::of(query.text);
        // Beside a cosine any score matters; among few records it takes longer to know which do.
        let any = |_, _| 0.0;
        // Which scores matter is known from the best record, which may be one that is not allowed.
        let is_pruned = query.embedding.is_none()
            && query.allows.is_none()
            && self.records.len() >= PRUNED_FROM;
        let least: LeastScore<'_> = if is_pruned { &least_score } else { &any };
        let scores = text::score(&texts, &terms, least, &mut scratch.text)?;
        let cosines = query.embedding.map(|embedding| {
            let first = first_by_words(&scores.scores);
            self.vectors.cosines(embedding, first, &mut scratch.cosines);
            scratch.cosines.as_slice()
        });
        let allows = query.allows.map(|allows| {
            move |slot: u32| {
                let record = self.records.get(slot);
                record.is_some_and(|record| allows(record.id))
            }
        });
        let allows = allows.as_ref().map(|allows| allows as fuse::Allows<'_>);
        let matches_by =
            |cosines: Option<&[f32]>| fuse::matches(&scores, cosines, query.everyday, allows);
        let mut matches = matches_by(cosines);
        if let (Some(cosines), Some(context)) = (cosines, query.context) {
            let first = first_by_words(&scores.scores);
            self.vectors.cosines(context, first, &mut scratch.context);
            fuse::add_context(cosines, &mut scratch.context);
            matches = fuse::better_of(&matches, &matches_by(Some(&scratch.context)));
        }
        let page = self.page(query, &matches);
        if let Some(parts) = parts {
            let messages = text::score(&texts, &terms.fingerprints(), &any, &mut scratch.text)?;
            let signals = Signals {
                scores: &scores,
                fingerprints: &messages.scores,
                cosines,
                everyday: query.everyday,
            };
            *parts = self.parts(&page, &signals, query.now);
        }
        scratch.text.scores = scores.scores;
        let hits = page.iter().map(|candidate| Hit {
            id: candidate.id,
            seq: candidate.seq,
            query_count: candidate.query_count,
            relevance: candidate.relevance,
        });
        Ok(Hits {
            hits: hits.collect(),
            total: matches.len() as u64,
        })
    }

    /// Ranks what matches and returns the page that was asked for.
    fn page(&self, query: &Query<'_>, matches: &Matches) -> Vec<Candidate> {
        let mut best = Best::new(query.now, query.offset.saturating_add(query.limit));
        let mut least = f32::MIN;
        for (slot, standing) in matches.standings() {
            // Most stand too low, and neither their relevances nor their records are looked at.
            if standing < least {
                continue;
            }
            let relevance = matches.relevance(standing);
            let prior = self.records.prior(slot);
            if !prior.is_some_and(|prior| best.admits(relevance, prior)) {
                continue;
            }
            let Some(record) = self.records.get(slot) else {
                continue;
            };
            let rose = best.offer(Candidate {
                id: record.id,
                seq: record.seq,
                relevance,
                query_count: record.query_count,
                created_at: record.created_at,
            });
            if rose {
                least = matches.standing(best.least_relevance());
            }
        }
        best.after(query.offset)
    }

    fn texts(&self) -> Texts<'_> {
        Texts {
            base: &self.base,
            delta: &self.delta,
            records: self.records.len(),
        }
    }

    /// Tells what places each record of a page.
    fn parts(&self, page: &[Candidate], signals: &Signals<'_>, now: i64) -> Vec<Parts> {
        let slots = page.iter().map(|candidate| self.records.slot(candidate.id));
        let slots: Vec<u32> = slots.map(|slot| slot.unwrap_or(u32::MAX)).collect();
        let shares = signals.shares(&slots);
        let parts = page.iter().zip(&shares);
        parts
            .map(|(candidate, shares)| Parts::of(candidate, shares, now))
            .collect()
    }
}

/// Returns the slots of the records with the highest scores.
fn first_by_words(scores: &[TextScore]) -> impl Iterator<Item = u32> {
    let sample = vectors::sampled(scores.iter().map(|found| found.score));
    let least = vectors::least_of_largest(sample, scores.len());
    let first = scores.iter().filter(move |found| found.score >= least);
    // Many may have the same score.
    first.map(|found| found.slot).take(2 * vectors::EXACT)
}

impl State {
    /// Returns the embedding of a record's first passage, L2-normalised; `None` where there is none.
    pub(super) fn first_passage(&self, id: Uuid) -> Option<Vec<f32>> {
        self.vectors.first_passage(self.records.slot(id)?)
    }

    /// See [`super::Index::nearest`].
    pub(super) fn nearest(&self, embedding: &[f32], count: usize) -> Nearest {
        let mut cosines = Vec::new();
        let wanted = std::iter::empty();
        let spread = self.vectors.cosines(embedding, wanted, &mut cosines);
        let known = cosines.iter().copied().filter(|cosine| !cosine.is_nan());
        let (mut sum, mut squares, mut compared) = (0.0_f64, 0.0_f64, 0_u32);
        for cosine in known.map(f64::from) {
            sum += cosine;
            squares += cosine * cosine;
            compared += 1;
        }
        let of_all = |total: f64| total / f64::from(compared.max(1));
        let (mean, square) = (of_all(sum), of_all(squares));
        let mut best: Vec<(u32, f32)> = (0..).zip(cosines).collect();
        best.retain(|(_, cosine)| !cosine.is_nan());
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

/// Returns the score below which a record that has not the whole query does not match by its words
/// alone, beside the best one: [`fuse`] says so, and what it says of a score it says of less.
pub(super) fn least_score(ideal: f32, best: Option<TextScore>) -> f32 {
    let mut scores = TextScores {
        scores: best.into_iter().collect(),
        ideal,
    };
    let place = scores.scores.len();
    scores.scores.push(TextScore {
        slot: u32::MAX,
        score: 0.0,
        exact: 0.0,
        is_whole: false,
    });
    let (mut below, mut above) = (0.0, ideal);
    for _ in 0..HALVINGS {
        let score = (below + above) / 2.0;
        if let Some(found) = scores.scores.get_mut(place) {
            found.score = score;
        }
        let matches = fuse::matches(&scores, None, 0.0, None);
        if matches.standings().any(|(slot, _)| slot == u32::MAX) {
            above = score;
        } else {
            below = score;
        }
    }
    below
}

/// What searches work with, kept from one to the next: megabytes in a large index.
#[derive(Default)]
struct ScratchPool(Mutex<Vec<Scratch>>);

#[derive(Default)]
struct Scratch {
    text: text::Scratch,
    cosines: Vec<f32>,
    /// The same, raised by what surrounds the query.
    context: Vec<f32>,
}

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
