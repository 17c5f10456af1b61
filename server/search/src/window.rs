//! Sums up the scores of one window of documents at a time, so that the sums stay in the processor's first-level
//! cache however many documents there are.
//!
//! Upper bounds decide which documents can still matter. Source: Turtle and Flood, "Query evaluation: strategies
//! and optimizations" (1995), "MaxScore".

use tantivy::{TERMINATED, postings::BlockSegmentPostings};

/// The number of documents in a window; their sums take 16 KiB.
const WIDTH: usize = 2_048;
/// The number of bits in a word of the set of matched documents.
const WORD: usize = u64::BITS as usize;

/// Postings of a term: documents in ascending order with term frequencies, one block at a time.
pub(super) enum Postings<'a> {
    /// In a segment on disk.
    Base(Box<BlockSegmentPostings>),
    /// In memory, as one block.
    Delta {
        documents: &'a [u32],
        frequencies: &'a [u32],
    },
}

impl Postings<'_> {
    fn documents(&self) -> &[u32] {
        match self {
            Self::Base(postings) => postings.docs(),
            Self::Delta { documents, .. } => documents,
        }
    }

    fn frequencies(&self) -> &[u32] {
        match self {
            Self::Base(postings) => postings.freqs(),
            Self::Delta { frequencies, .. } => frequencies,
        }
    }

    /// Advances to the next block, which is empty after the last one.
    fn advance(&mut self) {
        match self {
            Self::Base(postings) => postings.advance(),
            Self::Delta {
                documents,
                frequencies,
            } => (*documents, *frequencies) = (&[], &[]),
        }
    }

    /// Visits every document.
    pub(super) fn for_each_document(mut self, mut visit: impl FnMut(u32)) {
        while !self.documents().is_empty() {
            self.documents().iter().copied().for_each(&mut visit);
            self.advance();
        }
    }

    /// Advances to the block in which a document would be, and returns the position in the block of the first
    /// document that is not before it.
    fn seek(&mut self, document: u32) -> usize {
        match self {
            Self::Base(postings) => postings.seek(document),
            Self::Delta { documents, .. } => documents.partition_point(|d| *d < document),
        }
    }
}

/// Counts of a term besides its weight; for a document, the sums over its terms.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// 1 if a record must have the term to have the whole query, else 0.
    pub(super) terms: u16,
    /// The weight, rounded, if the term is an identifier, a code or an error message, else 0.
    pub(super) exact: u16,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.terms += other.terms;
        self.exact = self.exact.saturating_add(other.exact);
    }
}

/// A term's postings with the current position.
pub(super) struct Cursor<'a> {
    postings: Postings<'a>,
    /// Position in the block.
    at: usize,
    /// The most that the term adds to a score.
    weight: f32,
    counts: Counts,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(postings: Postings<'a>, weight: f32, counts: Counts) -> Self {
        Self {
            postings,
            at: 0,
            weight,
            counts,
        }
    }

    /// Returns the next document, or [`TERMINATED`].
    fn document(&self) -> u32 {
        let documents = self.postings.documents();
        documents.get(self.at).copied().unwrap_or(TERMINATED)
    }
}

/// Returns how many of the cursors, sorted by descending weight, are essential: a document that none of them
/// matches cannot matter, since the weights of the other cursors add up to less than the lowest score that
/// matters.
pub(super) fn essential(cursors: &[Cursor<'_>], least: f32) -> usize {
    let mut rest = 0.0;
    let optional = cursors.iter().rev().take_while(|cursor| {
        rest += cursor.weight;
        rest < least
    });
    let essential = cursors.len() - optional.count();
    // A document that has the whole query matters with any score.
    let counting = cursors.iter().position(|cursor| cursor.counts.terms > 0);
    essential.max(counting.map_or(0, |at| at + 1))
}

/// How a term frequency becomes a share of the term's weight.
pub(super) struct Scoring<'a> {
    /// The length id of every document.
    pub(super) lengths: &'a [u8],
    /// BM25's length normalisation, by length id.
    pub(super) norms: &'a [f32; 256],
}

impl Scoring<'_> {
    #[inline(always)]
    fn share(&self, document: u32, frequency: u32) -> f32 {
        let length = self.lengths.get(document as usize).copied().unwrap_or(0);
        let norm = self.norms.get(usize::from(length)).copied().unwrap_or(1.0);
        let frequency = frequency as f32;
        frequency / (frequency + norm)
    }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    score: f32,
    counts: Counts,
}

/// A matched document with its sums.
pub(super) struct MatchedDocument {
    pub(super) number: u32,
    pub(super) score: f32,
    pub(super) counts: Counts,
}

/// The sums of a window of documents.
pub(super) struct Window {
    start: u32,
    sums: Box<[Sum; WIDTH]>,
    /// One bit for every document that was matched.
    matched: [u64; WIDTH / WORD],
}

impl Default for Window {
    fn default() -> Self {
        Self {
            start: 0,
            sums: Box::new([Sum::default(); WIDTH]),
            matched: [0; WIDTH / WORD],
        }
    }
}

impl Window {
    /// Moves to the next documents that the first `essential` cursors match, and sums up the scores from all
    /// cursors; returns `false` if there are none left.
    pub(super) fn fill(
        &mut self,
        cursors: &mut [Cursor<'_>],
        essential: usize,
        scoring: &Scoring<'_>,
    ) -> bool {
        let (essential, optional) = cursors.split_at_mut(essential.min(cursors.len()));
        let first = essential.iter().map(Cursor::document).min();
        let Some(first) = first.filter(|document| *document != TERMINATED) else {
            return false;
        };
        self.start = first;
        for cursor in essential {
            self.add(cursor, scoring);
        }
        for cursor in optional {
            self.add_to_matched(cursor, scoring);
        }
        true
    }

    /// Calls `visit` with every matched document, and empties the window.
    pub(super) fn drain(&mut self, mut visit: impl FnMut(MatchedDocument)) {
        let words = self
            .matched
            .iter_mut()
            .zip(self.sums.as_chunks_mut::<WORD>().0);
        for ((word, sums), at) in words.zip((self.start..).step_by(WORD)) {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                if let Some(sum) = sums.get_mut(bit as usize).map(std::mem::take) {
                    visit(MatchedDocument {
                        number: at + bit,
                        score: sum.score,
                        counts: sum.counts,
                    });
                }
            }
        }
    }

    /// Adds a term's postings in the window.
    fn add(&mut self, cursor: &mut Cursor<'_>, scoring: &Scoring<'_>) {
        let end = self.start.saturating_add(WIDTH as u32);
        while cursor.document() < end {
            let documents = cursor.postings.documents();
            let here = documents.get(cursor.at..).unwrap_or_default();
            let count = within(here, end);
            let frequencies = cursor.postings.frequencies().get(cursor.at..);
            let pairs = here.iter().zip(frequencies.unwrap_or_default());
            for (document, frequency) in pairs.take(count) {
                let at = (document - self.start) as usize % WIDTH;
                if let (Some(sum), Some(word)) =
                    (self.sums.get_mut(at), self.matched.get_mut(at / WORD))
                {
                    sum.score += cursor.weight * scoring.share(*document, *frequency);
                    sum.counts += cursor.counts;
                    *word |= 1 << (at % WORD);
                }
            }
            cursor.at += count;
            if cursor.at == documents.len() {
                cursor.postings.advance();
                cursor.at = 0;
            }
        }
    }

    /// Adds a term's postings of documents that were already matched; skips blocks without any.
    fn add_to_matched(&mut self, cursor: &mut Cursor<'_>, scoring: &Scoring<'_>) {
        let end = self.start.saturating_add(WIDTH as u32);
        let mut next = self.next_matched(0);
        while let Some(document) = next {
            let at = cursor.postings.seek(document);
            let documents = cursor.postings.documents();
            let here = documents.get(at..).unwrap_or_default();
            let Some(last) = here.last().copied() else {
                return;
            };
            let count = within(here, end);
            let frequencies = cursor.postings.frequencies().get(at..);
            let pairs = here.iter().zip(frequencies.unwrap_or_default());
            for (document, frequency) in pairs.take(count) {
                let at = (document - self.start) as usize % WIDTH;
                let is_matched = self
                    .matched
                    .get(at / WORD)
                    .is_some_and(|w| w >> (at % WORD) & 1 == 1);
                if let Some(sum) = self.sums.get_mut(at).filter(|_| is_matched) {
                    sum.score += cursor.weight * scoring.share(*document, *frequency);
                    sum.counts += cursor.counts;
                }
            }
            if last >= end {
                return;
            }
            next = self.next_matched((last - self.start) as usize + 1);
        }
    }

    /// Returns the first document that was matched, from a position in the window on.
    fn next_matched(&self, from: usize) -> Option<u32> {
        let words = self.matched.iter().enumerate().skip(from / WORD);
        let mut mask = u64::MAX << (from % WORD);
        for (at, word) in words {
            let bits = word & std::mem::replace(&mut mask, u64::MAX);
            if bits != 0 {
                return Some(self.start + (at * WORD) as u32 + bits.trailing_zeros());
            }
        }
        None
    }
}

/// Returns how many of the documents come before `end`; for most blocks that is all of them.
fn within(documents: &[u32], end: u32) -> usize {
    match documents.last() {
        Some(last) if *last >= end => documents.partition_point(|document| *document < end),
        _ => documents.len(),
    }
}
