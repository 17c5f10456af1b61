//! Sums the scores of a stretch of documents at a time, so that the sums stay in the processor's
//! nearest cache however many documents there are.
//!
//! Which documents can still matter is decided with upper bounds. Source: Turtle and Flood, "Query
//! evaluation: strategies and optimizations" (1995), "MaxScore".

use tantivy::{TERMINATED, postings::BlockSegmentPostings};

/// Documents summed up at a time; their sums take 16 KiB.
const WIDTH: usize = 2_048;
/// Bits of a word of the set of documents that were met.
const WORD: usize = u64::BITS as usize;

/// Postings of a term: documents in ascending order with term frequencies, a block at a time.
pub(super) enum Postings<'a> {
    /// Of a segment on disk.
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

    /// Goes to the next block, which is empty behind the last one.
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

    /// Goes to the block in which a document would be, and returns the place of the first one that
    /// does not come before it.
    fn seek(&mut self, document: u32) -> usize {
        match self {
            Self::Base(postings) => postings.seek(document),
            Self::Delta { documents, .. } => documents.partition_point(|d| *d < document),
        }
    }
}

/// What a term is besides its weight; of a record, the sums over its terms.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// 1 if a record must have the term to have the whole query.
    pub(super) terms: u16,
    /// The weight, rounded, if the term is an identifier, a code or an error message.
    pub(super) exact: u16,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.terms += other.terms;
        self.exact = self.exact.saturating_add(other.exact);
    }
}

/// A term's postings and how far they were walked.
pub(super) struct Cursor<'a> {
    postings: Postings<'a>,
    /// Place in the block.
    at: usize,
    /// What the term adds to a score at most.
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

    /// The next document, or [`TERMINATED`].
    fn document(&self) -> u32 {
        let documents = self.postings.documents();
        documents.get(self.at).copied().unwrap_or(TERMINATED)
    }
}

/// How many of the cursors, which come with falling weights, a document must be met by to matter:
/// those after them add up to less than the least score, so they only add to others' documents.
pub(super) fn essential(cursors: &[Cursor<'_>], least: f32) -> usize {
    let mut rest = 0.0;
    let optional = cursors.iter().rev().take_while(|cursor| {
        rest += cursor.weight;
        rest < least
    });
    let essential = cursors.len() - optional.count();
    // Who has the whole query matters with any score.
    let counting = cursors.iter().position(|cursor| cursor.counts.terms > 0);
    essential.max(counting.map_or(0, |at| at + 1))
}

/// How a posting becomes a score.
pub(super) struct Scoring<'a> {
    /// Length id of every document.
    pub(super) lengths: &'a [u8],
    /// By length id: what the term frequency is weighed against.
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

/// What a document of the window has of the query.
pub(super) struct Met {
    pub(super) document: u32,
    pub(super) score: f32,
    pub(super) counts: Counts,
}

/// The sums of a stretch of documents.
pub(super) struct Window {
    start: u32,
    sums: Box<[Sum; WIDTH]>,
    /// A bit for every document that was met.
    met: [u64; WIDTH / WORD],
}

impl Default for Window {
    fn default() -> Self {
        Self {
            start: 0,
            sums: Box::new([Sum::default(); WIDTH]),
            met: [0; WIDTH / WORD],
        }
    }
}

impl Window {
    /// Moves to the next documents that the first so many cursors meet, and sums up what all of
    /// them give; `false` when there is none left.
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
            self.add_to_met(cursor, scoring);
        }
        true
    }

    /// Hands out what was summed up, and empties the window.
    pub(super) fn drain(&mut self, mut take: impl FnMut(Met)) {
        let words = self.met.iter_mut().zip(self.sums.as_chunks_mut::<WORD>().0);
        for ((word, sums), at) in words.zip((self.start..).step_by(WORD)) {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                if let Some(sum) = sums.get_mut(bit as usize).map(std::mem::take) {
                    take(Met {
                        document: at + bit,
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
                    (self.sums.get_mut(at), self.met.get_mut(at / WORD))
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

    /// Adds a term's postings of documents that were met already; blocks without any are skipped.
    fn add_to_met(&mut self, cursor: &mut Cursor<'_>, scoring: &Scoring<'_>) {
        let end = self.start.saturating_add(WIDTH as u32);
        let mut next = self.next_met(0);
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
                let is_met = self
                    .met
                    .get(at / WORD)
                    .is_some_and(|w| w >> (at % WORD) & 1 == 1);
                if let Some(sum) = self.sums.get_mut(at).filter(|_| is_met) {
                    sum.score += cursor.weight * scoring.share(*document, *frequency);
                    sum.counts += cursor.counts;
                }
            }
            if last >= end {
                return;
            }
            next = self.next_met((last - self.start) as usize + 1);
        }
    }

    /// The first document that was met, from a place of the window on.
    fn next_met(&self, from: usize) -> Option<u32> {
        let words = self.met.iter().enumerate().skip(from / WORD);
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

/// How many of the documents come before an end; of a whole block mostly all.
fn within(documents: &[u32], end: u32) -> usize {
    match documents.last() {
        Some(last) if *last >= end => documents.partition_point(|document| *document < end),
        _ => documents.len(),
    }
}
