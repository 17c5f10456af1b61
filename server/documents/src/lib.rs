//! Reading a library's documentation: files → [`readers::read`] → [`chunks::cut`].
//!
//! No SQL, no search, no transport: what is stored and how it is found is decided elsewhere. Files
//! that could bring a reader down go through a [`sandbox`].

pub mod chunks;
pub mod decode;
pub mod document;
pub mod readers;
pub mod sandbox;
#[cfg(test)]
mod tests;
pub mod tokens;
mod versions;

pub use self::{
    chunks::{AskedLanguage, language_named_in, language_names, language_of_fence},
    versions::by_version,
};
