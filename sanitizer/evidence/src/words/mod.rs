//! Words: in names, in sets, in sentences.

pub mod message;
pub mod word_set;
pub mod wordlike;
