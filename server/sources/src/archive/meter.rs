//! Counts what an archive unpacks to while it is read, and ends the reading where it is too much.
//!
//! What an archive says of its sizes is believed by nobody here.

use std::{
    cell::Cell,
    io::{self, Read},
    rc::Rc,
};

use crate::{Limits, SourceError};

/// Unpacked bytes from which the ratio counts: short texts may repeat themselves.
const RATIO_FROM: u64 = 32 * 1024 * 1024;
/// Bytes that the headers between two entries may take.
const MAX_HEADERS: u64 = 1024 * 1024;

/// Bytes read so far of the two ends of a decompressor.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// `None` where nothing is compressed.
    pub(super) packed: Option<Cell<u64>>,
    pub(super) unpacked: Cell<u64>,
    /// How far `unpacked` may go now.
    until: Cell<Option<u64>>,
}

impl Meter {
    /// Of an archive that is compressed.
    pub(super) fn compressed() -> Self {
        Self {
            packed: Some(Cell::new(0)),
            ..Self::default()
        }
    }

    /// From here to the next entry there are `skipped` bytes and headers, which are kept in memory.
    pub(super) fn expect_headers(&self, skipped: u64) {
        let room = skipped.saturating_add(MAX_HEADERS);
        self.until
            .set(Some(self.unpacked.get().saturating_add(room)));
    }

    /// From here on there is an entry, of which others count the bytes.
    pub(super) fn expect_content(&self) {
        self.until.set(None);
    }

    /// Notes unpacked bytes.
    ///
    /// *Errors*: too many of them, as a [`SourceError`] in the error.
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

/// Checks how many times its size an archive unpacks to.
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

/// Counts what goes into a decompressor.
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

/// Counts what comes out of one, or of an archive without one.
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
