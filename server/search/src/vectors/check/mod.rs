//! Checks whether bytes from outside are a stored vector that can be compared with others.

use super::stored_passages;

/// Why bytes are not a usable stored vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnfitVector {
    /// It is truncated or empty, or has a scale that is not a finite, positive number.
    #[error("it is truncated, empty or has an invalid scale")]
    Broken,
    /// It has another number of dimensions than the others.
    #[error("it has {found} dimensions, not {expected}")]
    Dimensions {
        /// Its number of dimensions.
        found: usize,
        /// The number of dimensions of the others.
        expected: usize,
    },
    /// One of its passages has no direction.
    #[error("it is all zeros")]
    Zero,
    /// It has more passages than a record may have.
    #[error("it has {found} passages, more than {most}")]
    Passages {
        /// Its number of passages.
        found: usize,
        /// The most passages that a record may have.
        most: usize,
    },
}

/// Checks bytes that [`super::quantize`] may have written, and returns their number of dimensions.
///
/// *Errors*: [`UnfitVector`], if the vector has another number of dimensions than `dimensions` (`None` accepts
/// any), has more than `most` passages, or cannot be compared.
pub fn check_stored(
    stored: &[u8],
    dimensions: Option<usize>,
    most: usize,
) -> Result<usize, UnfitVector> {
    let (found, passages) = stored_passages(stored).ok_or(UnfitVector::Broken)?;
    if let Some(expected) = dimensions.filter(|expected| *expected != found) {
        return Err(UnfitVector::Dimensions { found, expected });
    }
    let mut count = 0;
    for passage in passages {
        if passage.iter().all(|byte| *byte == 0) {
            return Err(UnfitVector::Zero);
        }
        count += 1;
    }
    match count {
        0 => Err(UnfitVector::Broken),
        count if count > most => Err(UnfitVector::Passages { found: count, most }),
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests;
