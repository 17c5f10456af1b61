//! The bytes of all passages, in parts that never move or change once they are full: so appending copies
//! nothing, and other threads can read them meanwhile. A part may be a mapped file.

use std::sync::Arc;

use memmap2::Mmap;

use super::LANES;

/// The number of blocks of [`LANES`] bytes in a part: 4 MiB.
const PART: usize = 65_536;

/// Rows of bytes, each padded with zeros to a multiple of [`LANES`].
#[derive(Clone, Default)]
pub(in super::super) struct Rows {
    full: Vec<Arc<Part>>,
    /// The cumulative number of blocks at the end of each full part.
    ends: Vec<usize>,
    last: Vec<[u8; LANES]>,
}

enum Part {
    Memory(Vec<[u8; LANES]>),
    File {
        map: Mmap,
        /// The offset at which the rows begin.
        start: usize,
    },
}

impl Part {
    fn blocks(&self) -> &[[u8; LANES]] {
        match self {
            Self::Memory(blocks) => blocks,
            Self::File { map, start } => map.get(*start..).unwrap_or_default().as_chunks().0,
        }
    }
}

impl Rows {
    /// Creates it from the rows of a mapped file, from an offset to its end.
    pub(in super::super) fn of_file(map: Mmap, start: usize) -> Self {
        let mut rows = Self::default();
        rows.push_part(Part::File { map, start });
        rows
    }

    fn push_part(&mut self, part: Part) {
        let end = self.ends.last().copied().unwrap_or(0) + part.blocks().len();
        self.ends.push(end);
        self.full.push(Arc::new(part));
    }

    /// Appends a row and returns it.
    pub(super) fn push(&mut self, bytes: &[u8]) -> &[[u8; LANES]] {
        let blocks = bytes.len().div_ceil(LANES);
        if self.last.len() + blocks > PART && !self.last.is_empty() {
            let full = std::mem::take(&mut self.last);
            self.push_part(Part::Memory(full));
            self.last.reserve_exact(PART);
        }
        self.last.extend(bytes.chunks(LANES).map(|bytes| {
            let mut block = [0; LANES];
            for (to, from) in block.iter_mut().zip(bytes) {
                *to = *from;
            }
            block
        }));
        let start = self.last.len() - blocks;
        self.last.get(start..).unwrap_or_default()
    }

    /// Returns `count` rows from row `first` on, each of `width` blocks.
    pub(super) fn rows(
        &self,
        first: usize,
        count: usize,
        width: usize,
    ) -> impl Iterator<Item = &[[u8; LANES]]> {
        let place = first * width;
        let before = self.ends.partition_point(|end| *end <= place);
        let start = before.checked_sub(1).and_then(|at| self.ends.get(at));
        let mut skip = place - start.copied().unwrap_or(0);
        let parts = self.full.iter().skip(before).map(|part| part.blocks());
        let rest = parts.chain([self.last.as_slice()]).map(move |part| {
            let here = part.get(std::mem::take(&mut skip)..);
            here.unwrap_or_default()
        });
        rest.flat_map(move |part| part.chunks(width)).take(count)
    }

    /// Returns the blocks in order, at most `blocks` at a time; a batch has complete rows if `blocks` is a
    /// multiple of their width.
    pub(in super::super) fn batches(&self, blocks: usize) -> impl Iterator<Item = &[[u8; LANES]]> {
        let full = self.full.iter().map(|part| part.blocks());
        full.chain([self.last.as_slice()])
            .flat_map(move |part| part.chunks(blocks))
    }
}
