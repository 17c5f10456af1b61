//! Finds every anchor in one pass over a text: three bytes at a time through a table of bits, and
//! only where one is set is anything compared.
//!
//! An automaton over all anchors would take milliseconds to build and a cache to run in; this takes
//! neither. Case is ignored in ASCII.

use std::ops::Range;

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
    Anchor(u32),
    /// One of the bytes of [`Anchors::watch`].
    Watched,
}

/// The anchors, indexed.
#[derive(Debug)]
pub(crate) struct Anchors {
    anchors: Vec<Anchor>,
    gate: Box<[u64; 1 << (GATE_BITS - 6)]>,
    /// The telling three bytes of each anchor, in order.
    grams: Vec<Gram>,
    /// Where in `grams` those begin whose hash begins with a number.
    starts: Box<[u32; 257]>,
    /// Anchors of two bytes, and of one.
    pairs: Vec<(u16, u32)>,
    /// Which of 64 kinds of pairs there are, as bits.
    pair_kinds: u64,
    singles: Vec<(u8, u32)>,
    /// What each byte is for the pass.
    kinds: Box<[u8; 256]>,
}

/// An anchor in lower case, not empty.
#[derive(Debug)]
pub(crate) struct Anchor {
    pub(crate) text: Box<[u8]>,
    /// What may stand beside it. Anchors of one or two bytes are frequent in any text; longer ones
    /// are reported whatever stands there.
    pub(crate) before: Bytes,
    pub(crate) after: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Gram {
    hash: u16,
    bytes: u32,
    anchor: u32,
    /// Where in the anchor the three bytes stand.
    offset: u8,
}

/// The byte is an anchor.
const SINGLE: u8 = 1;
/// The byte is watched for wherever it stands.
const ALWAYS: u8 = 2;
/// The byte is watched for where a word begins.
const AT_WORD: u8 = 4;
/// The byte may stand behind one that is watched for.
const SECOND: u8 = 8;
/// How far to the left a byte's kind says what the next one is looked at for.
const NEXT: u32 = 4;
/// What a byte is looked at for behind a letter, and behind anything else.
const INSIDE_WORD: u8 = SINGLE | ALWAYS;
const OUTSIDE_WORD: u8 = SINGLE | ALWAYS | AT_WORD;

impl Anchors {
    /// Indexes anchors.
    pub(crate) fn new(anchors: impl Iterator<Item = Anchor>) -> Self {
        let anchors: Vec<Anchor> = anchors.collect();
        let mut index = Self {
            gate: Box::new([0; 1 << (GATE_BITS - 6)]),
            grams: Vec::with_capacity(anchors.len()),
            starts: Box::new([0; 257]),
            pairs: Vec::new(),
            pair_kinds: 0,
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
            let passed = |gram: &Gram| u32::from(gram.hash >> 8) < start;
            *place = index.grams.partition_point(passed) as u32;
        }
        index.anchors = anchors;
        index
    }

    fn add(&mut self, number: u32, anchor: &Anchor) {
        match anchor.text.as_ref() {
            [] => {}
            [byte] => {
                self.mark(byte.to_ascii_lowercase(), SINGLE);
                self.mark(byte.to_ascii_uppercase(), SINGLE);
                self.singles.push((byte.to_ascii_lowercase(), number));
            }
            [first, second] => {
                let pair = u32::from(fold(*first)) | u32::from(fold(*second)) << 8;
                self.pairs.push((pair as u16, number));
                self.pair_kinds |= 1 << pair_kind(pair);
                let before = (0..=u8::MAX).filter(|byte| anchor.before.contains(*byte));
                for before in before {
                    self.open(hash(pair << 8 | u32::from(fold(before))));
                }
                // Where the text begins there is no byte before.
                self.open(hash(pair << 8));
            }
            text => {
                let (offset, bytes) = telling(text);
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

    /// Reports the first byte of `places` too where the second stands behind it: anywhere, or only
    /// where a word begins.
    pub(crate) fn watch(&mut self, places: &[Bytes], at_word: bool) {
        let kinds = [if at_word { AT_WORD } else { ALWAYS }, SECOND];
        for (bytes, kind) in places.iter().zip(kinds) {
            for byte in (0..=u8::MAX).filter(|byte| bytes.contains(*byte)) {
                self.mark(byte, kind);
            }
        }
    }

    /// Returns the length of an anchor, in bytes.
    pub(crate) fn length(&self, anchor: u32) -> usize {
        self.anchors
            .get(anchor as usize)
            .map_or(0, |anchor| anchor.text.len())
    }

    /// Adds every anchor and watched byte of the text to `hits`, in order of their beginning.
    pub(crate) fn find(&self, text: &str, hits: &mut Vec<Hit>) {
        let bytes = text.as_bytes();
        let (mut three, mut looked_for, mut second) = (0_u32, OUTSIDE_WORD, 0);
        for (at, byte) in bytes.iter().enumerate() {
            three = three >> 8 | u32::from(fold(*byte)) << 16;
            let hash = hash(three);
            let kind = self.kinds.get(usize::from(*byte)).copied().unwrap_or(0);
            let word = self.gate.get(usize::from(hash >> 6)).copied().unwrap_or(0);
            let now = kind & looked_for;
            let report = now & SINGLE | kind & second;
            if word >> (hash & 63) & 1 != 0 || report != 0 {
                self.look(bytes, at, (three, report), hits);
            }
            looked_for = kind >> NEXT;
            second = if now & (ALWAYS | AT_WORD) != 0 {
                SECOND
            } else {
                0
            };
        }
        if let (SECOND, Some(last)) = (second, bytes.len().checked_sub(1)) {
            push(hits, last, Found::Watched);
        }
    }

    /// Compares what ends at `at` with the anchors it may be the telling part of.
    #[inline(never)]
    fn look(&self, text: &[u8], at: usize, (three, report): (u32, u8), hits: &mut Vec<Hit>) {
        if let (true, Some(first)) = (report & SECOND != 0, at.checked_sub(1)) {
            push(hits, first, Found::Watched);
        }
        if report & SINGLE != 0 {
            let byte = text.get(at).map_or(0, u8::to_ascii_lowercase);
            let single = self.singles.iter().find(|(single, _)| *single == byte);
            if let Some((_, anchor)) = single {
                self.confirm_short(text, at..at + 1, *anchor, hits);
            }
        }
        let bucket = usize::from(hash(three) >> 8);
        if let (Some(from), Some(to)) = (self.starts.get(bucket), self.starts.get(bucket + 1)) {
            let grams = self.grams.get(*from as usize..*to as usize);
            for gram in grams.unwrap_or_default() {
                if gram.bytes == three {
                    let start = at.checked_sub(usize::from(gram.offset) + 2);
                    self.confirm(text, start, gram.anchor, hits);
                }
            }
        }
        let pairs = if self.pair_kinds >> pair_kind(three >> 8) & 1 == 1 {
            self.pairs.as_slice()
        } else {
            &[]
        };
        for (pair, anchor) in pairs {
            if let (true, Some(start)) = (three >> 8 == u32::from(*pair), at.checked_sub(1)) {
                self.confirm_short(text, start..at + 1, *anchor, hits);
            }
        }
    }

    fn confirm(&self, text: &[u8], start: Option<usize>, number: u32, hits: &mut Vec<Hit>) {
        if let Some(start) = start
            && let Some(anchor) = self.anchors.get(number as usize)
            && let Some(found) = text.get(start..start + anchor.text.len())
            && found.eq_ignore_ascii_case(&anchor.text)
        {
            push(hits, start, Found::Anchor(number));
        }
    }

    fn confirm_short(&self, text: &[u8], span: Range<usize>, number: u32, hits: &mut Vec<Hit>) {
        if let Some(anchor) = self.anchors.get(number as usize)
            && text
                .get(span.end)
                .is_none_or(|byte| anchor.after.contains(*byte))
            && span
                .start
                .checked_sub(1)
                .and_then(|before| text.get(before))
                .is_none_or(|byte| anchor.before.contains(*byte))
        {
            self.confirm(text, Some(span.start), number, hits);
        }
    }
}

/// Adds a hit where it belongs: anchors are met in the order of their telling bytes, which is nearly
/// that of their beginnings.
fn push(hits: &mut Vec<Hit>, start: usize, anchor: Found) {
    let place = hits
        .iter()
        .rev()
        .take_while(|hit| hit.start > start)
        .count();
    match place {
        0 => hits.push(Hit { start, anchor }),
        _ => hits.insert(hits.len() - place, Hit { start, anchor }),
    }
}

/// Letters in either case are the same; so are a few other bytes, which comparing tells apart.
#[inline]
const fn fold(byte: u8) -> u8 {
    byte | 0x20
}

#[inline]
fn hash(three: u32) -> u16 {
    (three.wrapping_mul(0x9e37_79b1) >> (32 - GATE_BITS)) as u16
}

#[inline]
const fn pair_kind(pair: u32) -> u32 {
    pair.wrapping_mul(0x9e37_79b1) >> 26
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
