//! Words: how a text becomes terms, which terms say nothing, and what texts have in common.

pub(crate) mod analysis;
pub(crate) mod common_terms;
pub(crate) mod language;
pub(crate) mod snippet;
pub(crate) mod stop_words;
