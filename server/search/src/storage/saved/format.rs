//! The file format of saved rows: a header with checksums, then records, passages and, starting on a new page,
//! rows. Numbers are little-endian.
#![expect(unsafe_code, reason = "a file is mapped into memory")]

use std::{
    fs::File,
    io::{BufWriter, Read, Seek as _, Write},
};

use memmap2::Mmap;

use super::SavedError;

/// The first bytes; the last two are the version of the format.
const MAGIC: [u8; 8] = *b"RKROWS02";
/// Bytes of a record: id, `seq`, creation time, query count, popularity, language.
pub(super) const RECORD: usize = 49;
/// Bytes of a passage: slot, factor.
pub(super) const PASSAGE: usize = 8;
/// Rows begin at a multiple of this many bytes.
const PAGE: usize = 4_096;
/// The number of integers in a header, each of 8 bytes.
const NUMBERS: usize = 9;
/// Bytes of a header without the model's name: magic, integers, checksum.
const FIXED: usize = MAGIC.len() + NUMBERS * 8 + 4;
/// The longest accepted name of a model, in bytes.
const MAX_MODEL: u64 = 4_096;

/// The header of the file.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) dimensions: u64,
    pub(super) records: u64,
    pub(super) passages: u64,
    pub(super) seq: u64,
    pub(super) counts_as_of: i64,
    pub(super) records_sum: u32,
    pub(super) passages_sum: u32,
    pub(super) rows_sum: u32,
}

impl Header {
    /// Returns the number of bytes of a header.
    pub(super) fn size(model: &str) -> usize {
        FIXED + model.len()
    }

    pub(super) fn write(&self, to: &mut impl Write, model: &str) -> std::io::Result<()> {
        let numbers = [
            self.dimensions,
            self.records,
            self.passages,
            self.seq,
            self.counts_as_of.cast_unsigned(),
            u64::from(self.records_sum),
            u64::from(self.passages_sum),
            u64::from(self.rows_sum),
            model.len() as u64,
        ];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend_from_slice(model.as_bytes());
        let sum = crc32fast::hash(&bytes);
        to.write_all(&bytes)?;
        to.write_all(&sum.to_le_bytes())
    }

    /// Reads a header and the model's name.
    pub(super) fn read(from: &mut impl Read) -> Result<(Self, String), SavedError> {
        let mut bytes = vec![0; MAGIC.len() + NUMBERS * 8];
        from.read_exact(&mut bytes).map_err(torn)?;
        let (magic, numbers) = bytes
            .as_chunks::<8>()
            .0
            .split_first()
            .ok_or(SavedError::Foreign)?;
        if *magic != MAGIC {
            return Err(SavedError::Foreign);
        }
        let mut numbers = numbers.iter().map(|number| u64::from_le_bytes(*number));
        let mut next = || numbers.next().unwrap_or_default();
        let mut header = Self {
            dimensions: next(),
            records: next(),
            passages: next(),
            seq: next(),
            counts_as_of: next().cast_signed(),
            ..Self::default()
        };
        let sum = |number| u32::try_from(number).map_err(|_| SavedError::Foreign);
        header.records_sum = sum(next())?;
        header.passages_sum = sum(next())?;
        header.rows_sum = sum(next())?;
        let length = next();
        if length > MAX_MODEL {
            return Err(SavedError::Foreign);
        }
        let fixed = bytes.len();
        bytes.resize(fixed + length as usize, 0);
        from.read_exact(bytes.get_mut(fixed..).unwrap_or_default())
            .map_err(torn)?;
        let mut sum = [0; 4];
        from.read_exact(&mut sum).map_err(torn)?;
        if u32::from_le_bytes(sum) != crc32fast::hash(&bytes) {
            return Err(SavedError::Damaged {
                part: "first bytes",
            });
        }
        let model = String::from_utf8(bytes.split_off(fixed)).map_err(|_| SavedError::Foreign)?;
        Ok((header, model))
    }
}

fn torn(error: std::io::Error) -> SavedError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => SavedError::Foreign,
        _ => error.into(),
    }
}

/// Rounds an offset up to the next page.
pub(super) fn aligned(place: usize) -> usize {
    place.saturating_add(PAGE - 1) / PAGE * PAGE
}

/// Maps a file into memory.
pub(super) fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: files of this name are only ever replaced, never modified or truncated. So the mapped bytes stay
    // as they were when they were checked, unless another program modifies the file.
    unsafe { Mmap::map(file) }
}

/// A file writer that computes a checksum of what is written.
pub(super) struct Checked {
    file: BufWriter<File>,
    sum: crc32fast::Hasher,
    written: usize,
}

impl Checked {
    pub(super) fn new(file: BufWriter<File>) -> Self {
        Self {
            file,
            sum: crc32fast::Hasher::new(),
            written: 0,
        }
    }

    /// Returns the checksum of what was written since the last call, and starts a new one.
    pub(super) fn begin(&mut self) -> u32 {
        std::mem::take(&mut self.sum).finalize()
    }

    /// Pads with zeros to the next page.
    pub(super) fn fill_up(&mut self) -> std::io::Result<()> {
        let zeros = vec![0; aligned(self.written) - self.written];
        self.write_all(&zeros)
    }

    /// Seeks to the first byte.
    pub(super) fn rewind(&mut self) -> std::io::Result<()> {
        self.file.rewind()
    }

    /// Flushes everything to the disk.
    pub(super) fn sync(mut self) -> std::io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }
}

impl Write for Checked {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write_all(bytes)?;
        self.sum.update(bytes);
        self.written += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}
