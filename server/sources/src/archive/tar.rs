//! Tar archives, plain or compressed with gzip.

use std::{
    io::{self, BufReader, Read},
    ops::ControlFlow,
    rc::Rc,
};

use flate2::read::MultiGzDecoder;
use tar::{Archive, Entry, EntryType};

use super::{
    meter::{Meter, Packed, Unpacked},
    names::{self, Name},
};
use crate::{SkipReason, SourceError, gather::Gather};

/// Entries begin at multiples of this many bytes.
const BLOCK: u64 = 512;

/// Visits the files of a tar archive; returns whether the visitor continued to the end.
pub(crate) fn walk(
    reader: impl Read,
    gather: &mut Gather<'_>,
) -> Result<ControlFlow<()>, SourceError> {
    let meter = Rc::new(Meter::default());
    entries(BufReader::new(reader), &meter, gather)
}

/// Like [`walk`], for an archive that is compressed with gzip.
pub(super) fn walk_gz(
    reader: impl Read,
    gather: &mut Gather<'_>,
) -> Result<ControlFlow<()>, SourceError> {
    let meter = Rc::new(Meter::compressed());
    let packed = Packed {
        inner: BufReader::new(reader),
        meter: Rc::clone(&meter),
    };
    entries(MultiGzDecoder::new(packed), &meter, gather)
}

fn entries(
    reader: impl Read,
    meter: &Rc<Meter>,
    gather: &mut Gather<'_>,
) -> Result<ControlFlow<()>, SourceError> {
    let limits = gather.limits;
    let mut archive = Archive::new(Unpacked {
        inner: reader,
        meter: Rc::clone(meter),
        limits,
    });
    let mut before = String::new();
    meter.expect_headers(0);
    let found = archive.entries();
    for entry in found.map_err(|error| SourceError::in_archive("", error))? {
        let mut entry = entry.map_err(|error| SourceError::in_archive(&before, error))?;
        meter.expect_content();
        gather.count()?;
        let end = end(&entry, meter);
        if visit(&mut entry, &mut before, gather)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        meter.expect_headers(end.saturating_sub(meter.unpacked.get()));
    }
    // The rest is padding; reading it checks that the archive is not truncated.
    meter.expect_headers(0);
    let rest = io::copy(&mut archive.into_inner(), &mut io::sink());
    rest.map_err(|error| SourceError::in_archive(&before, error))?;
    Ok(ControlFlow::Continue(()))
}

/// Returns the offset in the archive at which an entry ends.
fn end(entry: &Entry<'_, impl Read>, meter: &Meter) -> u64 {
    let stored = entry.header().entry_size().unwrap_or(0);
    let size = stored.max(entry.size()).saturating_add(BLOCK);
    meter.unpacked.get().saturating_add(size)
}

/// Visits an entry and stores its path in `path`, for messages.
fn visit(
    entry: &mut Entry<'_, impl Read>,
    path: &mut String,
    gather: &mut Gather<'_>,
) -> Result<ControlFlow<()>, SourceError> {
    let go_on = Ok(ControlFlow::Continue(()));
    let kind = entry.header().entry_type();
    if kind == EntryType::XGlobalHeader {
        return go_on;
    }
    let name = entry.path_bytes().into_owned();
    *path = match names::path(&name)? {
        Name::Path(found) => found,
        Name::Root => return go_on,
        Name::Skipped(reason) => {
            gather.skip(String::from_utf8_lossy(&name), reason);
            return go_on;
        }
    };
    match kind {
        EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {}
        EntryType::Directory => return go_on,
        EntryType::Symlink | EntryType::Link => {
            gather.skip(path.as_str(), SkipReason::Link);
            return go_on;
        }
        _ => {
            gather.skip(path.as_str(), SkipReason::Special);
            return go_on;
        }
    }
    if !gather.wants(path, entry.size()) {
        return go_on;
    }
    let size = entry.size();
    let mut content = FullEntry { entry, left: size };
    let read = gather.read(path, &mut content);
    read.map_err(|error| SourceError::in_archive(path, error))?
}

/// An entry that must have its declared length: the end of the archive inside it is an error.
struct FullEntry<'a, 'b, R: Read> {
    entry: &'a mut Entry<'b, R>,
    left: u64,
}

impl<R: Read> Read for FullEntry<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::other("it ends in the middle of a file"));
        }
        Ok(read)
    }
}
