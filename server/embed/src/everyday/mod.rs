//! Everyday questions: those that no record of work with computers answers.
//!
//! Cooking, sports, the weather: a linear classifier tells such questions by their mapped vectors, so in
//! every language. A record must then be much more like the question to be an answer; what that is,
//! the search says. `server/embed/models/training` makes the classifier.

use std::sync::LazyLock;

static CLASSIFIER: &[u8] = include_bytes!("../../models/multilingual-e5-small-everyday.bin");

const MAGIC: &[u8; 8] = b"RKEVD001";
const DIMENSIONS: usize = super::centre::DIMENSIONS;
/// Log odds from which a question counts as everyday: one in a hundred technical questions reaches -0.9.
const LEAST_LOG_ODDS: f32 = -0.5;

/// Returns how far a query, as it is compared, is on the side of everyday questions, in log odds; 0 on
/// the other side.
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
    LazyLock::new(|| parse(CLASSIFIER).expect("the shipped classifier is whole"));

/// Reads a classifier; `server/embed/models/README.md` has the layout.
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
    let is_whole = u32::from_le_bytes(*dimensions) as usize == DIMENSIONS;
    (is_whole && weights.len() == DIMENSIONS).then_some(Classifier { weights, bias })
}

#[cfg(test)]
mod tests;
