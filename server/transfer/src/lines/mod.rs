//! Reads the lines of a file, with line numbers and a maximum length.

use std::io::{self, BufRead, Read as _};

/// A reader of lines.
pub(super) struct Lines<R> {
    input: R,
    longest: usize,
    number: u64,
    bytes: u64,
}

/// The next item.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line that is too long; it was skipped.
    TooLong,
    /// The end of the file.
    End,
}

impl<R: BufRead> Lines<R> {
    /// Creates a reader of lines of up to `longest` bytes.
    pub(super) fn new(input: R, longest: usize) -> Self {
        Self {
            input,
            longest,
            number: 0,
            bytes: 0,
        }
    }

    /// Returns the number of the last line, counted from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns how many bytes were read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads the next line.
    pub(super) fn next(&mut self) -> io::Result<Found> {
        let mut line = Vec::new();
        // One byte more for the line's end.
        let most = self.longest as u64 + 1;
        let read = self
            .input
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(Found::End);
        }
        self.number += 1;
        self.bytes += read as u64;
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > self.longest {
            self.skip_line()?;
            return Ok(Found::TooLong);
        }
        Ok(Found::Line(line))
    }

    /// Skips the rest of the line without storing it.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let ahead = self.input.fill_buf()?;
            let end = memchr::memchr(b'\n', ahead);
            let passed = end.map_or(ahead.len(), |at| at + 1);
            self.input.consume(passed);
            self.bytes += passed as u64;
            if end.is_some() || passed == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
