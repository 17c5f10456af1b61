//! Internationalization: the language of a page, and the texts in each language.

pub(crate) mod language;
pub(crate) mod words;
