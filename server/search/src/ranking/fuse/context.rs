//! What the context of a query adds to it: cosines and embeddings of both.

/// What a cosine to the query's context counts, relative to one to the query.
const CONTEXT_SHARE: f32 = 0.3;

/// Raises the cosines to a query by those to its context. `context` holds the latter and receives the sums.
/// Nothing is lowered: a record that is not similar to the context may still be the answer.
pub(crate) fn add_context(cosines: &[f32], context: &mut [f32]) {
    for (around, cosine) in context.iter_mut().zip(cosines) {
        // Without a vector the cosine is `NaN`, and so is the sum.
        *around = cosine + CONTEXT_SHARE * around.max(0.0);
    }
}

/// Returns the embedding whose dot products with records equal what [`add_context`] makes of their cosines, if
/// no record has a negative cosine to the context.
pub(crate) fn with_context(embedding: &[f32], context: &[f32]) -> Vec<f32> {
    let both = embedding.iter().zip(context);
    both.map(|(query, around)| query + CONTEXT_SHARE * around)
        .collect()
}
