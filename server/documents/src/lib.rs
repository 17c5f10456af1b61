//! Reads the documentation of a library: files → [`readers::read`] → [`chunks::cut`].
//!
//! This crate has no SQL, search or transport: other crates decide what is stored and how it is found. Files
//! that could crash or stall a reader are read in a [`sandbox`].

pub mod chunks;
pub mod decode;
pub mod document;
pub mod readers;
pub mod sandbox;
#[cfg(test)]
mod tests;
pub mod tokens;
mod versions;

pub use self::versions::by_version;
