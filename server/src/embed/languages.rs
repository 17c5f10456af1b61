//! Takes out of a record's vector what it says about its language, so that two records about one
//! topic are alike in any two languages, and two of one language only by their topics.
//!
//! The mean vectors of texts in different languages differ along a few directions. Without these, and
//! without what all texts still have in common, unrelated records have cosines around 0. Searching is
//! better off with them: a question's language is a hint to the record. Source: Libovický, Rosa and
//! Fraser, "On the Language Neutrality of Pre-trained Multilingual Representations" (2020).

use std::sync::LazyLock;

use super::centre::normalized;

/// A mean, and directions of length 1 at right angles; see `server/models/README.md`.
static LANGUAGES: &[u8] = include_bytes!("../../models/multilingual-e5-small-languages.bin");
const DIMENSIONS: usize = 384;

/// Returns a record's vector without its language, normalised.
pub(super) fn without(record: &[f32]) -> Vec<f32> {
    let Some((mean, directions)) = VECTORS.split_first() else {
        return record.to_vec();
    };
    let mut topic = record.to_vec();
    for direction in directions {
        let share: f32 = topic.iter().zip(direction).map(|(a, b)| a * b).sum();
        for (value, along) in topic.iter_mut().zip(direction) {
            *value -= share * along;
        }
    }
    for (value, mean) in topic.iter_mut().zip(mean) {
        *value -= mean;
    }
    normalized(topic)
}

static VECTORS: LazyLock<Vec<Vec<f32>>> = LazyLock::new(|| {
    let number = |bytes: &[u8]| bytes.try_into().map(f32::from_le_bytes).ok();
    let vectors = LANGUAGES.chunks_exact(4 * DIMENSIONS);
    vectors
        .map(|vector| vector.chunks_exact(4).filter_map(number).collect())
        .collect()
});

#[cfg(test)]
mod tests;
