//! Candidates that were found elsewhere, ranked as the index ranks its records.
//!
//! Who keeps the records elsewhere is told here what to keep of each ([`words`], [`passages`]), and of a
//! query what to look for ([`Query::looked_for`]); with what is known of all records the candidates that
//! came back are ranked by the same code as an index of all of them would rank them.

use std::collections::HashMap;

use indexmap::IndexMap;
use sha2::{Digest as _, Sha256};

use super::{
    Hits, IndexError, Language, Parts, Query, Row, Text,
    ranking::{Everything, Ranking, Scratch},
    text::{self, Found, LeastScore, Lexical, QueryTerms, TextScores, WeightedTerm, norms},
    vectors::Vectors,
    window::{Postings, Scoring},
};
use crate::{
    ranking::fuse::with_context,
    storage::{base::length_id, records::Records},
};

/// Bytes of a record's distinct terms at most; what comes behind is not found by its words.
const MAX_TERM_BYTES: usize = 900_000;
/// Bytes of a term's frequency as it is kept: a hash of the term in the upper 48 bits, how often it
/// stands there in the lower 16.
const FREQUENCY_BYTES: usize = size_of::<u64>();

/// What is kept of a record's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Its distinct terms.
    pub terms: Vec<String>,
    /// How often each stands there, for [`Candidates`] to read.
    pub frequencies: Vec<u8>,
    /// How many terms it has, repeats and weights included.
    pub length: u32,
}

/// Returns what is kept of a record's text.
pub fn words(text: &Text) -> Words {
    let all = text::record_terms(text);
    let length = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let mut counts: IndexMap<String, u16> = IndexMap::new();
    let mut bytes = 0;
    for term in all {
        if let Some(count) = counts.get_mut(&term) {
            *count = count.saturating_add(1);
        } else if bytes + term.len() <= MAX_TERM_BYTES {
            bytes += term.len();
            counts.insert(term, 1);
        }
    }
    let frequencies = counts
        .iter()
        .map(|(term, count)| hash(term) | u64::from(*count));
    let mut frequencies: Vec<u64> = frequencies.collect();
    frequencies.sort_unstable();
    Words {
        frequencies: frequencies.into_iter().flat_map(u64::to_le_bytes).collect(),
        terms: counts.into_keys().collect(),
        length,
    }
}

/// Hashes a term into the upper 48 bits; the same in every version of the program.
fn hash(term: &str) -> u64 {
    let digest = Sha256::digest(term);
    let first = digest.first_chunk().copied().unwrap_or_default();
    u64::from_le_bytes(first) & !u64::from(u16::MAX)
}

/// Returns how often a term stands in a record, of which [`Words::frequencies`] are given.
fn frequency(frequencies: &[u8], term: u64) -> Option<u32> {
    let (frequencies, _) = frequencies.as_chunks::<FREQUENCY_BYTES>();
    let at = frequencies.partition_point(|known| u64::from_le_bytes(*known) < term);
    let known = u64::from_le_bytes(*frequencies.get(at)?);
    (known & !u64::from(u16::MAX) == term).then_some((known & u64::from(u16::MAX)) as u32)
}

/// What is known of the texts of all records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many records there are.
    pub records: u64,
    /// The sum of their [`Words::length`].
    pub length: u64,
    /// How many records have a vector.
    pub with_vector: u64,
    /// How many records have each of the query's terms; none where a term is missing.
    pub frequencies: HashMap<String, u64>,
}

impl Statistics {
    fn frequency(&self, term: &str) -> u64 {
        self.frequencies.get(term).copied().unwrap_or(0)
    }

    fn records(&self) -> usize {
        usize::try_from(self.records).unwrap_or(usize::MAX)
    }
}

/// Vectors and languages of records that were taken at random: they stand for those of all.
#[derive(Default)]
pub struct Sample {
    vectors: Vectors,
    languages: Vec<Language>,
}

impl Sample {
    /// Takes vectors as [`super::quantize`] writes them, and the languages of their records.
    pub fn of(stored: impl IntoIterator<Item = (Vec<u8>, Language)>) -> Self {
        let mut sample = Self::default();
        for (slot, (stored, language)) in (0..).zip(stored) {
            sample.vectors.put(slot, Some(&stored));
            sample.languages.push(language);
        }
        sample
    }
}

/// A record that may be among the best.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieved {
    /// What is known of it besides its text.
    pub row: Row,
    /// [`Words::frequencies`].
    pub frequencies: Vec<u8>,
    /// [`Words::length`].
    pub length: u32,
}

/// Words by which records are looked for: those that have all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct WordsLookedFor {
    /// The terms.
    pub terms: Vec<String>,
    /// What having them is worth, beside others.
    pub weight: f32,
}

/// What records are looked for by, so that the best are among those that are found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LookedFor {
    /// By words: records that have those of one of these, the best by the sum of their weights.
    pub words: Vec<WordsLookedFor>,
    /// By meaning: those whose passages have the largest products with one of these.
    pub embeddings: Vec<Vec<f32>>,
}

/// Returns the terms of a query, whose [`Statistics::frequencies`] are needed.
pub fn query_terms(text: &str) -> Vec<String> {
    QueryTerms::of(text).terms.into_iter().collect()
}

impl Query<'_> {
    /// Says what to look for.
    ///
    /// Of the words it is the rarest, as long as no more than `most` records have one of them, and all
    /// words together where that leaves some out: so a common word does not drag every record in.
    ///
    /// *Errors*: none in practice; those of an index.
    pub fn looked_for(&self, statistics: &Statistics, most: u64) -> Result<LookedFor, IndexError> {
        let terms = QueryTerms::of(self.text);
        let look_up = |term: &str| Ok((statistics.frequency(term), ()));
        let terms = text::weighted_terms(&terms, statistics.records(), look_up)?;
        let embedding = self.embedding.map(<[f32]>::to_vec);
        let around = self.embedding.zip(self.context);
        let in_context = around.map(|(embedding, context)| with_context(embedding, context));
        Ok(LookedFor {
            words: telling(&terms, most),
            embeddings: embedding.into_iter().chain(in_context).collect(),
        })
    }
}

/// Returns the rarest terms, and all that count together where some of those were left out.
fn telling(terms: &[WeightedTerm<'_, ()>], most: u64) -> Vec<WordsLookedFor> {
    let known = || terms.iter().filter(|term| term.frequency > 0);
    let mut records = 0;
    let rarest = known().take_while(|term| {
        let is_first = records == 0;
        records += term.frequency;
        is_first || records <= most
    });
    let mut words: Vec<WordsLookedFor> = rarest
        .map(|term| WordsLookedFor {
            terms: vec![term.text.to_owned()],
            weight: term.weight,
        })
        .collect();
    let needed = || known().filter(|term| term.counts.terms > 0);
    let is_left_out = words.len() < known().count();
    if is_left_out && needed().count() > 1 {
        words.push(WordsLookedFor {
            terms: needed().map(|term| term.text.to_owned()).collect(),
            weight: needed().map(|term| term.weight).sum(),
        });
    }
    words
}

/// Candidates, ready to be ranked.
pub struct Candidates<'a> {
    statistics: &'a Statistics,
    sample: &'a Sample,
    records: Records,
    vectors: Vectors,
    /// By slot.
    frequencies: Vec<Vec<u8>>,
    lengths: Vec<u8>,
}

impl<'a> Candidates<'a> {
    /// Takes candidates, each once, and what is known of all records.
    pub fn new(statistics: &'a Statistics, sample: &'a Sample, found: Vec<Retrieved>) -> Self {
        let mut candidates = Self {
            statistics,
            sample,
            records: Records::with_room(found.len()),
            vectors: Vectors::default(),
            frequencies: Vec::with_capacity(found.len()),
            lengths: Vec::with_capacity(found.len()),
        };
        for one in found {
            if let Some(slot) = candidates.records.put((&one.row).into()) {
                candidates.vectors.put(slot, one.row.vector.as_deref());
                candidates.frequencies.push(one.frequencies);
                candidates.lengths.push(length_id(one.length));
            }
        }
        candidates
    }

    /// Answers a query as [`super::Index::search`] does; [`Hits::total`] counts the candidates that
    /// match. [`super::Allowed::Scope`] is only a filter here: the statistics are those of all
    /// records.
    pub fn search(&self, query: &Query<'_>) -> Result<Hits, IndexError> {
        self.ranking().search(query, &mut Scratch::default(), None)
    }

    /// Answers a query as [`super::Index::search_with_parts`] does.
    pub fn search_with_parts(&self, query: &Query<'_>) -> Result<(Hits, Vec<Parts>), IndexError> {
        let mut parts = Vec::new();
        let mut scratch = Scratch::default();
        let hits = self.ranking().search(query, &mut scratch, Some(&mut parts));
        Ok((hits?, parts))
    }

    fn ranking(&self) -> Ranking<'_> {
        Ranking {
            records: &self.records,
            vectors: &self.vectors,
            texts: self,
            all: Some(Everything {
                sample: &self.sample.vectors,
                languages: &self.sample.languages,
                count: self.statistics.with_vector,
            }),
            scope: None,
        }
    }

    /// Returns the slots of the candidates that have a term, and how often.
    fn postings(&self, term: &str) -> (Vec<u32>, Vec<u32>) {
        let term = hash(term);
        let found = (0..).zip(&self.frequencies);
        found
            .filter_map(|(slot, frequencies)| Some((slot, frequency(frequencies, term)?)))
            .unzip()
    }
}

impl Lexical for Candidates<'_> {
    fn score(
        &self,
        query: &QueryTerms,
        least: LeastScore<'_>,
        scratch: &mut text::Scratch,
    ) -> Result<TextScores, IndexError> {
        let Statistics { length, .. } = *self.statistics;
        let records = self.statistics.records();
        let look_up = |term: &str| Ok((self.statistics.frequency(term), self.postings(term)));
        let terms = text::weighted_terms(query, records, look_up)?;
        let cursors = terms.iter().map(|term| {
            let (documents, frequencies) = &term.place;
            term.cursor(Postings::Delta {
                documents,
                frequencies,
            })
        });
        let scoring = Scoring {
            lengths: &self.lengths,
            norms: &norms(length, records),
        };
        let mut found = Found::new(&terms, least, scratch);
        let mut cursors: Vec<_> = cursors.collect();
        found.walk(&mut cursors, &scoring, &mut scratch.window, &Some);
        Ok(found.into_scores())
    }
}

#[cfg(test)]
mod tests;
