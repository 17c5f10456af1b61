//! BM25 over base and delta with shared statistics, as if they were one index.
//!
//! Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
//! Field weights are integer repeats of a field's terms, which makes frequency and length BM25F's.

use std::{collections::HashSet, sync::LazyLock};

use super::{
    IndexError, Text,
    analysis::{exact_terms, is_fingerprint, terms},
    base::{Base, length_of},
    delta::Delta,
    stop_words::{STOP_WORD_WEIGHT, is_stop_word},
};

/// Saturation of the term frequency.
const K1: f32 = 1.2;
/// How much a record's length counts.
const B: f32 = 0.75;
/// How often a title's and a keyword's terms count; body terms count once.
const TITLE_WEIGHT: usize = 3;
/// See [`TITLE_WEIGHT`].
const KEYWORD_WEIGHT: usize = 2;
/// How much an error message as a whole counts, besides its words.
const FINGERPRINT_WEIGHT: f32 = 3.0;
/// Records that every store is taken to hold besides its own, none with any of the query's terms: in
/// a small store a term's rarity is mostly chance, and with one record idf would be upside down.
const PRIOR_DOCUMENTS: f32 = 100.0;
/// Query terms past this many distinct ones are left out: a pasted log must not stall the server.
const MAX_QUERY_TERMS: usize = 1_000;

/// Returns the weighted terms of a record.
pub(super) fn record_terms(text: &Text) -> Vec<String> {
    let title = terms(&text.title);
    let keywords = terms(&text.keywords);
    let body = terms(&text.body);
    let title = std::iter::repeat_n(title, TITLE_WEIGHT).flatten();
    let keywords = std::iter::repeat_n(keywords, KEYWORD_WEIGHT).flatten();
    title.chain(keywords).chain(body).collect()
}

/// What a query looks for.
pub(super) struct QueryTerms {
    /// The distinct terms, in order.
    terms: Vec<String>,
    /// Those that are identifiers, codes or error messages.
    exact: HashSet<String>,
}

impl QueryTerms {
    /// Takes a query apart.
    pub(super) fn of(text: &str) -> Self {
        let mut seen = HashSet::new();
        let mut distinct = terms(text);
        distinct.retain(|term| seen.insert(term.clone()));
        distinct.truncate(MAX_QUERY_TERMS);
        Self {
            terms: distinct,
            exact: exact_terms(text),
        }
    }
}

/// The lexical side of a query's answer.
pub(super) struct TextScores {
    /// Every record that has one of the terms, in no order.
    pub(super) scores: Vec<TextScore>,
    /// What a record would score that has every term of the query, often.
    pub(super) ideal: f32,
}

/// What a record has of a query's terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextScore {
    pub(super) slot: u32,
    /// BM25.
    pub(super) score: f32,
    /// The part of it that identifiers, codes and error messages have.
    pub(super) exact: f32,
    /// Whether the record has every term; stop words count only in a query of nothing else.
    pub(super) is_whole: bool,
}

/// Scores every record that has one of the terms.
pub(super) fn score(
    base: &Base,
    delta: &Delta,
    slots: usize,
    query: &QueryTerms,
) -> Result<TextScores, IndexError> {
    let documents = slots.max(1) as f32;
    let average = ((base.token_count() + delta.token_count()) as f32 / documents).max(1.0);
    let (flat, by_length) = (K1 * (1.0 - B), K1 * B / average);
    let lengths = lengths();
    let mut found = Accumulator::new(slots);
    let only_stop_words = query.terms.iter().all(|term| is_stop_word(term));
    let (mut ideal, mut wanted) = (0.0, 0);
    for term in &query.terms {
        let exact = if query.exact.contains(term) { 1.0 } else { 0.0 };
        let frequency = base.document_frequency(term)? + delta.postings(term).len() as u64;
        let weight = weight(term, documents, frequency as f32);
        ideal += weight;
        let counts = u16::from(!is_fingerprint(term) && (only_stop_words || !is_stop_word(term)));
        wanted += counts;
        let mut add = |slot: u32, tf: u32, length: u8| {
            let length = lengths.get(usize::from(length)).copied().unwrap_or(0.0);
            let norm = flat + by_length * length;
            let score = weight * tf as f32 / (tf as f32 + norm);
            found.add(slot, score, (score * exact, counts));
        };
        for (slot, tf, length) in delta.postings(term) {
            add(*slot, *tf, *length);
        }
        base.visit_postings(term, |slot, tf, length| {
            if !delta.contains(slot) {
                add(slot, tf, length);
            }
        })?;
    }
    Ok(TextScores {
        scores: found.scores(wanted),
        ideal,
    })
}

/// The length that each length id stands for; asked once per posting.
fn lengths() -> &'static [f32] {
    static LENGTHS: LazyLock<Vec<f32>> =
        LazyLock::new(|| (0..=u8::MAX).map(|id| length_of(id) as f32).collect());
    &LENGTHS
}

/// Sums up by slot, and remembers which slots it met.
struct Accumulator {
    /// Score, its exact part, and how many of the terms that count.
    sums: Vec<(f32, f32, u16)>,
    met: Vec<u32>,
}

impl Accumulator {
    fn new(slots: usize) -> Self {
        Self {
            sums: vec![(0.0, 0.0, 0); slots],
            met: Vec::new(),
        }
    }

    fn add(&mut self, slot: u32, score: f32, (part, counts): (f32, u16)) {
        let Some((sum, exact, terms)) = self.sums.get_mut(slot as usize) else {
            return;
        };
        if *sum == 0.0 {
            self.met.push(slot);
        }
        *sum += score;
        *exact += part;
        *terms += counts;
    }

    fn scores(self, wanted: u16) -> Vec<TextScore> {
        let mut scores = Vec::with_capacity(self.met.len());
        scores.extend(self.met.iter().filter_map(|slot| {
            let (score, exact, terms) = *self.sums.get(*slot as usize)?;
            Some(TextScore {
                slot: *slot,
                score,
                exact,
                is_whole: terms == wanted,
            })
        }));
        scores
    }
}

/// What a term that so many of the documents have can add to a score at most.
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

/// The rarity of a term that `frequency` of `documents` records have; never negative.
fn idf(documents: f32, frequency: f32) -> f32 {
    let frequency = frequency.min(documents);
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln()
}
