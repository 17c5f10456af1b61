//! Reads a library's documentation: a source's files → [`readers::read`] → [`chunks::cut`].
//!
//! Pure: no SQL, no search, no transport. What is stored and how it is found is decided elsewhere.

pub mod chunks;
pub mod document;
pub mod readers;
#[cfg(test)]
mod tests;
pub mod tokens;
