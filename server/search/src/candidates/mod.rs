//! Ranks candidates that a database found, with the same code that ranks the records of the index.
//!
//! A database that holds the records stores for each of them what [`words`] and [`passages`](crate::passages)
//! return. For a query, [`Query::looked_for`] returns the terms and embeddings to search for. Together with
//! statistics over all records, the candidates that the database returns get the ranks that an index of all
//! records would give them.

use std::collections::HashMap;

use indexmap::IndexMap;
use sha2::{Digest as _, Sha256};

use super::{
    Hits, IndexError, Language, Parts, Query, Row, Text,
    query_terms::QueryTerms,
    ranking::{AllRecords, Ranking, Scratch},
    text::{self, LeastScore, Lexical, ScoreCollector, TextScores, WeightedTerm, norms},
    vectors::Vectors,
    window::{Postings, Scoring},
};
use crate::{
    ranking::fuse::with_context,
    storage::{base::length_id, records::Records},
};

/// The most bytes of distinct terms that are stored for a record; it is not found by terms that do not fit.
const MAX_TERM_BYTES: usize = 900_000;
/// Bytes of a stored term frequency: a hash of the term in the upper 48 bits, the number of its occurrences in
/// the lower 16.
const FREQUENCY_BYTES: usize = size_of::<u64>();

/// The terms of a record's text, as a database stores them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The distinct terms.
    pub terms: Vec<String>,
    /// How often each term occurs, in the encoding that [`Candidates`] reads.
    pub frequencies: Vec<u8>,
    /// The number of terms, with repeats and field weights.
    pub length: u32,
}

/// Returns the terms of a record's text to be stored.
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

/// Hashes a term into the upper 48 bits; the result is the same in every version of the program.
fn hash(term: &str) -> u64 {
    let digest = Sha256::digest(term);
    let first = digest.first_chunk().copied().unwrap_or_default();
    u64::from_le_bytes(first) & !u64::from(u16::MAX)
}

/// Returns how often a term occurs in a record with these [`Words::frequencies`].
fn frequency(frequencies: &[u8], term: u64) -> Option<u32> {
    let (frequencies, _) = frequencies.as_chunks::<FREQUENCY_BYTES>();
    let at = frequencies.partition_point(|known| u64::from_le_bytes(*known) < term);
    let known = u64::from_le_bytes(*frequencies.get(at)?);
    (known & !u64::from(u16::MAX) == term).then_some((known & u64::from(u16::MAX)) as u32)
}

/// Statistics over the texts of all records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of records.
    pub records: u64,
    /// The sum of their [`Words::length`].
    pub length: u64,
    /// The number of records with a vector.
    pub with_vector: u64,
    /// For each term of the query the number of records that have it; a missing term counts as 0.
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

/// Vectors and languages of a random sample of the records, which represents all of them.
#[derive(Default)]
pub struct Sample {
    vectors: Vectors,
    languages: Vec<Language>,
}

impl Sample {
    /// Creates a sample from vectors as [`super::quantize`] writes them and the languages of their records.
    pub fn of(stored: impl IntoIterator<Item = (Vec<u8>, Language)>) -> Self {
        let mut sample = Self::default();
        for (slot, (stored, language)) in (0..).zip(stored) {
            sample.vectors.put(slot, Some(&stored));
            sample.languages.push(language);
        }
        sample
    }
}

/// A candidate record, as the database returns it.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieved {
    /// Everything about it except its text.
    pub row: Row,
    /// [`Words::frequencies`].
    pub frequencies: Vec<u8>,
    /// [`Words::length`].
    pub length: u32,
}

/// A group of terms to search for: it matches records that have all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct TermGroup {
    /// The terms.
    pub terms: Vec<String>,
    /// What a match adds to a record's score among the candidates.
    pub weight: f32,
}

/// What a database has to search for, so that the best records are among the candidates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CandidateQuery {
    /// Term groups: records that match at least one of them, best first by the sum of the weights.
    pub words: Vec<TermGroup>,
    /// Embeddings: records whose passages have the largest dot products with one of them.
    pub embeddings: Vec<Vec<f32>>,
}

/// Returns the terms of a query; [`Statistics::frequencies`] is needed for these.
pub fn query_terms(text: &str) -> Vec<String> {
    QueryTerms::of(text).terms.into_iter().collect()
}

impl Query<'_> {
    /// Returns the terms and embeddings to search for.
    ///
    /// The terms are the rarest one and the next ones, as long as they occur in at most `most` records in all. If
    /// that leaves terms out, a group of all terms that a full match needs is added. So a common word does not
    /// turn every record into a candidate.
    ///
    /// *Errors*: those of an index; in practice none.
    pub fn looked_for(
        &self,
        statistics: &Statistics,
        most: u64,
    ) -> Result<CandidateQuery, IndexError> {
        let terms = QueryTerms::of(self.text);
        let look_up = |term: &str| Ok((statistics.frequency(term), ()));
        let terms = text::weighted_terms(&terms, statistics.records(), look_up)?;
        let embedding = self.embedding.map(<[f32]>::to_vec);
        let around = self.embedding.zip(self.context);
        let in_context = around.map(|(embedding, context)| with_context(embedding, context));
        Ok(CandidateQuery {
            words: term_groups(&terms, most),
            embeddings: embedding.into_iter().chain(in_context).collect(),
        })
    }
}

/// Returns a group for each of the rarest terms, and one of all needed terms if some were left out.
fn term_groups(terms: &[WeightedTerm<'_, ()>], most: u64) -> Vec<TermGroup> {
    let known = || terms.iter().filter(|term| term.frequency > 0);
    let mut records = 0;
    let rarest = known().take_while(|term| {
        let is_first = records == 0;
        records += term.frequency;
        is_first || records <= most
    });
    let mut words: Vec<TermGroup> = rarest
        .map(|term| TermGroup {
            terms: vec![term.text.to_owned()],
            weight: term.weight,
        })
        .collect();
    let needed = || known().filter(|term| term.counts.terms > 0);
    let is_left_out = words.len() < known().count();
    if is_left_out && needed().count() > 1 {
        words.push(TermGroup {
            terms: needed().map(|term| term.text.to_owned()).collect(),
            weight: needed().map(|term| term.weight).sum(),
        });
    }
    words
}

/// Candidates that are ready to be ranked.
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
    /// Creates candidates from distinct records and the statistics over all records.
    pub fn new(statistics: &'a Statistics, sample: &'a Sample, found: Vec<Retrieved>) -> Self {
        let mut candidates = Self {
            statistics,
            sample,
            records: Records::with_capacity(found.len()),
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

    /// Searches like [`super::Index::search`]. [`Hits::total`] counts the candidates that match.
    /// [`super::Allowed::Scope`] only filters here: the statistics are those of all records.
    pub fn search(&self, query: &Query<'_>) -> Result<Hits, IndexError> {
        self.ranking().search(query, &mut Scratch::default(), None)
    }

    /// Searches like [`super::Index::search_with_parts`].
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
            all: Some(AllRecords {
                sample: &self.sample.vectors,
                languages: &self.sample.languages,
                count: self.statistics.with_vector,
            }),
            scope: None,
        }
    }

    /// Returns the slots of the candidates that have a term, and how often they have it.
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
        let mut found = ScoreCollector::new(&terms, least, scratch);
        let mut cursors: Vec<_> = cursors.collect();
        found.walk(&mut cursors, &scoring, &mut scratch.window, &Some);
        Ok(found.into_scores())
    }
}

#[cfg(test)]
mod tests;
