//! Finds every anchor in one pass over a text: three bytes at a time through a table of bits, and
//! only where one is set is anything compared.
//!
//! An automaton over all anchors would take milliseconds to build and a cache to run in; this takes
//! neither. Case is ignored in ASCII.

mod telling;

use std::ops::Range;

use telling::telling;

use crate::rules::shape::Bytes;

/// Bits of the gate, as a power of two: 8 KiB, which stay in the first cache.
const GATE_BITS: u32 = 16;

/// One bit for each number of 16 bits.
type Bits = [u64; 1 << (GATE_BITS - 6)];

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
    gates: Box<Gates>,
    /// The telling three bytes of each anchor, in order.
    grams: Vec<Gram>,
    /// Where in `grams` those begin whose hash begins with a number.
    starts: Vec<u32>,
    /// How many bits of a hash are not part of that number.
    rest: u32,
    /// Anchors of two bytes, in the order of their kinds.
    pairs: Vec<(u16, u32)>,
    /// Where in `pairs` each of the kinds begins.
    pair_starts: [u32; PAIR_KINDS + 1],
    /// Which pairs there may be, by their hash.
    pair_gate: [u64; 1 << (PAIR_BITS - 6)],
    /// For each byte the anchor that it is, or [`NONE`].
    singles: Box<[u32; 256]>,
    /// First and second bytes that are watched for.
    watched: Watched,
}

/// What says at once of most places that nothing ends there.
#[derive(Debug)]
struct Gates {
    /// Which three bytes may be the telling ones of an anchor, by their hash.
    telling: Bits,
    /// Which two bytes end at something else to report: a shorter anchor, a watched place.
    eyed: Bits,
}

/// How many kinds of pairs are told apart.
const PAIR_KINDS: usize = 64;

/// Bits of the hash of a pair.
const PAIR_BITS: u32 = 10;

/// No anchor.
const NONE: u32 = u32::MAX;

/// An anchor in lower case, not empty.
#[derive(Debug)]
pub(crate) struct Anchor {
    pub(crate) text: Box<[u8]>,
    /// What may stand beside it. Anchors of one or two bytes are frequent in any text; longer ones
    /// are reported whatever stands there.
    pub(crate) before: Bytes,
    pub(crate) after: Bytes,
}

/// The beginning of an anchor as a number, which is compared at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    bytes: u64,
    mask: u64,
}

/// How many bytes of an anchor are compared at once.
const HEAD: usize = size_of::<u64>();

/// What [`fold`] adds to each byte of a head.
const FOLDED: u64 = 0x2020_2020_2020_2020;

impl Head {
    fn of(anchor: &[u8]) -> Self {
        let (mut head, mut mask) = ([0; HEAD], [0; HEAD]);
        for ((byte, head), mask) in anchor.iter().zip(&mut head).zip(&mut mask) {
            (*head, *mask) = (fold(*byte), u8::MAX);
        }
        Self {
            bytes: u64::from_le_bytes(head),
            mask: u64::from_le_bytes(mask),
        }
    }

    /// Whether a text may begin with the anchor.
    #[inline]
    fn may_begin(&self, text: &[u8]) -> bool {
        text.first_chunk::<HEAD>()
            .is_none_or(|head| (u64::from_le_bytes(*head) | FOLDED) & self.mask == self.bytes)
    }
}

impl Anchor {
    /// Whether the anchor stands at `start`.
    fn stands(&self, text: &[u8], start: usize) -> bool {
        let found = text.get(start..start + self.text.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(&self.text))
    }

    /// Whether what stands around `span` may stand beside the anchor.
    fn may_stand(&self, text: &[u8], span: &Range<usize>) -> bool {
        let before = span
            .start
            .checked_sub(1)
            .and_then(|before| text.get(before));
        before.is_none_or(|byte| self.before.contains(*byte))
            && text
                .get(span.end)
                .is_none_or(|byte| self.after.contains(*byte))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Gram {
    hash: u16,
    /// The three bytes with the one before them in the lowest place, where there is one.
    bytes: u32,
    mask: u32,
    anchor: u32,
    /// Where in the anchor the three bytes stand.
    offset: u8,
    head: Head,
}

impl Gram {
    /// Whether the last of four folded bytes are the telling ones.
    #[inline]
    fn is(&self, last: u32) -> bool {
        (last ^ self.bytes) & self.mask == 0
    }
}

/// Places that are watched for by their first two bytes.
#[derive(Debug)]
struct Watched {
    /// For each of the two bytes which places allow it, as bits.
    places: Box<[[u32; 256]; 2]>,
    /// Those that are only where a word begins.
    at_word: u32,
    count: u32,
}

impl Watched {
    fn new() -> Self {
        Self {
            places: Box::new([[0; 256]; 2]),
            at_word: 0,
            count: 0,
        }
    }

    fn add(&mut self, places: &[Bytes; 2], at_word: bool) {
        let bit = 1_u32.checked_shl(self.count).unwrap_or(0);
        for (allowed, table) in places.iter().zip(self.places.iter_mut()) {
            for (byte, places) in (0..=u8::MAX).zip(table) {
                *places |= if allowed.contains(byte) { bit } else { 0 };
            }
        }
        self.at_word |= if at_word { bit } else { 0 };
        self.count += 1;
    }

    /// Whether a place begins with the last two of these bytes.
    #[inline]
    fn begins(&self, [_, before, first, second]: [u8; 4]) -> bool {
        let [firsts, seconds] = &*self.places;
        let both = firsts.get(usize::from(first)).copied().unwrap_or(0)
            & seconds.get(usize::from(second)).copied().unwrap_or(0);
        both != 0 && both & self.allowed(before) != 0
    }

    /// The same where the text ends behind the first byte.
    fn begins_at_end(&self, [_, _, before, first]: [u8; 4]) -> bool {
        let [firsts, _] = &*self.places;
        let first = firsts.get(usize::from(first)).copied().unwrap_or(0);
        first & self.allowed(before) != 0
    }

    /// The places that may stand behind a byte.
    #[inline]
    fn allowed(&self, before: u8) -> u32 {
        match before.is_ascii_alphanumeric() || before == b'_' {
            true => !self.at_word,
            false => u32::MAX,
        }
    }
}

impl Anchors {
    /// Indexes anchors.
    pub(crate) fn new(anchors: impl Iterator<Item = Anchor>) -> Self {
        let anchors: Vec<Anchor> = anchors.collect();
        let mut index = Self {
            gates: Box::new(Gates {
                telling: [0; 1 << (GATE_BITS - 6)],
                eyed: [0; 1 << (GATE_BITS - 6)],
            }),
            grams: Vec::with_capacity(anchors.len()),
            starts: Vec::new(),
            rest: 0,
            pairs: Vec::new(),
            pair_starts: [0; PAIR_KINDS + 1],
            pair_gate: [0; 1 << (PAIR_BITS - 6)],
            singles: Box::new([NONE; 256]),
            watched: Watched::new(),
            anchors: Vec::new(),
        };
        for (number, anchor) in (0..).zip(&anchors) {
            index.add(number, anchor);
        }
        index.grams.sort_unstable();
        index.find_starts();
        let kind = |(pair, _): &(u16, u32)| pair_kind(u32::from(*pair));
        index.pairs.sort_by_key(kind);
        for (start, place) in (0..).zip(&mut index.pair_starts) {
            *place = index.pairs.partition_point(|pair| kind(pair) < start) as u32;
        }
        index.anchors = anchors;
        index
    }

    fn add(&mut self, number: u32, anchor: &Anchor) {
        match anchor.text.as_ref() {
            [] => {}
            [byte] => self.add_single(*byte, number, anchor),
            [first, second] => {
                let pair = u32::from(fold(*first)) << 8 | u32::from(fold(*second));
                self.pairs.push((pair as u16, number));
                let hash = pair_hash(pair);
                if let Some(word) = self.pair_gate.get_mut(hash >> 6) {
                    *word |= 1 << (hash & 63);
                }
                for first in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
                    for second in [second.to_ascii_lowercase(), second.to_ascii_uppercase()] {
                        open(&mut self.gates.eyed, u16::from_le_bytes([first, second]));
                    }
                }
            }
            text => {
                let (offset, three) = telling(text);
                let hash = hash(three);
                open(&mut self.gates.telling, hash);
                let before = usize::from(offset).checked_sub(1);
                let before = before.and_then(|before| text.get(before));
                self.grams.push(Gram {
                    hash,
                    bytes: three << 8 | before.map_or(0, |byte| u32::from(fold(*byte))),
                    mask: u32::MAX << if before.is_some() { 0 } else { 8 },
                    anchor: number,
                    offset,
                    head: Head::of(text),
                });
            }
        }
    }

    /// Notes where the grams of each number begin: there are about twice as many numbers as grams.
    fn find_starts(&mut self) {
        const MOST: u32 = 12;
        let bits = (2 * self.grams.len()).max(1).ilog2().min(MOST);
        self.rest = GATE_BITS - bits;
        self.starts.reserve_exact((1 << bits) + 1);
        for (place, gram) in (0..).zip(&self.grams) {
            let number = usize::from(gram.hash) >> self.rest;
            if self.starts.len() <= number {
                self.starts.resize(number + 1, place);
            }
        }
        self.starts.resize((1 << bits) + 1, self.grams.len() as u32);
    }

    fn add_single(&mut self, byte: u8, number: u32, anchor: &Anchor) {
        for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
            if let Some(single) = self.singles.get_mut(usize::from(byte)) {
                *single = number;
            }
            let before = (0..=u8::MAX).filter(|before| anchor.before.contains(*before));
            // Where the text begins there is no byte before.
            for before in before.chain([0]) {
                open(&mut self.gates.eyed, u16::from_le_bytes([before, byte]));
            }
        }
    }

    /// Reports the first byte of `places` too where the second stands behind it: anywhere, or only
    /// where a word begins.
    pub(crate) fn watch(&mut self, places: &[Bytes; 2], at_word: bool) {
        let all = || 0..=u8::MAX;
        let [first, second] = places;
        for first in all().filter(|byte| first.contains(*byte)) {
            for second in all().filter(|byte| second.contains(*byte)) {
                open(&mut self.gates.eyed, u16::from_le_bytes([first, second]));
            }
        }
        self.watched.add(places, at_word);
    }

    /// Returns the length of an anchor, in bytes.
    pub(crate) fn length(&self, anchor: u32) -> usize {
        self.anchors
            .get(anchor as usize)
            .map_or(0, |anchor| anchor.text.len())
    }

    /// Adds every anchor and watched place of the text to `hits`, in order of their beginning.
    pub(crate) fn find(&self, text: &str, hits: &mut Vec<Hit>) {
        const START: usize = size_of::<u32>() - 1;
        let (bytes, gates) = (text.as_bytes(), &*self.gates);
        let mut last = [0; START + 1];
        for (at, byte) in bytes.iter().enumerate().take(START) {
            last.rotate_left(1);
            last[START] = *byte;
            self.meet(gates, (bytes, at), last, hits);
        }
        for (at, four) in (START..).zip(bytes.array_windows()) {
            self.meet(gates, (bytes, at), *four, hits);
        }
        last = bytes.last_chunk().copied().unwrap_or(last);
        if let Some(end) = bytes.len().checked_sub(1)
            && self.watched.begins_at_end(last)
        {
            push(hits, end, Found::Watched);
        }
    }

    /// Reports what the last of four bytes tells.
    #[inline(always)]
    fn meet(&self, gates: &Gates, (text, at): (&[u8], usize), last: [u8; 4], hits: &mut Vec<Hit>) {
        let number = u32::from_le_bytes(last);
        let folded = number | FOLDED as u32;
        if is_open(&gates.telling, hash(folded >> 8)) {
            self.look(text, at, folded, hits);
        }
        if is_open(&gates.eyed, (number >> 16) as u16) {
            self.eye(text, at, last, hits);
        }
    }

    /// Reports a short anchor that ends at `at`, and a watched place that begins before it.
    #[inline(never)]
    fn eye(&self, text: &[u8], at: usize, last: [u8; 4], hits: &mut Vec<Hit>) {
        let [_, _, first, byte] = last;
        let two = u32::from(fold(first)) << 8 | u32::from(fold(byte));
        let hash = pair_hash(two);
        let pairs = self.pair_gate.get(hash >> 6).copied().unwrap_or(0);
        if pairs >> (hash & 63) & 1 == 1 {
            self.report_pair(text, at, two, hits);
        }
        if at > 0 && self.watched.begins(last) {
            push(hits, at - 1, Found::Watched);
        }
        let number = self.singles.get(usize::from(byte)).copied().unwrap_or(NONE);
        if number != NONE {
            self.report_single(text, at, number, hits);
        }
    }

    #[inline(never)]
    fn report_single(&self, text: &[u8], at: usize, number: u32, hits: &mut Vec<Hit>) {
        if let Some(single) = self.anchors.get(number as usize)
            && single.may_stand(text, &(at..at + 1))
        {
            push(hits, at, Found::Anchor(number));
        }
    }

    #[inline(never)]
    fn report_pair(&self, text: &[u8], at: usize, two: u32, hits: &mut Vec<Hit>) {
        let kind = pair_kind(two);
        let (Some(from), Some(to)) = (self.pair_starts.get(kind), self.pair_starts.get(kind + 1))
        else {
            return;
        };
        let pairs = self.pairs.get(*from as usize..*to as usize);
        for (pair, number) in pairs.unwrap_or_default() {
            if u32::from(*pair) == two
                && let Some(start) = at.checked_sub(1)
                && let Some(anchor) = self.anchors.get(*number as usize)
                && anchor.may_stand(text, &(start..at + 1))
                && anchor.stands(text, start)
            {
                push(hits, start, Found::Anchor(*number));
            }
        }
    }

    /// Compares what ends at `at` with the anchors that the last of four bytes tell.
    #[inline(never)]
    fn look(&self, text: &[u8], at: usize, last: u32, hits: &mut Vec<Hit>) {
        let number = usize::from(hash(last >> 8)) >> self.rest;
        let (Some(from), Some(to)) = (self.starts.get(number), self.starts.get(number + 1)) else {
            return;
        };
        let grams = self.grams.get(*from as usize..*to as usize);
        let grams = grams.unwrap_or_default();
        if let Some(first) = grams.iter().position(|gram| gram.is(last)) {
            let grams = grams.get(first..).unwrap_or_default();
            self.compare(text, at, (last, grams), hits);
        }
    }

    /// Reports the anchors of these grams whose telling bytes end at `at`.
    #[inline(never)]
    fn compare(&self, text: &[u8], at: usize, found: (u32, &[Gram]), hits: &mut Vec<Hit>) {
        let (last, grams) = found;
        for gram in grams.iter().filter(|gram| gram.is(last)) {
            if let Some(start) = at.checked_sub(usize::from(gram.offset) + 2)
                && gram.head.may_begin(text.get(start..).unwrap_or_default())
                && let Some(anchor) = self.anchors.get(gram.anchor as usize)
                && anchor.stands(text, start)
            {
                push(hits, start, Found::Anchor(gram.anchor));
            }
        }
    }
}

fn open(bits: &mut Bits, number: u16) {
    if let Some(word) = bits.get_mut(usize::from(number >> 6)) {
        *word |= 1 << (number & 63);
    }
}

#[inline]
fn is_open(bits: &Bits, number: u16) -> bool {
    let word = bits.get(usize::from(number >> 6)).copied().unwrap_or(0);
    word >> (number & 63) & 1 == 1
}

/// Adds a hit where it belongs: anchors are met in the order of their telling bytes, which is nearly
/// that of their beginnings.
#[inline(never)]
fn push(hits: &mut Vec<Hit>, start: usize, anchor: Found) {
    let hit = Hit { start, anchor };
    match hits.last() {
        Some(last) if last.start > start => {
            let place = hits.iter().rposition(|hit| hit.start <= start);
            hits.insert(place.map_or(0, |place| place + 1), hit);
        }
        _ => hits.push(hit),
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
const fn pair_hash(pair: u32) -> usize {
    (pair.wrapping_mul(0x9e37_79b1) >> (32 - PAIR_BITS)) as usize
}

const fn pair_kind(pair: u32) -> usize {
    (pair_hash(pair) * PAIR_KINDS) >> PAIR_BITS
}
