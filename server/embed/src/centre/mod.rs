//! Centring: takes out of the built-in model's vectors what they all have in common.
//!
//! Every text of this family lies in a narrow cone (two unrelated ones have a cosine of 0.80), and
//! questions in another part of it than records. Without the two means unrelated texts have cosines
//! around 0, and how alike two texts are decides, not how much a record looks like a question. Source
//! of the idea: Mu and Viswanath, "All-but-the-Top" (2018).

use std::sync::LazyLock;

/// The two means; see `server/embed/models/README.md`.
static CENTRES: &[u8] = include_bytes!("../../models/multilingual-e5-small-centres.bin");
pub(super) const DIMENSIONS: usize = 384;

/// What a text is to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What a user looks for.
    Query,
    /// A record, or a passage of one.
    Record,
}

/// Moves a vector to where the others of its kind are around the origin, and normalises it.
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

/// Scales a vector to length 1; one of zeros stays.
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
