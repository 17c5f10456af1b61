//! The use cases of the server, by noun, without SQL and without transports.
//!
//! Each module is what the server does with one kind of thing. A use case takes the [`app::App`] and the
//! caller, decides whether the caller may, and works with the store, the index and the model. It knows
//! nothing of JSON, HTTP or MCP: tools and pages call it.

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
