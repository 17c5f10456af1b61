//! The languages of the pages: which one a visitor reads, and the texts in each.

pub(crate) mod language;
pub(crate) mod words;
