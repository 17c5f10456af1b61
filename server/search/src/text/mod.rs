//! BM25 over base and delta with shared statistics, as if they were one index.
//!
//! Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Field
//! weights are integers: a field's terms are repeated, which gives the term frequency and the length of BM25F.

use std::sync::LazyLock;

use tantivy::postings::TermInfo;

use super::{
    IndexError, Text,
    scope::Scope,
    window::{Counts, Cursor, Postings, Scoring, Window, essential},
};
use crate::{
    query_terms::QueryTerms,
    storage::{
        base::{Base, Segment, length_of},
        delta::Delta,
    },
    words::{
        analysis::{index_terms, is_fingerprint},
        stop_words::{STOP_WORD_WEIGHT, is_stop_word},
    },
};

/// Saturation of the term frequency.
const K1: f32 = 1.2;
/// How much a record's length counts.
const B: f32 = 0.75;
/// How often title terms count; body terms count once.
const TITLE_WEIGHT: usize = 3;
/// How often keyword terms count.
const KEYWORD_WEIGHT: usize = 2;
/// How much an error message as a whole counts, besides its words.
const FINGERPRINT_WEIGHT: f32 = 3.0;
/// The number of records that every store is assumed to hold besides its own, none with any of the query's
/// terms. In a small store a term's rarity is mostly chance, and with one record idf would be inverted.
const PRIOR_DOCUMENTS: f32 = 100.0;

/// Returns the weighted terms of a record.
pub(super) fn record_terms(text: &Text) -> Vec<String> {
    let title = index_terms(&text.title);
    let keywords = index_terms(&text.keywords);
    let body = index_terms(&text.body);
    let title = std::iter::repeat_n(title, TITLE_WEIGHT).flatten();
    let keywords = std::iter::repeat_n(keywords, KEYWORD_WEIGHT).flatten();
    title.chain(keywords).chain(body).collect()
}

/// The lexical scores of a query.
pub(super) struct TextScores {
    /// Every record that has one of the terms and can matter, unsorted.
    pub(super) scores: Vec<TextScore>,
    /// The limit of the score of a record that has every term of the query with growing frequency.
    pub(super) ideal: f32,
}

/// How well a record matches a query's terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextScore {
    pub(super) slot: u32,
    /// BM25.
    pub(super) score: f32,
    /// The sum of the weights of its terms that are identifiers, codes or error messages.
    pub(super) exact: f32,
    /// Whether the record has every term; stop words count only if the query has nothing else.
    pub(super) has_all_terms: bool,
}

/// The postings of base and delta that are searched.
pub(super) struct Texts<'a> {
    pub(super) base: &'a Base,
    pub(super) delta: &'a Delta,
    /// The number of records.
    pub(super) records: usize,
    /// The records that exist for the query, if that is not all of them.
    pub(super) scope: Option<&'a Scope>,
}

/// Returns the lowest score that still matters of a record that lacks a term of the query, from the ideal score
/// and the best record so far. It must not fall when the best record gets better.
pub(super) type LeastScore<'a> = &'a dyn Fn(f32, Option<TextScore>) -> f32;

/// An index in which the words of a query are looked up.
pub(super) trait Lexical {
    /// Scores the records that have one of the terms and can matter.
    fn score(
        &self,
        query: &QueryTerms,
        least: LeastScore<'_>,
        scratch: &mut Scratch,
    ) -> Result<TextScores, IndexError>;
}

impl Lexical for Texts<'_> {
    fn score(
        &self,
        query: &QueryTerms,
        least: LeastScore<'_>,
        scratch: &mut Scratch,
    ) -> Result<TextScores, IndexError> {
        let Texts { base, delta, .. } = self;
        let records = self.scope.map_or(self.records, Scope::len);
        let terms = weighted_terms(query, records, |term| self.look_up(term))?;
        let norms = norms(self.token_count(), records);
        let mut found = ScoreCollector::new(&terms, least, scratch);
        for (number, segment) in base.segments().iter().enumerate() {
            let mut cursors = Vec::with_capacity(terms.len());
            for term in &terms {
                if let Some(Some(info)) = term.place.get(number) {
                    cursors.push(term.cursor(segment.postings(info)?));
                }
            }
            let scoring = Scoring {
                lengths: segment.lengths(),
                norms: &norms,
            };
            let slot_of = |document| self.slot_in_base(segment, document);
            found.walk(&mut cursors, &scoring, &mut scratch.window, &slot_of);
        }
        let cursors = terms.iter().filter_map(|term| {
            let postings = delta.postings(term.text)?;
            Some(term.cursor(postings))
        });
        let scoring = Scoring {
            lengths: delta.lengths(),
            norms: &norms,
        };
        let mut cursors: Vec<Cursor<'_>> = cursors.collect();
        let slot_of = |document| self.slot_in_delta(document);
        found.walk(&mut cursors, &scoring, &mut scratch.window, &slot_of);
        Ok(found.into_scores())
    }
}

impl Texts<'_> {
    /// Returns how many records have a term, and its postings in each segment of the base.
    fn look_up(&self, term: &str) -> Result<(u64, Vec<Option<TermInfo>>), IndexError> {
        let in_base = self.base.term_infos(term)?;
        let frequency = match self.scope {
            Some(_) => self.frequency_in_scope(term, &in_base)?,
            None => {
                let infos = in_base.iter().flatten();
                let in_base: u64 = infos.map(|info| u64::from(info.doc_freq)).sum();
                in_base + self.delta.document_frequency(term)
            }
        };
        Ok((frequency, in_base))
    }

    /// Counts the records in the scope that have a term.
    fn frequency_in_scope(
        &self,
        term: &str,
        in_base: &[Option<TermInfo>],
    ) -> Result<u64, IndexError> {
        let mut frequency = 0;
        for (segment, info) in self.base.segments().iter().zip(in_base) {
            let Some(info) = info else { continue };
            segment.postings(info)?.for_each_document(|document| {
                frequency += u64::from(self.slot_in_base(segment, document).is_some());
            });
        }
        if let Some(postings) = self.delta.postings(term) {
            postings.for_each_document(|document| {
                frequency += u64::from(self.slot_in_delta(document).is_some());
            });
        }
        Ok(frequency)
    }

    /// Returns the number of weighted terms of all records, or of those in the scope.
    fn token_count(&self) -> u64 {
        if self.scope.is_none() {
            return self.base.token_count() + self.delta.token_count();
        }
        let in_base = self.base.segments().iter().map(|segment| {
            total_length(segment.lengths(), |document| {
                self.slot_in_base(segment, document)
            })
        });
        let in_delta = total_length(self.delta.lengths(), |document| {
            self.slot_in_delta(document)
        });
        in_base.sum::<u64>() + in_delta
    }

    /// Returns the slot of a document of the base, unless the delta overrides it or the record does not exist
    /// for the query.
    fn slot_in_base(&self, segment: &Segment, document: u32) -> Option<u32> {
        let slot = segment.slot(document);
        slot.filter(|slot| !self.delta.contains(*slot) && self.exists(*slot))
    }

    /// Returns the slot of a document of the delta, unless it was replaced or the record does not exist for the
    /// query.
    fn slot_in_delta(&self, document: u32) -> Option<u32> {
        let slot = self.delta.slot(document);
        slot.filter(|slot| self.exists(*slot))
    }

    fn exists(&self, slot: u32) -> bool {
        self.scope.is_none_or(|scope| scope.contains(slot))
    }
}

/// Sums the lengths, decoded from their ids, of the documents that have a slot.
fn total_length(lengths: &[u8], slot_of: impl Fn(u32) -> Option<u32>) -> u64 {
    let documents = (0..).zip(lengths);
    let known = documents.filter(|(document, _)| slot_of(*document).is_some());
    known.map(|(_, length)| u64::from(length_of(*length))).sum()
}

/// A term of a query.
pub(super) struct WeightedTerm<'a, Place> {
    pub(super) text: &'a str,
    /// The most that it can add to a score.
    pub(super) weight: f32,
    pub(super) counts: Counts,
    /// The number of records that have it.
    pub(super) frequency: u64,
    /// Where its postings are.
    pub(super) place: Place,
}

impl<Place> WeightedTerm<'_, Place> {
    pub(super) fn cursor<'a>(&self, postings: Postings<'a>) -> Cursor<'a> {
        Cursor::new(postings, self.weight, self.counts)
    }
}

/// Looks up the terms with `look_up`, which returns in how many records and where a term occurs; returns them
/// with the largest weights first.
pub(super) fn weighted_terms<Place>(
    query: &QueryTerms,
    records: usize,
    look_up: impl Fn(&str) -> Result<(u64, Place), IndexError>,
) -> Result<Vec<WeightedTerm<'_, Place>>, IndexError> {
    let only_stop_words = query.terms.iter().all(|term| is_stop_word(term));
    let mut terms = Vec::with_capacity(query.terms.len());
    for text in &query.terms {
        let (frequency, place) = look_up(text)?;
        let weight = query.weight(text) * weight(text, records.max(1) as f32, frequency as f32);
        let is_needed = !is_fingerprint(text) && (only_stop_words || !is_stop_word(text));
        let is_exact = is_fingerprint(text) || query.is_exact(text);
        terms.push(WeightedTerm {
            text,
            weight,
            counts: Counts {
                terms: u16::from(is_needed),
                exact: if is_exact { weight.round() as u16 } else { 0 },
            },
            frequency,
            place,
        });
    }
    terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    Ok(terms)
}

/// Returns BM25's length normalisation, which is added to the term frequency in the denominator, by length id.
pub(super) fn norms(tokens: u64, records: usize) -> [f32; 256] {
    static LENGTHS: LazyLock<[f32; 256]> =
        LazyLock::new(|| std::array::from_fn(|id| length_of(id as u8) as f32));
    let average = (tokens as f32 / records.max(1) as f32).max(1.0);
    LENGTHS.map(|length| K1 * (1.0 - B) + K1 * B / average * length)
}

/// The buffers of a search, reused from one search to the next.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) window: Window,
    /// The buffer for [`TextScores::scores`].
    pub(super) scores: Vec<TextScore>,
}

/// Collects the scores of records.
pub(super) struct ScoreCollector<'a> {
    scores: Vec<TextScore>,
    ideal: f32,
    /// The number of terms that a record must have to have the whole query.
    wanted: u16,
    least: LeastScore<'a>,
    /// The lowest score that still matters.
    least_score: f32,
    best: Option<TextScore>,
}

impl<'a> ScoreCollector<'a> {
    /// Starts without any scores.
    pub(super) fn new<Place>(
        terms: &[WeightedTerm<'_, Place>],
        least: LeastScore<'a>,
        scratch: &mut Scratch,
    ) -> Self {
        let mut scores = std::mem::take(&mut scratch.scores);
        scores.clear();
        let ideal = terms.iter().map(|term| term.weight).sum();
        Self {
            scores,
            ideal,
            wanted: terms.iter().map(|term| term.counts.terms).sum(),
            least,
            least_score: least(ideal, None),
            best: None,
        }
    }

    /// Returns the collected scores.
    pub(super) fn into_scores(self) -> TextScores {
        TextScores {
            scores: self.scores,
            ideal: self.ideal,
        }
    }

    /// Adds the scores of the documents of a segment.
    pub(super) fn walk(
        &mut self,
        cursors: &mut [Cursor<'_>],
        scoring: &Scoring<'_>,
        window: &mut Window,
        slot_of: &impl Fn(u32) -> Option<u32>,
    ) {
        while window.fill(cursors, essential(cursors, self.least_score), scoring) {
            let mut best = self.best;
            window.drain(|document| {
                let has_all_terms = document.counts.terms == self.wanted;
                if document.score < self.least_score && !has_all_terms {
                    return;
                }
                let Some(slot) = slot_of(document.number) else {
                    return;
                };
                let found = TextScore {
                    slot,
                    score: document.score,
                    exact: f32::from(document.counts.exact),
                    has_all_terms,
                };
                if best.is_none_or(|best| found.score > best.score) {
                    best = Some(found);
                }
                self.scores.push(found);
            });
            if best != self.best {
                self.best = best;
                self.least_score = self.least_score.max((self.least)(self.ideal, best));
            }
        }
    }
}

/// Returns the most that a term which `frequency` of the `documents` have can add to a score.
fn weight(term: &str, documents: f32, frequency: f32) -> f32 {
    let importance = if is_stop_word(term) {
        STOP_WORD_WEIGHT
    } else if is_fingerprint(term) {
        FINGERPRINT_WEIGHT
    } else {
        1.0
    };
    idf(documents + PRIOR_DOCUMENTS, frequency) * importance * (K1 + 1.0)
}

/// Returns the rarity of a term that `frequency` of `documents` records have; never negative.
fn idf(documents: f32, frequency: f32) -> f32 {
    let frequency = frequency.min(documents);
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln()
}

#[cfg(test)]
mod tests;
