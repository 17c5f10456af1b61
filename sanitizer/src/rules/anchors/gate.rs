//! Gates and the hashes that lead to their entries: what says at once of most places that nothing ends there.

/// One entry for each number of 16 bits.
pub(super) type Gate = Box<[u8; 1 << u16::BITS]>;

/// How many bytes before a place tell what ends there.
pub(super) const START: usize = size_of::<u32>() - 1;

/// How many places are looked at together.
pub(super) const BLOCK: usize = 32;

/// The bytes of such places, those before the first of them and the one behind the last.
pub(super) type Block = [u8; START + BLOCK + 1];

/// How many kinds of pairs are told apart.
pub(super) const PAIR_KINDS: usize = 64;

/// Bits of the hash of a pair.
pub(super) const PAIR_BITS: u32 = 10;

/// A gate without an entry.
pub(super) fn closed() -> Gate {
    let gate = vec![0; 1 << u16::BITS].into_boxed_slice();
    gate.try_into()
        .unwrap_or_else(|_| unreachable!("it has as many entries as there are numbers"))
}

pub(super) fn open(gate: &mut Gate, number: u16, kinds: u8) {
    if let Some(entry) = gate.get_mut(usize::from(number)) {
        *entry |= kinds;
    }
}

#[inline]
pub(super) fn entry(gate: &Gate, number: u16) -> u8 {
    gate.get(usize::from(number)).copied().unwrap_or(0)
}

/// What stands beside three bytes, as bits: the byte before them as one of the lower four, the one behind
/// them as one of the upper four. Case changes nothing.
#[inline(always)]
pub(super) fn beside(before: Option<&u8>, after: Option<&u8>) -> u8 {
    let before = before.map_or(0, |byte| 1 << (byte & 3));
    let after = after.map_or(0, |byte| 0x10 << (byte & 3));
    before | after
}

/// What [`beside`] says of each place of a block.
#[inline(always)]
pub(super) fn all_beside(block: &Block) -> [u8; BLOCK] {
    // The bit of a number below four, in both halves of a byte.
    let bit = |byte: u8| {
        let ones = |bit: u8| 0_u8.wrapping_sub(bit & 1);
        (0x55 ^ ones(byte)) & (0x33 ^ ones(byte >> 1))
    };
    let mut all = [0; BLOCK];
    let [_, _, _, _, behind @ ..] = block;
    for (kinds, (before, after)) in all.iter_mut().zip(block.iter().zip(behind)) {
        *kinds = bit(*before) & 0x0f | bit(*after) & 0xf0;
    }
    all
}

/// Letters in either case are the same; so are a few other bytes, which comparing tells apart.
#[inline]
pub(super) const fn fold(byte: u8) -> u8 {
    byte | 0x20
}

/// A number for three bytes, case ignored.
#[inline(always)]
pub(super) fn hash([one, two, three]: [u8; 3]) -> u16 {
    let times = |byte: u8, factor: u16| u16::from(fold(byte)).wrapping_mul(factor);
    times(one, 0x9e37)
        .wrapping_add(times(two, 0x79b1))
        .wrapping_add(times(three, 0x4f1d))
}

/// The numbers of the three bytes that end at each place of a block.
#[inline(always)]
pub(super) fn hashes(block: &Block) -> [u16; BLOCK] {
    let mut hashes = [0; BLOCK];
    let [_, ends @ ..] = block;
    for (number, three) in hashes.iter_mut().zip(ends.array_windows()) {
        *number = hash(*three);
    }
    hashes
}

#[inline]
pub(super) const fn pair_hash(pair: u32) -> usize {
    (pair.wrapping_mul(0x9e37_79b1) >> (32 - PAIR_BITS)) as usize
}

pub(super) const fn pair_kind(pair: u32) -> usize {
    (pair_hash(pair) * PAIR_KINDS) >> PAIR_BITS
}
