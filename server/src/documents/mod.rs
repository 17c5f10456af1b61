//! Reading a library's documentation: the files of a [`source`] → [`readers::read`] → [`chunks::cut`].
//!
//! Pure: no SQL, no search, no transport. What is stored and how it is found is decided elsewhere.

pub mod chunks;
pub mod decode;
pub mod document;
pub mod readers;
pub mod source;
#[cfg(test)]
mod tests;
pub mod tokens;
mod versions;

pub use self::{
    chunks::{AskedLanguage, language_named_in, language_names, language_of_fence},
    versions::by_version,
};
