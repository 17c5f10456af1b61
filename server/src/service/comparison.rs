//! Stored vectors as the search compares them.
//!
//! The database keeps vectors as the model made them, so that programs with another way to compare
//! them can use the same database. What is compared is derived when a record is taken in.

use crate::{
    app::App,
    embed::Embedder,
    search::{Language, passages, quantize},
    service::vectors::model_in_use,
};

/// Returns a stored vector as it is compared, and the language of its record.
pub(super) fn compared(app: &App, stored: Option<Vec<u8>>) -> (Option<Vec<u8>>, Language) {
    match (model_in_use(app), stored) {
        (Some(embedder), Some(stored)) => {
            let (compared, language) = compared_by(&**embedder, stored);
            (Some(compared), language)
        }
        (_, stored) => (stored, Language::default()),
    }
}

/// Does what [`compared`] does, with a model.
pub(super) fn compared_by(embedder: &dyn Embedder, stored: Vec<u8>) -> (Vec<u8>, Language) {
    let passages = passages(&stored);
    let Some(first) = passages.first() else {
        // Damaged, which the index sees for itself.
        return (stored, Language::default());
    };
    let language = Language::of(embedder.language(first));
    let compared = passages.iter().map(|passage| embedder.compared(passage));
    (quantize(&compared.collect::<Vec<_>>()), language)
}

/// Returns the name of what the vectors of a model are compared as.
pub(super) fn space(app: &App, model: String) -> String {
    match &app.embedder {
        Some(embedder) if embedder.model() == model => embedder.space(),
        _ => model,
    }
}
