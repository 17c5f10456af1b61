//! Whether stored bytes are a vector that can be compared with others: for bytes from outside.

use super::stored_passages;

/// Why bytes are no vector that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnfitVector {
    /// It is cut short, empty, or has a scale that is no finite, positive number.
    #[error("it is no whole vector")]
    Broken,
    /// It is of another size than the others.
    #[error("it has {found} dimensions, not {expected}")]
    Dimensions {
        /// How many it has.
        found: usize,
        /// How many the others have.
        expected: usize,
    },
    /// One of its passages points nowhere.
    #[error("it is all zeros")]
    Zero,
    /// It stands for more passages than a record has.
    #[error("it has {found} passages, more than {most}")]
    Passages {
        /// How many it has.
        found: usize,
        /// How many a record may have.
        most: usize,
    },
}

/// Checks what [`super::quantize`] may have written, and returns its dimensions.
///
/// *Errors*: [`UnfitVector`], where it has other than `dimensions` (none: any number will do) or more
/// than `most` passages, or cannot be compared.
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
