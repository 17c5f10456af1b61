//! Finds every anchor in one pass over a text: three bytes at a time through a table of bits, and
//! only where one is set is anything compared.
//!
//! An automaton over all anchors would take milliseconds to build and a cache to run in; this takes
//! neither. Case is ignored in ASCII.

use crate::shape::Bytes;
use crate::wordlike;

/// Bits of the gate, as a power of two: 8 KiB, which stay in the first cache.
const GATE_BITS: u32 = 16;

/// What is found: an anchor by its number, and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) anchor: Found,
}

/// What stands at a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// The anchor of this number.
    Anchor(u16),
    /// One of the bytes of [`Anchors::watch`].
    Watched,
}

/// The anchors, indexed.
#[derive(Debug)]
pub(crate) struct Anchors {
    anchors: Vec<Box<[u8]>>,
    gate: Box<[u64; 1 << (GATE_BITS - 6)]>,
    /// The telling three bytes of each anchor, in order.
    grams: Vec<Gram>,
    /// Where in `grams` those begin whose hash begins with a number.
    starts: Box<[u16; 257]>,
    /// Anchors of two bytes.
    pairs: Vec<(u16, u16)>,
    /// Anchors of one byte.
    singles: Vec<(u8, u16)>,
    /// What each byte is for the pass.
    kinds: Box<[u8; 256]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Gram {
    hash: u16,
    bytes: u32,
    anchor: u16,
    /// Where in the anchor the three bytes stand.
    offset: u8,
}

/// The byte is an anchor.
const SINGLE: u8 = 1;
/// The byte is watched for wherever it stands.
const ALWAYS: u8 = 2;
/// The byte is watched for where a word begins.
const AT_WORD: u8 = 4;
/// How far to the left a byte's kind says what the next one is looked at for.
const NEXT: u32 = 4;
/// What a byte is looked at for behind a letter, and behind anything else.
const INSIDE_WORD: u8 = SINGLE | ALWAYS;
const OUTSIDE_WORD: u8 = SINGLE | ALWAYS | AT_WORD;

impl Anchors {
    /// Indexes anchors in lower case, none of them empty.
    pub(crate) fn new<'a>(anchors: impl Iterator<Item = &'a str>) -> Self {
        let anchors: Vec<Box<[u8]>> = anchors.map(|anchor| anchor.as_bytes().into()).collect();
        let mut index = Self {
            gate: Box::new([0; 1 << (GATE_BITS - 6)]),
            grams: Vec::with_capacity(anchors.len()),
            starts: Box::new([0; 257]),
            pairs: Vec::new(),
            singles: Vec::new(),
            kinds: Box::new([0; 256]),
            anchors: Vec::new(),
        };
        for (byte, kind) in (0..=u8::MAX).zip(index.kinds.iter_mut()) {
            let word = byte.is_ascii_alphanumeric() || byte == b'_';
            *kind = if word { INSIDE_WORD } else { OUTSIDE_WORD } << NEXT;
        }
        for (number, anchor) in (0..).zip(&anchors) {
            index.add(number, anchor);
        }
        index.grams.sort_unstable();
        for (start, place) in (0..).zip(index.starts.iter_mut()) {
            let passed = index
                .grams
                .partition_point(|gram| u32::from(gram.hash >> 8) < start);
            *place = passed as u16;
        }
        index.anchors = anchors;
        index
    }

    fn add(&mut self, number: u16, anchor: &[u8]) {
        match anchor {
            [] => {}
            [byte] => {
                self.singles.push((*byte, number));
                self.singles.push((byte.to_ascii_uppercase(), number));
                self.singles.dedup();
                self.mark(byte.to_ascii_lowercase(), SINGLE);
                self.mark(byte.to_ascii_uppercase(), SINGLE);
            }
            [first, second] => {
                let pair = u32::from(fold(*first)) | u32::from(fold(*second)) << 8;
                self.pairs.push((pair as u16, number));
                // The byte before the pair may be any, or none where the text begins.
                for before in 0..=u8::MAX {
                    self.open(hash(pair << 8 | u32::from(fold(before))));
                }
                self.open(hash(pair << 8));
            }
            _ => {
                let (offset, bytes) = telling(anchor);
                let hash = hash(bytes);
                self.open(hash);
                self.grams.push(Gram {
                    hash,
                    bytes,
                    anchor: number,
                    offset,
                });
            }
        }
    }

    fn open(&mut self, hash: u16) {
        if let Some(word) = self.gate.get_mut(usize::from(hash >> 6)) {
            *word |= 1 << (hash & 63);
        }
    }

    fn mark(&mut self, byte: u8, kind: u8) {
        if let Some(place) = self.kinds.get_mut(usize::from(byte)) {
            *place |= kind;
        }
    }

    /// Reports these bytes too, wherever they stand or only where a word begins.
    pub(crate) fn watch(&mut self, bytes: &Bytes, at_word: bool) {
        let kind = if at_word { AT_WORD } else { ALWAYS };
        for byte in (0..=u8::MAX).filter(|byte| bytes.contains(*byte)) {
            self.mark(byte, kind);
        }
    }

    /// Returns the length of an anchor, in bytes.
    pub(crate) fn length(&self, anchor: u16) -> usize {
        self.anchors
            .get(usize::from(anchor))
            .map_or(0, |anchor| anchor.len())
    }

    /// Adds every anchor and watched byte of the text to `hits`, in order of their beginning.
    pub(crate) fn find(&self, text: &str, hits: &mut Vec<Hit>) {
        let bytes = text.as_bytes();
        let (mut three, mut looked_for) = (0_u32, OUTSIDE_WORD);
        for (at, byte) in bytes.iter().enumerate() {
            three = three >> 8 | u32::from(fold(*byte)) << 16;
            let hash = hash(three);
            let kind = self.kinds.get(usize::from(*byte)).copied().unwrap_or(0);
            let word = self.gate.get(usize::from(hash >> 6)).copied().unwrap_or(0);
            if word >> (hash & 63) & 1 != 0 || kind & looked_for != 0 {
                self.look(bytes, at, (three, kind & looked_for), hits);
            }
            looked_for = kind >> NEXT;
        }
        if !hits.is_sorted_by_key(|hit| hit.start) {
            hits.sort_by_key(|hit| hit.start);
        }
    }

    /// Compares what ends at `at` with the anchors it may be the telling part of.
    #[inline(never)]
    fn look(&self, text: &[u8], at: usize, (three, kind): (u32, u8), hits: &mut Vec<Hit>) {
        if kind & !SINGLE != 0 {
            let anchor = Found::Watched;
            hits.push(Hit { start: at, anchor });
        }
        if kind & SINGLE != 0 {
            let byte = text.get(at).copied().unwrap_or(0);
            let single = self.singles.iter().find(|(single, _)| *single == byte);
            hits.extend(single.map(|(_, anchor)| Hit {
                start: at,
                anchor: Found::Anchor(*anchor),
            }));
        }
        let bucket = usize::from(hash(three) >> 8);
        let (Some(from), Some(to)) = (self.starts.get(bucket), self.starts.get(bucket + 1)) else {
            return;
        };
        let grams = self.grams.get(usize::from(*from)..usize::from(*to));
        for gram in grams.unwrap_or_default() {
            if gram.bytes == three {
                let start = at.checked_sub(usize::from(gram.offset) + 2);
                hits.extend(start.and_then(|start| self.confirm(text, start, gram.anchor)));
            }
        }
        for (pair, anchor) in &self.pairs {
            if three >> 8 == u32::from(*pair) {
                let start = at.checked_sub(1);
                hits.extend(start.and_then(|start| self.confirm(text, start, *anchor)));
            }
        }
    }

    fn confirm(&self, text: &[u8], start: usize, anchor: u16) -> Option<Hit> {
        let bytes = self.anchors.get(usize::from(anchor))?;
        text.get(start..start + bytes.len())?
            .eq_ignore_ascii_case(bytes)
            .then_some(Hit {
                start,
                anchor: Found::Anchor(anchor),
            })
    }
}

/// Letters in either case are the same; so are a few other bytes, which comparing tells apart.
const fn fold(byte: u8) -> u8 {
    byte | 0x20
}

fn hash(three: u32) -> u16 {
    (three.wrapping_mul(0x9e37_79b1) >> (32 - GATE_BITS)) as u16
}

/// The three bytes of an anchor that are least usual in words, and where they stand.
fn telling(anchor: &[u8]) -> (u8, u32) {
    let mut best = (f32::MIN, 0, 0);
    for (offset, window) in (0..=u8::MAX - 2).zip(anchor.windows(3)) {
        let bytes = window
            .iter()
            .rev()
            .fold(0, |bytes, byte| bytes << 8 | u32::from(fold(*byte)));
        let rarity = rarity(window);
        if rarity > best.0 {
            best = (rarity, offset, bytes);
        }
    }
    (best.1, best.2)
}

/// How unusual bytes in a row are: letters by their neighbours, anything else more than any letter.
fn rarity(window: &[u8]) -> f32 {
    const BEYOND_LETTERS: f32 = 9.0;
    let letters: Vec<u8> = window
        .iter()
        .copied()
        .filter(u8::is_ascii_alphabetic)
        .collect();
    let others = (window.len() - letters.len()) as f32 * BEYOND_LETTERS;
    let letters =
        std::str::from_utf8(&letters).map_or(0.0, |run| wordlike::surprise(run) * run.len() as f32);
    letters + others
}
