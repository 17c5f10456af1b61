//! The bytes of all passages: in parts that never move or change once they are full, so that adding
//! to them copies nothing and others may read them meanwhile. A part may be a mapped file.

use std::sync::Arc;

use memmap2::Mmap;

use super::LANES;

/// Blocks of [`LANES`] bytes in a part: 4 MiB.
const PART: usize = 65_536;

/// Rows of bytes, each filled up with zeros to whole [`LANES`].
#[derive(Clone, Default)]
pub(in super::super) struct Rows {
    full: Vec<Arc<Part>>,
    last: Vec<[u8; LANES]>,
}

enum Part {
    Memory(Vec<[u8; LANES]>),
    File {
        map: Mmap,
        /// Where the rows begin.
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
    /// Takes over the rows of a mapped file from a place to its end.
    pub(in super::super) fn of_file(map: Mmap, start: usize) -> Self {
        Self {
            full: vec![Arc::new(Part::File { map, start })],
            last: Vec::new(),
        }
    }

    /// Appends a row.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let blocks = bytes.len().div_ceil(LANES);
        if self.last.len() + blocks > PART && !self.last.is_empty() {
            let full = std::mem::take(&mut self.last);
            self.full.push(Arc::new(Part::Memory(full)));
            self.last.reserve_exact(PART);
        }
        self.last.extend(bytes.chunks(LANES).map(|bytes| {
            let mut block = [0; LANES];
            for (to, from) in block.iter_mut().zip(bytes) {
                *to = *from;
            }
            block
        }));
    }

    /// Returns the blocks in order, so many at a time or fewer, but whole rows if so many are.
    pub(in super::super) fn batches(&self, blocks: usize) -> impl Iterator<Item = &[[u8; LANES]]> {
        let full = self.full.iter().map(|part| part.blocks());
        full.chain([self.last.as_slice()])
            .flat_map(move |part| part.chunks(blocks))
    }
}
