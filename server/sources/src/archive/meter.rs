//! Counts what an archive expands to while it is read, and stops reading if it is too much.
//!
//! The sizes that an archive declares are not trusted.

use std::{
    cell::Cell,
    io::{self, Read},
    rc::Rc,
};

use crate::{Limits, SourceError};

/// The ratio is checked from this many unpacked bytes on, because short texts may be very repetitive.
const RATIO_FROM: u64 = 32 * 1024 * 1024;
/// The most bytes that the headers between two entries may have.
const MAX_HEADERS: u64 = 1024 * 1024;

/// Counts the bytes read at both ends of a decompressor.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Compressed bytes; `None` for an archive without compression.
    pub(super) packed: Option<Cell<u64>>,
    /// Unpacked bytes.
    pub(super) unpacked: Cell<u64>,
    /// The limit for `unpacked` while headers are read.
    until: Cell<Option<u64>>,
}

impl Meter {
    /// Creates a meter for a compressed archive.
    pub(super) fn compressed() -> Self {
        Self {
            packed: Some(Cell::new(0)),
            ..Self::default()
        }
    }

    /// Expects headers, which are kept in memory, after `skipped` bytes up to the next entry.
    pub(super) fn expect_headers(&self, skipped: u64) {
        let allowed = skipped.saturating_add(MAX_HEADERS);
        self.until
            .set(Some(self.unpacked.get().saturating_add(allowed)));
    }

    /// Expects the contents of an entry, whose bytes are limited elsewhere.
    pub(super) fn expect_content(&self) {
        self.until.set(None);
    }

    /// Counts unpacked bytes.
    ///
    /// *Errors*: there are too many, as a [`SourceError`] in the error.
    pub(super) fn unpack(&self, bytes: u64, limits: &Limits) -> io::Result<()> {
        let unpacked = self.unpacked.get().saturating_add(bytes);
        self.unpacked.set(unpacked);
        if unpacked > limits.unpacked_bytes {
            let limit = limits.unpacked_bytes;
            let what = "bytes when it is unpacked";
            return Err(io::Error::other(SourceError::TooMuch { what, limit }));
        }
        if let Some(packed) = &self.packed {
            check_ratio(packed.get(), unpacked, limits).map_err(io::Error::other)?;
        }
        if self.until.get().is_some_and(|until| unpacked > until) {
            return Err(io::Error::other(format!(
                "the headers of an entry are longer than {MAX_HEADERS} bytes"
            )));
        }
        Ok(())
    }
}

/// Checks the ratio by which an archive expands.
///
/// *Errors*: [`SourceError::Bomb`].
pub(super) fn check_ratio(packed: u64, unpacked: u64, limits: &Limits) -> Result<(), SourceError> {
    let most = packed.saturating_mul(limits.unpacked_ratio).max(RATIO_FROM);
    if unpacked <= most {
        return Ok(());
    }
    Err(SourceError::Bomb {
        entry: String::new(),
        packed,
        unpacked: most,
    })
}

/// Counts the bytes that go into a decompressor.
pub(super) struct Packed<R> {
    pub(super) inner: R,
    pub(super) meter: Rc<Meter>,
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(packed) = &self.meter.packed {
            packed.set(packed.get().saturating_add(read as u64));
        }
        Ok(read)
    }
}

/// Counts the bytes that come out of a decompressor, or of an archive without compression.
pub(super) struct Unpacked<'a, R> {
    pub(super) inner: R,
    pub(super) meter: Rc<Meter>,
    pub(super) limits: &'a Limits,
}

impl<R: Read> Read for Unpacked<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.meter.unpack(read as u64, self.limits)?;
        Ok(read)
    }
}
