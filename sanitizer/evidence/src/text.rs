//! Cuts texts at character boundaries.

/// Returns the largest character boundary that is not past `at`.
#[inline]
pub fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// Returns the last `length` bytes of a text, or a little less.
#[inline]
pub fn tail(text: &str, length: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(length))..)
        .unwrap_or_default()
}

/// Returns the first `length` bytes of a text, or a little less.
#[inline]
pub fn head(text: &str, length: usize) -> &str {
    text.get(..floor(text, length)).unwrap_or_default()
}
