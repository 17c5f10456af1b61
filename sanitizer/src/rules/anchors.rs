//! Finds every anchor in one pass over a text: three bytes at a time through a table, and only where it
//! has an entry is anything compared.
//!
//! An automaton over all anchors would take milliseconds to build and a cache to run in; this takes
//! neither. Case is ignored in ASCII.

mod anchor;
mod gate;
mod telling;
#[cfg(test)]
mod tests;
mod watched;

use std::ops::Range;

pub(crate) use anchor::Anchor;
use anchor::{FOLDED, Gram, Head};
use gate::{
    BLOCK, Block, Gate, PAIR_BITS, PAIR_KINDS, START, all_beside, beside, closed, entry, fold,
    hash, hashes, open, pair_hash, pair_kind,
};
use telling::telling;
use watched::Watched;

use crate::rules::shape::Bytes;

/// What is found: an anchor by its number, and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) anchor: Found,
}

impl Hit {
    /// The hit after what stood at `from` has come to stand at `to`.
    fn moved(self, from: usize, to: usize) -> Self {
        let start = self.start - from + to;
        Self { start, ..self }
    }
}

/// A replacement: what it replaced in the former text, and where it stands in the present one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) was: Range<usize>,
    pub(crate) is: Range<usize>,
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
    /// Their lengths, in bytes.
    lengths: Vec<u32>,
    gates: Gates,
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
    /// The length of the longest anchor, in bytes; at least that of a watched place.
    longest: usize,
}

/// What says at once of most places that nothing ends there.
#[derive(Debug)]
struct Gates {
    /// By the hash of three bytes: what stands before them, or else behind them, where they are the
    /// telling ones of an anchor, as the bits of [`beside`].
    telling: Gate,
    /// By two bytes: whether something else to report ends there, a shorter anchor or a watched place.
    eyed: Gate,
}

/// No anchor.
const NONE: u32 = u32::MAX;

impl Anchors {
    /// Indexes anchors.
    pub(crate) fn new(anchors: impl Iterator<Item = Anchor>) -> Self {
        let anchors: Vec<Anchor> = anchors.collect();
        let mut index = Self {
            gates: Gates {
                telling: closed(),
                eyed: closed(),
            },
            grams: Vec::with_capacity(anchors.len()),
            starts: Vec::new(),
            rest: 0,
            pairs: Vec::new(),
            pair_starts: [0; PAIR_KINDS + 1],
            pair_gate: [0; 1 << (PAIR_BITS - 6)],
            singles: Box::new([NONE; 256]),
            watched: Watched::new(),
            longest: anchors
                .iter()
                .map(|anchor| anchor.text.len())
                .fold(2, usize::max),
            lengths: Vec::new(),
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
        let lengths = anchors.iter().map(|anchor| anchor.text.len() as u32);
        index.lengths = lengths.collect();
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
                        open(&mut self.gates.eyed, u16::from_le_bytes([first, second]), 1);
                    }
                }
            }
            text => {
                let (offset, three) = telling(text);
                let [one, two, last, _] = three.to_le_bytes();
                let hash = hash([one, two, last]);
                let place = usize::from(offset);
                let before = place.checked_sub(1).and_then(|before| text.get(before));
                let kinds = match (before, text.get(place + 3)) {
                    (None, None) => u8::MAX,
                    (None, after) => beside(None, after),
                    (before, _) => beside(before, None),
                };
                open(&mut self.gates.telling, hash, kinds);
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
        const MOST: u32 = 13;
        let bits = (2 * self.grams.len()).max(1).ilog2().min(MOST);
        self.rest = u16::BITS - bits;
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
                open(&mut self.gates.eyed, u16::from_le_bytes([before, byte]), 1);
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
                open(&mut self.gates.eyed, u16::from_le_bytes([first, second]), 1);
            }
        }
        self.watched.add(places, at_word);
    }

    /// Returns the length of an anchor, in bytes.
    pub(crate) fn length(&self, found: Found) -> usize {
        let Found::Anchor(anchor) = found else {
            return 0;
        };
        let length = self.lengths.get(anchor as usize).copied();
        length.map_or(0, |length| length as usize)
    }

    /// Adds every anchor and watched place of the text to `hits`, in order of their beginning.
    pub(crate) fn find(&self, text: &str, hits: &mut Vec<Hit>) {
        let bytes = text.as_bytes();
        let mut last = [0; START + 1];
        for (at, byte) in bytes.iter().enumerate().take(START) {
            last.rotate_left(1);
            last[START] = *byte;
            self.meet((bytes, at), last, hits);
        }
        let mut at = START;
        while let Some(block) = bytes.get(at - START..).and_then(<[u8]>::first_chunk) {
            self.meet_open((bytes, at), block, BLOCK, hits);
            at += BLOCK;
        }
        let rest = bytes.get(at - START..).unwrap_or_default();
        if let Some(places) = rest.len().checked_sub(START) {
            let mut block: Block = [0; START + BLOCK + 1];
            block
                .iter_mut()
                .zip(rest)
                .for_each(|(place, byte)| *place = *byte);
            self.meet_open((bytes, at), &block, places, hits);
        }
        last = bytes.last_chunk().copied().unwrap_or(last);
        if let Some(end) = bytes.len().checked_sub(1)
            && self.watched.begins_at_end(last)
        {
            push(hits, end, Found::Watched);
        }
    }

    /// Adds to `hits` what [`Self::find`] adds for a text that was made by replacements from another one with
    /// the hits `known`: reads only what stands near a replacement. Tells of each hit its number among the
    /// known ones and the unchanged part of the former text that it stands in, or that it is new.
    pub(crate) fn find_again(
        &self,
        text: &str,
        (known, replaced): (&[Hit], &[Replaced]),
        hits: &mut Vec<Hit>,
        mut tell: impl FnMut(Option<(usize, Range<usize>)>),
    ) {
        let zones = self.zones(replaced);
        let again: usize = zones.iter().map(|zone| zone.is.len()).sum();
        if again * 2 > text.len() {
            self.find(text, hits);
            hits.iter().for_each(|_| tell(None));
            return;
        }
        let mut known = known.iter().enumerate().peekable();
        let mut found = Vec::new();
        let (mut was, mut is) = (0, 0);
        for zone in &zones {
            while let Some((number, hit)) = known.next_if(|(_, hit)| hit.start < zone.was.start) {
                hits.push(hit.moved(was, is));
                tell(Some((number, was..zone.was.start)));
            }
            let is_inside = |(_, hit): &(usize, &Hit)| hit.start < zone.was.end;
            while known.next_if(is_inside).is_some() {}
            found.clear();
            let from = self.find_near(text, &zone.is, &mut found);
            hits.extend(found.iter().map(|hit| hit.moved(0, from)));
            found.iter().for_each(|_| tell(None));
            (was, is) = (zone.was.end, zone.is.end);
        }
        for (number, hit) in known {
            hits.push(hit.moved(was, is));
            tell(Some((number, was..usize::MAX)));
        }
    }

    /// Where hits may begin that a replacement changes: in the former text and in the present one.
    fn zones(&self, replaced: &[Replaced]) -> Vec<Replaced> {
        let mut zones: Vec<Replaced> = Vec::with_capacity(replaced.len());
        for one in replaced {
            let back = (self.longest + 1).min(one.is.start).min(one.was.start);
            let zone = Replaced {
                was: one.was.start - back..one.was.end + 1,
                is: one.is.start - back..one.is.end + 1,
            };
            match zones.last_mut() {
                Some(last) if zone.is.start <= last.is.end => {
                    (last.was.end, last.is.end) = (zone.was.end, zone.is.end);
                }
                _ => zones.push(zone),
            }
        }
        zones
    }

    /// Finds what begins in a zone of the text; returns from where on the hits are counted.
    fn find_near(&self, text: &str, zone: &Range<usize>, found: &mut Vec<Hit>) -> usize {
        let from = text.floor_char_boundary(zone.start.saturating_sub(START + 1));
        let to = text.ceil_char_boundary(zone.end + self.longest + 2);
        self.find(text.get(from..to).unwrap_or_default(), found);
        found.retain(|hit| zone.contains(&(hit.start + from)));
        from
    }

    /// Reports what ends at the first `count` places of a block, the first of which is `first`.
    #[inline(always)]
    fn meet_open(
        &self,
        (text, first): (&[u8], usize),
        block: &Block,
        count: usize,
        hits: &mut Vec<Hit>,
    ) {
        const TOGETHER: usize = size_of::<u64>();
        let found = self.found_at(block);
        let (chunks, _) = found.as_chunks::<TOGETHER>();
        for (start, chunk) in (0..count).step_by(TOGETHER).zip(chunks) {
            let mut open = u64::from_le_bytes(*chunk);
            while open != 0 {
                let byte = open.trailing_zeros() / u8::BITS;
                open &= !(u64::from(u8::MAX) << (byte * u8::BITS));
                let place = start + byte as usize;
                if place < count
                    && let Some(last) = block.get(place..).and_then(<[u8]>::first_chunk)
                {
                    self.meet((text, first + place), *last, hits);
                }
            }
        }
    }

    /// What the gates say of the places of a block; most say nothing.
    #[inline(always)]
    fn found_at(&self, block: &Block) -> [u8; BLOCK] {
        let hashes = hashes(block);
        let [_, _, ends @ ..] = block;
        let mut found = all_beside(block);
        let places = hashes.iter().zip(ends.array_windows());
        for (found, (hash, pair)) in found.iter_mut().zip(places) {
            let pair = u16::from_le_bytes(*pair);
            *found &= entry(&self.gates.telling, *hash);
            *found |= entry(&self.gates.eyed, pair);
        }
        found
    }

    /// Reports what the last of four bytes tells.
    fn meet(&self, (text, at): (&[u8], usize), last: [u8; 4], hits: &mut Vec<Hit>) {
        let [before, one, two, three] = last;
        let hash = hash([one, two, three]);
        let telling = entry(&self.gates.telling, hash);
        if telling != 0 && telling & beside(Some(&before), text.get(at + 1)) != 0 {
            self.look((text, at), hash, last, hits);
        }
        if entry(&self.gates.eyed, u16::from_le_bytes([two, three])) != 0 {
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
    fn look(&self, (text, at): (&[u8], usize), hash: u16, last: [u8; 4], hits: &mut Vec<Hit>) {
        let last = u32::from_le_bytes(last) | FOLDED as u32;
        let number = usize::from(hash) >> self.rest;
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
                && anchor.may_end_before(text.get(start + anchor.text.len()))
                && anchor.stands(text, start)
            {
                push(hits, start, Found::Anchor(gram.anchor));
            }
        }
    }
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
