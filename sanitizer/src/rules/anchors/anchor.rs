//! An anchor, and what is compared of it first.

use std::ops::Range;

use super::gate::fold;
use crate::rules::shape::Bytes;

/// An anchor in lower case, not empty.
#[derive(Debug)]
pub(crate) struct Anchor {
    pub(crate) text: Box<[u8]>,
    /// What may stand beside it; before one of more than two bytes that is anything.
    pub(crate) before: Bytes,
    pub(crate) after: Bytes,
}

/// The beginning of an anchor as a number, which is compared at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Head {
    bytes: u64,
    mask: u64,
}

/// How many bytes of an anchor are compared at once.
pub(super) const HEAD: usize = size_of::<u64>();

/// What [`fold`] adds to each byte of a head.
pub(super) const FOLDED: u64 = 0x2020_2020_2020_2020;

impl Head {
    pub(super) fn of(anchor: &[u8]) -> Self {
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
    pub(super) fn may_begin(&self, text: &[u8]) -> bool {
        text.first_chunk::<HEAD>()
            .is_none_or(|head| (u64::from_le_bytes(*head) | FOLDED) & self.mask == self.bytes)
    }
}

impl Anchor {
    /// Whether the anchor stands at `start`.
    pub(super) fn stands(&self, text: &[u8], start: usize) -> bool {
        let found = text.get(start..start + self.text.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(&self.text))
    }

    /// Whether this byte may stand right behind the anchor.
    #[inline]
    pub(super) fn may_end_before(&self, next: Option<&u8>) -> bool {
        next.is_none_or(|byte| self.after.contains(*byte))
    }

    /// Whether what stands around `span` may stand beside the anchor.
    pub(super) fn may_stand(&self, text: &[u8], span: &Range<usize>) -> bool {
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
pub(super) struct Gram {
    pub(super) hash: u16,
    /// The three bytes with the one before them in the lowest place, where there is one.
    pub(super) bytes: u32,
    pub(super) mask: u32,
    pub(super) anchor: u32,
    /// Where in the anchor the three bytes stand.
    pub(super) offset: u8,
    pub(super) head: Head,
}

impl Gram {
    /// Whether the last of four folded bytes are the telling ones.
    #[inline]
    pub(super) fn is(&self, last: u32) -> bool {
        (last ^ self.bytes) & self.mask == 0
    }
}
