//! Reads names of keys: does `name = value` name a secret, a user or a person?

pub mod key;
pub(crate) mod key_words;
