//! Words: how a text becomes terms, which terms are uninformative, and which words texts share.

pub(crate) mod analysis;
pub(crate) mod common_terms;
pub(crate) mod language;
pub(crate) mod snippet;
pub(crate) mod stop_words;
