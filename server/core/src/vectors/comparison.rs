//! Converts stored vectors to the form in which the search compares them.
//!
//! The database stores vectors as the model computed them, so that programs that compare them in another
//! way can use the same database. The compared form is derived when a record is indexed.

use std::sync::LazyLock;

use recall_kit_embed::{BuiltinEmbedder, Embedder};
use recall_kit_search::{Language, Row, passages, quantize};

use super::Embedding;

/// Returns the compared form of a stored vector, and the language of its record. Without a model, or if
/// the vector is damaged, the vector is returned unchanged.
pub(crate) fn compared(
    embedding: &Embedding,
    stored: Option<Vec<u8>>,
) -> (Option<Vec<u8>>, Language) {
    match embedding.model_in_use() {
        Some(embedder) => compared_by(embedder.as_ref(), stored),
        None => (stored, Language::default()),
    }
}

/// Returns a row with its vector in the form in which servers with the model compare it, for a server
/// without the model. A vector of any model but the built-in one stays unchanged.
pub(crate) fn compared_by_others(row: Row, model: &str) -> Row {
    static BUILTIN: LazyLock<BuiltinEmbedder> = LazyLock::new(BuiltinEmbedder::new);
    if model != BUILTIN.model() {
        return row;
    }
    let (vector, language) = compared_by(&*BUILTIN, row.vector);
    Row {
        vector,
        language,
        ..row
    }
}

fn compared_by(embedder: &dyn Embedder, stored: Option<Vec<u8>>) -> (Option<Vec<u8>>, Language) {
    let passages = stored.as_deref().map(passages).unwrap_or_default();
    let Some(first) = passages.first() else {
        return (stored, Language::default());
    };
    let language = Language::of(embedder.language(first));
    let compared = passages.iter().map(|passage| embedder.compared(passage));
    let compared: Vec<Vec<f32>> = compared.collect();
    (Some(quantize(&compared)), language)
}

/// Returns the name of the vector space in which the vectors of a model are compared.
pub(crate) fn space(embedding: &Embedding, model: String) -> String {
    match embedding.model() {
        Some(embedder) if embedder.model() == model => embedder.space(),
        _ => model,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recall_kit_embed::normalized;
    use recall_kit_search::{Language, Row};

    fn stored() -> Row {
        let vector = (0..384_u16).map(|at| f32::from(at * 7 % 13) - 6.0);
        Row {
            seq: 1,
            id: uuid::Uuid::nil(),
            created_at: 0,
            query_count: 0,
            popularity: 0,
            vector: Some(quantize(&[normalized(vector.collect())])),
            language: Language::default(),
            is_gone: false,
        }
    }

    #[test]
    fn only_vectors_of_the_builtin_model_are_mapped_for_servers_that_have_it() {
        let model = BuiltinEmbedder::new();
        let mapped = compared_by_others(stored(), model.model());
        let passages = passages(&stored().vector.unwrap_or_default());
        let compared = model.compared(&passages[0]);
        assert_eq!(mapped.vector, Some(quantize(&[compared])));
        assert_eq!(mapped.language, Language::of(model.language(&passages[0])));
        assert_ne!(mapped, stored());
        assert_eq!(compared_by_others(stored(), "another model"), stored());
    }
}
