//! Everyday topics: what a question is about when no experience answers it.
//!
//! Cooking, sports, the weather: a question that is like one of forty such topics needs a record that
//! is much more like it. What such a record would be is for the search to say.

use std::sync::LazyLock;

use super::builtin::LanguageMap;

/// The vectors of `models/everyday-topics.txt`, one of 384 numbers for each line.
static TOPICS: &[u8] = include_bytes!("../../models/multilingual-e5-small-topics.bin");
const DIMENSIONS: usize = 384;

/// Returns the cosine of a query, as it is compared, to the everyday topic that is most like it.
pub(super) fn nearest(query: &[f32]) -> f32 {
    let cosine = |topic: &Vec<f32>| topic.iter().zip(query).map(|(a, b)| a * b).sum();
    VECTORS.iter().map(cosine).fold(f32::MIN, f32::max)
}

static VECTORS: LazyLock<Vec<Vec<f32>>> = LazyLock::new(|| {
    let number = |bytes: &[u8]| bytes.try_into().map(f32::from_le_bytes).ok();
    let topics = TOPICS.chunks_exact(4 * DIMENSIONS);
    let vectors = topics.map(|topic| topic.chunks_exact(4).filter_map(number).collect());
    vectors
        .map(|vector: Vec<f32>| LanguageMap::builtin().map(&vector))
        .collect()
});

#[cfg(test)]
mod tests;
