//! Zip archives.

use std::{
    cell::Cell,
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    rc::Rc,
};

use zip::{ZipArchive, result::ZipError};

use super::{
    meter::{Meter, Unpacked, check_ratio},
    names::{self, Name},
};
use crate::{SkipReason, SourceError, gather::Gather};

/// The average number of bytes that an entry may have in an archive's directory.
const DIRECTORY_ENTRY: u64 = 512;
/// The number of bytes that a directory may have in addition.
const DIRECTORY: u64 = 1024 * 1024;

/// Visits the files of a zip archive in the order of their paths.
pub(super) fn walk(file: File, length: u64, gather: &mut Gather<'_>) -> Result<(), SourceError> {
    let room = (gather.limits.entries as u64).saturating_mul(DIRECTORY_ENTRY);
    let left = Rc::new(Cell::new(room.saturating_add(DIRECTORY)));
    let directory = Directory {
        file: BufReader::new(file),
        left: Rc::clone(&left),
    };
    let mut archive = ZipArchive::new(directory).map_err(|error| damaged("", error))?;
    let mut wanted = Vec::new();
    let mut declared = 0_u64;
    for index in 0..archive.len() {
        gather.count()?;
        if let Some((path, size)) = wanted_entry(&archive, index, gather)? {
            wanted.push((path, index));
            declared = declared.saturating_add(size);
        }
    }
    // This happens before anything is decompressed, because `zip` stops at the declared size of an entry.
    check_ratio(length, declared, gather.limits)?;
    wanted.sort();
    let meter = Rc::new(Meter::compressed());
    if let Some(packed) = &meter.packed {
        packed.set(length);
    }
    left.set(u64::MAX);
    for (path, index) in wanted {
        let entry = match archive.by_index(index) {
            Ok(entry) => entry,
            Err(ZipError::CompressionMethodNotSupported(_) | ZipError::UnsupportedArchive(_)) => {
                gather.skip(path, SkipReason::Compression);
                continue;
            }
            Err(error) => return Err(damaged(&path, error)),
        };
        let mut content = Unpacked {
            inner: entry,
            meter: Rc::clone(&meter),
            limits: gather.limits,
        };
        let read = gather.read(&path, &mut content);
        let flow = read.map_err(|error| SourceError::in_archive(&path, error))??;
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

/// Returns the path and size of an entry that is to be read, according to the archive's directory.
fn wanted_entry(
    archive: &ZipArchive<Directory>,
    index: usize,
    gather: &mut Gather<'_>,
) -> Result<Option<(String, u64)>, SourceError> {
    let entry = archive
        .by_index_data(index)
        .map_err(|error| damaged("", error))?;
    let raw = entry.name_raw();
    let name = match entry.name() {
        Ok(name) => name.into_owned().into_bytes(),
        Err(_) => raw.to_vec(),
    };
    let path = match names::path(&name)? {
        Name::Path(path) => path,
        Name::Root => return Ok(None),
        Name::Skipped(reason) => {
            gather.skip(String::from_utf8_lossy(&name), reason);
            return Ok(None);
        }
    };
    let is_dir = entry.is_dir() || name.ends_with(b"\\");
    let reason = if is_dir {
        return Ok(None);
    } else if entry.is_symlink() {
        SkipReason::Link
    } else if !gather.wants(&path, entry.size()) {
        return Ok(None);
    } else if entry.encrypted() {
        SkipReason::Encrypted
    } else {
        return Ok(Some((path, entry.size())));
    };
    gather.skip(path, reason);
    Ok(None)
}

fn damaged(entry: &str, error: ZipError) -> SourceError {
    match error {
        ZipError::Io(error) => SourceError::in_archive(entry, error),
        error => SourceError::Archive {
            entry: entry.to_owned(),
            reason: error.to_string(),
        },
    }
}

/// The archive file; reading fails if its directory, which is kept in memory, is too long.
struct Directory {
    file: BufReader<File>,
    left: Rc<Cell<u64>>,
}

impl Read for Directory {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        let left = left.ok_or_else(|| io::Error::other("its directory is too long"))?;
        self.left.set(left);
        Ok(read)
    }
}

impl Seek for Directory {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            // This keeps the buffered bytes.
            SeekFrom::Current(by) => {
                self.file.seek_relative(by)?;
                self.file.stream_position()
            }
            to => self.file.seek(to),
        }
    }
}
