//! Converts byte offsets to line numbers.

/// The starts of a text's lines.
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of a text.
    pub(super) fn of(text: &str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|it| it + 1);
        Self {
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Returns the line, from 1, of a byte offset.
    pub(super) fn line(&self, offset: usize) -> u32 {
        let line = self.starts.partition_point(|it| *it <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }
}
