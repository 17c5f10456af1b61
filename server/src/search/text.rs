//! BM25 over base and delta with shared statistics, as if they were one index.
//!
//! Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
//! Field weights are integer repeats of a field's terms, which makes frequency and length BM25F's.

use std::{collections::HashSet, sync::LazyLock};

use indexmap::IndexSet;
use tantivy::postings::TermInfo;

use super::{
    IndexError, Text,
    analysis::{exact_terms, is_fingerprint, terms},
    base::{Base, length_of},
    delta::Delta,
    stop_words::{STOP_WORD_WEIGHT, is_stop_word},
    window::{Counts, Cursor, Postings, Scoring, Window, essential},
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
    /// In order of appearance.
    terms: IndexSet<String>,
    /// Those that are identifiers or codes.
    exact: HashSet<String>,
}

impl QueryTerms {
    /// Takes a query apart.
    pub(super) fn of(text: &str) -> Self {
        let mut distinct: IndexSet<String> = terms(text).into_iter().collect();
        distinct.truncate(MAX_QUERY_TERMS);
        Self {
            terms: distinct,
            exact: exact_terms(text),
        }
    }

    /// Returns those that stand for an error message as a whole.
    pub(super) fn fingerprints(&self) -> Self {
        let terms = self.terms.iter().filter(|term| is_fingerprint(term));
        Self {
            terms: terms.cloned().collect(),
            exact: HashSet::new(),
        }
    }
}

/// The lexical side of a query's answer.
pub(super) struct TextScores {
    /// Every record that has one of the terms and can matter, in no order.
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
    /// What those of its terms weigh that are identifiers, codes or error messages.
    pub(super) exact: f32,
    /// Whether the record has every term; stop words count only in a query of nothing else.
    pub(super) is_whole: bool,
}

/// What is searched.
pub(super) struct Texts<'a> {
    pub(super) base: &'a Base,
    pub(super) delta: &'a Delta,
    /// How many records there are.
    pub(super) records: usize,
}

/// Returns the least score that still matters of a record that has not the whole query, from the
/// ideal score and the best record so far; never less for a better one.
pub(super) type LeastScore<'a> = &'a dyn Fn(f32, Option<TextScore>) -> f32;

/// Scores the records that have one of the terms and can matter.
pub(super) fn score(
    texts: &Texts<'_>,
    query: &QueryTerms,
    least: LeastScore<'_>,
    scratch: &mut Scratch,
) -> Result<TextScores, IndexError> {
    let Texts { base, delta, .. } = texts;
    let terms = weighted_terms(texts, query)?;
    let ideal = terms.iter().map(|term| term.weight).sum();
    let norms = norms(texts);
    let mut found = Found {
        scores: std::mem::take(&mut scratch.scores),
        wanted: terms.iter().map(|term| term.counts.terms).sum(),
        least: &|best| least(ideal, best),
        least_score: least(ideal, None),
        best: None,
    };
    found.scores.clear();
    for (number, segment) in base.segments().iter().enumerate() {
        let mut cursors = Vec::with_capacity(terms.len());
        for term in &terms {
            if let Some(Some(info)) = term.in_base.get(number) {
                cursors.push(term.cursor(segment.postings(info)?));
            }
        }
        let scoring = Scoring {
            lengths: segment.lengths(),
            norms: &norms,
        };
        let slot_of = |document| {
            let slot = segment.slot(document);
            slot.filter(|slot| !delta.contains(*slot))
        };
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
    let slot_of = |document| delta.slot(document);
    found.walk(&mut cursors, &scoring, &mut scratch.window, &slot_of);
    Ok(TextScores {
        scores: found.scores,
        ideal,
    })
}

/// A term of a query.
struct WeightedTerm<'a> {
    text: &'a str,
    /// What it adds to a score at most.
    weight: f32,
    counts: Counts,
    /// By segment of the base.
    in_base: Vec<Option<TermInfo>>,
}

impl WeightedTerm<'_> {
    fn cursor<'a>(&self, postings: Postings<'a>) -> Cursor<'a> {
        Cursor::new(postings, self.weight, self.counts)
    }
}

/// Looks the terms up and returns those with the largest weights first.
fn weighted_terms<'a>(
    texts: &Texts<'_>,
    query: &'a QueryTerms,
) -> Result<Vec<WeightedTerm<'a>>, IndexError> {
    let only_stop_words = query.terms.iter().all(|term| is_stop_word(term));
    let mut terms = Vec::with_capacity(query.terms.len());
    for text in &query.terms {
        let in_base = texts.base.term_infos(text)?;
        let infos = in_base.iter().flatten();
        let frequency = infos.map(|info| u64::from(info.doc_freq)).sum::<u64>()
            + texts.delta.document_frequency(text);
        let weight = weight(text, texts.records.max(1) as f32, frequency as f32);
        let is_needed = !is_fingerprint(text) && (only_stop_words || !is_stop_word(text));
        let is_exact = is_fingerprint(text) || query.exact.contains(text);
        terms.push(WeightedTerm {
            text,
            weight,
            counts: Counts {
                terms: u16::from(is_needed),
                exact: if is_exact { weight.round() as u16 } else { 0 },
            },
            in_base,
        });
    }
    terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    Ok(terms)
}

/// Returns what a term frequency is weighed against, by length id.
fn norms(texts: &Texts<'_>) -> [f32; 256] {
    static LENGTHS: LazyLock<[f32; 256]> =
        LazyLock::new(|| std::array::from_fn(|id| length_of(id as u8) as f32));
    let tokens = texts.base.token_count() + texts.delta.token_count();
    let average = (tokens as f32 / texts.records.max(1) as f32).max(1.0);
    LENGTHS.map(|length| K1 * (1.0 - B) + K1 * B / average * length)
}

/// What a search works with, kept from one search to the next.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) window: Window,
    /// Room for [`TextScores::scores`].
    pub(super) scores: Vec<TextScore>,
}

/// The records found so far.
struct Found<'a> {
    scores: Vec<TextScore>,
    /// How many terms count.
    wanted: u16,
    least: &'a dyn Fn(Option<TextScore>) -> f32,
    /// What a record must score to matter.
    least_score: f32,
    best: Option<TextScore>,
}

impl Found<'_> {
    /// Takes in the records of a segment.
    fn walk(
        &mut self,
        cursors: &mut [Cursor<'_>],
        scoring: &Scoring<'_>,
        window: &mut Window,
        slot_of: &impl Fn(u32) -> Option<u32>,
    ) {
        while window.fill(cursors, essential(cursors, self.least_score), scoring) {
            let mut best = self.best;
            window.drain(|met| {
                let is_whole = met.counts.terms == self.wanted;
                if met.score < self.least_score && !is_whole {
                    return;
                }
                let Some(slot) = slot_of(met.document) else {
                    return;
                };
                let found = TextScore {
                    slot,
                    score: met.score,
                    exact: f32::from(met.counts.exact),
                    is_whole,
                };
                if best.is_none_or(|best| found.score > best.score) {
                    best = Some(found);
                }
                self.scores.push(found);
            });
            if best != self.best {
                self.best = best;
                self.least_score = self.least_score.max((self.least)(best));
            }
        }
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

#[cfg(test)]
mod tests;
