//! Everyday questions: those that no record about work with computers answers.
//!
//! Cooking, sports, the weather: a linear classifier recognizes such questions from their mapped vectors, and so
//! in every language. For them, a record must be much more similar to the question to be an answer; the search
//! decides how much. `server/embed/models/training` creates the classifier.

use std::sync::LazyLock;

static CLASSIFIER: &[u8] = include_bytes!("../../models/multilingual-e5-small-everyday.bin");

const MAGIC: &[u8; 8] = b"RKEVD001";
const DIMENSIONS: usize = super::centre::DIMENSIONS;
/// The log odds from which a question counts as everyday: one in a hundred technical questions reaches -0.9.
const LEAST_LOG_ODDS: f32 = -0.5;

/// Returns how far the log odds of a query, as it is compared, exceed the threshold for everyday questions; 0 if
/// they do not.
pub(super) fn excess(query: &[f32]) -> f32 {
    (log_odds(query) - LEAST_LOG_ODDS).max(0.0)
}

/// Returns the log odds that a query is about everyday life.
fn log_odds(query: &[f32]) -> f32 {
    let Classifier { weights, bias } = &*LOADED;
    let sum: f32 = weights.iter().zip(query).map(|(w, x)| w * x).sum();
    sum + bias
}

struct Classifier {
    weights: Vec<f32>,
    bias: f32,
}

static LOADED: LazyLock<Classifier> =
    LazyLock::new(|| parse(CLASSIFIER).expect("the built-in classifier is valid"));

/// Parses a classifier; `server/embed/models/README.md` describes the layout.
fn parse(file: &[u8]) -> Option<Classifier> {
    let (content, checksum) = file.split_last_chunk::<4>()?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let content = content.strip_prefix(MAGIC)?;
    let (dimensions, content) = content.split_first_chunk::<4>()?;
    let numbers = content.as_chunks().0.iter().copied();
    let mut weights: Vec<f32> = numbers.map(f32::from_le_bytes).collect();
    let bias = weights.pop()?;
    let fits_model = u32::from_le_bytes(*dimensions) as usize == DIMENSIONS;
    (fits_model && weights.len() == DIMENSIONS).then_some(Classifier { weights, bias })
}

#[cfg(test)]
mod tests;
