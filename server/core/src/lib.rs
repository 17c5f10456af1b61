//! The use cases of the server, in a folder for each noun.
//!
//! A use case takes the [`app::App`] and usually the caller, decides whether the caller may, and works with the
//! store, the index and the model. It knows no route, no session and no MCP message: tools, pages and commands
//! call it. [`validation`] reads the arguments that they pass on; [`background`] is what runs besides the calls.

pub mod access;
pub mod app;
pub mod background;
pub mod catalogue;
pub mod chat;
mod detached;
pub mod error;
pub mod experiences;
pub mod indexing;
pub mod knowledge;
pub mod libraries;
pub mod scrape;
pub mod validation;
pub mod vectors;
