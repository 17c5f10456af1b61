//! Centring: subtracts from the built-in model's vectors what they have in common.
//!
//! All texts of this model family lie in a narrow cone (two unrelated ones have a cosine of 0.80), and questions
//! lie in another part of it than records. After subtracting the two means, unrelated texts have cosines around
//! 0, and a cosine depends on how similar two texts are, not on how much a record reads like a question. Source
//! of the idea: Mu and Viswanath, "All-but-the-Top" (2018).

use std::sync::LazyLock;

/// The means of queries and records; see `server/embed/models/README.md`.
static CENTRES: &[u8] = include_bytes!("../../models/multilingual-e5-small-centres.bin");
pub(super) const DIMENSIONS: usize = 384;

/// The role of a text in a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A query of a user.
    Query,
    /// A record, or a passage of one.
    Record,
}

/// Subtracts the mean of the vector's kind and normalises the result.
pub(super) fn centred(kind: Kind, mut vector: Vec<f32>) -> Vec<f32> {
    let [query, record] = &*MEANS;
    let mean = match kind {
        Kind::Query => query,
        Kind::Record => record,
    };
    for (value, mean) in vector.iter_mut().zip(mean) {
        *value -= mean;
    }
    normalized(vector)
}

/// Scales a vector to length 1; a vector of zeros is returned unchanged.
pub fn normalized(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in &mut vector {
            *value /= length;
        }
    }
    vector
}

static MEANS: LazyLock<[Vec<f32>; 2]> = LazyLock::new(|| {
    let mut values = CENTRES
        .chunks_exact(4)
        .filter_map(|bytes| Some(f32::from_le_bytes(bytes.try_into().ok()?)));
    let query = values.by_ref().take(DIMENSIONS).collect();
    [query, values.collect()]
});

#[cfg(test)]
mod tests;
