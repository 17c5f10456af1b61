//! Stored vectors as the search compares them.
//!
//! The database keeps vectors as the model made them, so that programs with another way to compare
//! them can use the same database. What is compared is derived when a record is taken in.

use crate::{
    app::App,
    search::{Language, passages, quantize},
    service::vectors::model_in_use,
};

/// Returns a stored vector as it is compared, and the language of its record. Without a model, or where
/// the vector is damaged, it stays as it is.
pub(super) fn compared(app: &App, stored: Option<Vec<u8>>) -> (Option<Vec<u8>>, Language) {
    let passages = stored.as_deref().map(passages).unwrap_or_default();
    let (Some(embedder), Some(first)) = (model_in_use(app), passages.first()) else {
        return (stored, Language::default());
    };
    let language = Language::of(embedder.language(first));
    let compared = passages.iter().map(|passage| embedder.compared(passage));
    let compared: Vec<Vec<f32>> = compared.collect();
    (Some(quantize(&compared)), language)
}

/// Returns the name of what the vectors of a model are compared as.
pub(super) fn space(app: &App, model: String) -> String {
    match &app.embedder {
        Some(embedder) if embedder.model() == model => embedder.space(),
        _ => model,
    }
}
