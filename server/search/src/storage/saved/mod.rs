//! A file beside the base that holds the records and vectors of the index, so that a start need not read them
//! from the database. Vectors are used in place, mapped into memory.
//!
//! It is derived data: a file that is truncated, damaged or of another format is ignored, and what came after it
//! was written is read from the database. The file is replaced as a whole, never modified.

mod format;

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
    time::Duration,
};

use memmap2::Mmap;
use uuid::Uuid;

use self::format::{Checked, Header, PASSAGE, RECORD, aligned};
use super::{
    base::short_id,
    records::{Record, Records, SlotsBySeq},
};
use crate::{
    Language,
    vectors::{Image, LANES, Passage, Rows},
};

/// The name of the file in the folder of the index.
const NAME: &str = "rows";
/// The number of blocks of [`LANES`] bytes that are written at once.
const BATCH: usize = 1_024;
/// A temporary file that has not changed for this long was abandoned by its writer.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// What a later start needs to know about the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFrom {
    /// The model that computed the vectors; empty without one.
    pub model: String,
    /// Counts may have changed in the database since this moment, in seconds since 1970.
    pub counts_as_of: i64,
}

/// Why a file of saved records could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It could not be read or written.
    #[error("the file of records cannot be used")]
    File(#[from] std::io::Error),
    /// It is not a file of saved records, or was written by another version of this program.
    #[error("the file of records has another format")]
    Foreign,
    /// The documents of the base, which hold the texts of the records, could not be read.
    #[error(transparent)]
    Texts(#[from] crate::IndexError),
    /// Its checksums do not match.
    #[error("the {part} of the file of records are damaged")]
    Damaged {
        /// The damaged part.
        part: &'static str,
    },
}

/// The contents of the file.
pub(crate) struct Contents {
    /// The `seq` up to which it has every record.
    pub(crate) seq: u64,
    pub(crate) from: SavedFrom,
    pub(crate) records: Vec<Record>,
    pub(crate) vectors: Image,
}

/// Reads only the header of the file in a folder: the `seq` of its records and their origin; `None` if it cannot
/// be read.
pub(crate) fn read_header(folder: &Path) -> Option<(u64, SavedFrom)> {
    let file = File::open(folder.join(NAME)).ok()?;
    let (header, model) = Header::read(&mut std::io::BufReader::new(file)).ok()?;
    Some((header.seq, from_of(&header, model)))
}

fn from_of(header: &Header, model: String) -> SavedFrom {
    SavedFrom {
        model,
        counts_as_of: header.counts_as_of,
    }
}

/// Replaces the file in a folder.
pub(crate) fn write(folder: &Path, contents: &Contents) -> Result<(), SavedError> {
    remove_leftovers(folder);
    let temporary = folder.join(format!("{NAME}-{}.tmp", std::process::id()));
    let written = write_to(&temporary, contents)
        .and_then(|()| Ok(std::fs::rename(&temporary, folder.join(NAME))?));
    if written.is_err() {
        std::fs::remove_file(&temporary).ok();
    }
    written
}

/// Removes the temporary files of programs that were killed while writing.
fn remove_leftovers(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.starts_with(NAME) && name.ends_with(".tmp");
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        let age = changed.ok().and_then(|changed| changed.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > LEFT_BEHIND) {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

fn write_to(path: &Path, contents: &Contents) -> Result<(), SavedError> {
    let alive = contents.vectors.passages.iter().filter(|p| p.is_alive());
    let mut header = Header {
        dimensions: contents.vectors.dimensions as u64,
        records: contents.records.len() as u64,
        passages: alive.clone().count() as u64,
        seq: contents.seq,
        counts_as_of: contents.from.counts_as_of,
        ..Header::default()
    };
    let mut file = Checked::new(BufWriter::with_capacity(1 << 20, File::create(path)?));
    // The checksums are known last but come first in the file.
    header.write(&mut file, &contents.from.model)?;
    file.begin();
    for record in &contents.records {
        file.write_all(&record_bytes(record))?;
    }
    header.records_sum = file.begin();
    for passage in alive {
        file.write_all(&passage.slot.to_le_bytes())?;
        file.write_all(&passage.factor.to_le_bytes())?;
    }
    header.passages_sum = file.begin();
    file.fill_up()?;
    file.begin();
    write_rows(&mut file, &contents.vectors)?;
    header.rows_sum = file.begin();
    file.rewind()?;
    header.write(&mut file, &contents.from.model)?;
    Ok(file.sync()?)
}

/// Writes the rows of passages that belong to a record.
fn write_rows(file: &mut Checked, vectors: &Image) -> std::io::Result<()> {
    let width = vectors.dimensions.div_ceil(LANES).max(1);
    let mut passages = vectors.passages.iter();
    for batch in vectors.rows.batches(BATCH * width) {
        for (row, passage) in batch.chunks(width).zip(&mut passages) {
            if passage.is_alive() {
                file.write_all(row.as_flattened())?;
            }
        }
    }
    Ok(())
}

/// The contents of a file that was read.
pub(crate) struct Loaded {
    pub(crate) seq: u64,
    pub(crate) counts_as_of: i64,
    pub(crate) records: Records,
    pub(crate) vectors: Image,
}

/// Reads the file in a folder, with only those records whose text is in `texts`; `None` if there is no file or
/// its vectors are of another model.
pub(crate) fn read(
    folder: &Path,
    model: &str,
    texts: &SlotsBySeq,
) -> Result<Option<Loaded>, SavedError> {
    let file = match File::open(folder.join(NAME)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let map = format::map(&file)?;
    let (header, stored_model) = Header::read(&mut map.as_ref())?;
    if stored_model != model {
        return Ok(None);
    }
    let parts = Parts::of(&map, &header, &stored_model)?;
    let mut records = Records::with_capacity(parts.records.len() / RECORD);
    let mut lookup = texts.lookup();
    let slots = parts.records.as_chunks().0.iter().map(|bytes| {
        let record = record_of(bytes);
        lookup.slot(record.seq, short_id(record.id))?;
        records.put(record)
    });
    let slots: Vec<Option<u32>> = slots.collect();
    let passages = parts
        .passages
        .as_chunks()
        .0
        .iter()
        .map(|bytes: &[u8; PASSAGE]| {
            let [a, b, c, d, factor @ ..] = *bytes;
            let slot = slots.get(u32::from_le_bytes([a, b, c, d]) as usize);
            match slot.copied().flatten() {
                Some(slot) => Passage {
                    slot,
                    factor: f32::from_le_bytes(factor),
                },
                None => Passage {
                    slot: u32::MAX,
                    factor: f32::NAN,
                },
            }
        });
    let passages = passages.collect();
    let start = parts.rows_start;
    Ok(Some(Loaded {
        seq: header.seq,
        counts_as_of: header.counts_as_of,
        records,
        vectors: Image {
            dimensions: header.dimensions as usize,
            passages,
            rows: Rows::of_file(map, start),
        },
    }))
}

/// The parts of a file behind its header, with their checksums verified.
struct Parts<'a> {
    records: &'a [u8],
    passages: &'a [u8],
    rows_start: usize,
}

impl<'a> Parts<'a> {
    fn of(map: &'a Mmap, header: &Header, model: &str) -> Result<Self, SavedError> {
        let size = |count: u64, each: usize| usize::try_from(count).ok()?.checked_mul(each);
        let sizes = || {
            let width = usize::try_from(header.dimensions).ok()?.div_ceil(LANES);
            let records = size(header.records, RECORD)?;
            let passages = size(header.passages, PASSAGE)?;
            let rows = size(header.passages, width.checked_mul(LANES)?)?;
            Some((records, passages, rows))
        };
        let (records, passages, rows) = sizes().ok_or(SavedError::Foreign)?;
        let part = |start: usize, length: usize, sum, part| {
            let bytes = map.get(start..).and_then(|bytes| bytes.get(..length));
            let bytes = bytes.filter(|bytes| crc32fast::hash(bytes) == sum);
            bytes.ok_or(SavedError::Damaged { part })
        };
        let start = Header::size(model);
        let rows_start = aligned(start.saturating_add(records).saturating_add(passages));
        let parts = Self {
            records: part(start, records, header.records_sum, "records")?,
            passages: part(start + records, passages, header.passages_sum, "passages")?,
            rows_start,
        };
        part(rows_start, rows, header.rows_sum, "vectors")?;
        let is_complete = map.len() == rows_start + rows;
        is_complete.then_some(parts).ok_or(SavedError::Foreign)
    }
}

fn record_bytes(record: &Record) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    let numbers = [
        record.seq.to_le_bytes(),
        record.created_at.to_le_bytes(),
        record.query_count.to_le_bytes(),
        record.popularity.to_le_bytes(),
    ];
    let language = [record.language.0];
    let from = record
        .id
        .as_bytes()
        .iter()
        .chain(numbers.as_flattened())
        .chain(&language);
    for (to, from) in bytes.iter_mut().zip(from) {
        *to = *from;
    }
    bytes
}

fn record_of(bytes: &[u8; RECORD]) -> Record {
    let [.., language] = *bytes;
    let mut numbers = [[0; 8]; RECORD / 8];
    for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
        *number = *bytes;
    }
    let [high, low, seq, created_at, query_count, popularity] = numbers;
    Record {
        id: Uuid::from_u64_pair(u64::from_be_bytes(high), u64::from_be_bytes(low)),
        seq: u64::from_le_bytes(seq),
        created_at: i64::from_le_bytes(created_at),
        query_count: u64::from_le_bytes(query_count),
        popularity: u64::from_le_bytes(popularity),
        language: Language(language),
    }
}

#[cfg(test)]
mod tests;
