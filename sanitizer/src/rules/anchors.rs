//! Finds every anchor in one pass over a text: three bytes at a time through a table, and only where it
//! has an entry is anything compared.
//!
//! An automaton over all anchors would take milliseconds to build and a cache to run in; this takes
//! neither. Case is ignored in ASCII.

mod telling;
#[cfg(test)]
mod tests;

use std::ops::Range;

use telling::telling;

use crate::rules::shape::Bytes;

/// One entry for each number of 16 bits.
type Gate = Box<[u8; 1 << u16::BITS]>;

/// How many bytes before a place tell what ends there.
const START: usize = size_of::<u32>() - 1;

/// How many places are looked at together.
const BLOCK: usize = 32;

/// The bytes of such places, and those before the first of them.
type Block = [u8; START + BLOCK];

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
        const MOST: u32 = 12;
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
            self.meet_open((bytes, at), block, u32::MAX, hits);
            at += BLOCK;
        }
        let rest = bytes.get(at - START..).unwrap_or_default();
        if let Some(places) = rest.len().checked_sub(START) {
            let mut block: Block = [0; START + BLOCK];
            block
                .iter_mut()
                .zip(rest)
                .for_each(|(place, byte)| *place = *byte);
            self.meet_open((bytes, at), &block, (1 << places) - 1, hits);
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

    /// Reports what ends at the `wanted` places of a block, the first of which is `first`.
    #[inline(always)]
    fn meet_open(
        &self,
        (text, first): (&[u8], usize),
        block: &Block,
        wanted: u32,
        hits: &mut Vec<Hit>,
    ) {
        let mut open = self.open_places(block) & wanted;
        while open != 0 {
            let place = open.trailing_zeros() as usize;
            open &= open - 1;
            if let Some(last) = block.get(place..).and_then(<[u8]>::first_chunk) {
                self.meet((text, first + place), *last, hits);
            }
        }
    }

    /// The places of a block where a gate has an entry, as bits.
    #[inline(always)]
    fn open_places(&self, block: &Block) -> u32 {
        let hashes = hashes(block);
        let [_, _, ends @ ..] = block;
        let places = hashes.iter().zip(ends.array_windows()).rev();
        places.fold(0, |open, (hash, pair)| {
            let pair = u16::from_le_bytes(*pair);
            let found = entry(&self.gates.telling, *hash) | entry(&self.gates.eyed, pair);
            open << 1 | u32::from(found != 0)
        })
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
                && anchor.stands(text, start)
            {
                push(hits, start, Found::Anchor(gram.anchor));
            }
        }
    }
}

/// A gate without an entry.
fn closed() -> Gate {
    let gate = vec![0; 1 << u16::BITS].into_boxed_slice();
    gate.try_into()
        .unwrap_or_else(|_| unreachable!("it has as many entries as there are numbers"))
}

fn open(gate: &mut Gate, number: u16, kinds: u8) {
    if let Some(entry) = gate.get_mut(usize::from(number)) {
        *entry |= kinds;
    }
}

#[inline]
fn entry(gate: &Gate, number: u16) -> u8 {
    gate.get(usize::from(number)).copied().unwrap_or(0)
}

/// What stands beside three bytes, as bits: the byte before them as one of the lower four, the one behind
/// them as one of the upper four. Case changes nothing.
#[inline(always)]
fn beside(before: Option<&u8>, after: Option<&u8>) -> u8 {
    let before = before.map_or(0, |byte| 1 << (byte & 3));
    let after = after.map_or(0, |byte| 0x10 << (byte & 3));
    before | after
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

/// A number for three bytes, case ignored.
#[inline(always)]
fn hash([one, two, three]: [u8; 3]) -> u16 {
    let times = |byte: u8, factor: u16| u16::from(fold(byte)).wrapping_mul(factor);
    times(one, 0x9e37)
        .wrapping_add(times(two, 0x79b1))
        .wrapping_add(times(three, 0x4f1d))
}

/// The numbers of the three bytes that end at each place of a block.
#[inline(always)]
fn hashes(block: &Block) -> [u16; BLOCK] {
    let mut hashes = [0; BLOCK];
    let [_, ends @ ..] = block;
    for (number, three) in hashes.iter_mut().zip(ends.array_windows()) {
        *number = hash(*three);
    }
    hashes
}

#[inline]
const fn pair_hash(pair: u32) -> usize {
    (pair.wrapping_mul(0x9e37_79b1) >> (32 - PAIR_BITS)) as usize
}

const fn pair_kind(pair: u32) -> usize {
    (pair_hash(pair) * PAIR_KINDS) >> PAIR_BITS
}
