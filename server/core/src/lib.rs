//! The use cases of the server, with one folder per noun.
//!
//! A use case takes the [`app::App`] and usually the caller, checks whether the caller is allowed to call it,
//! and works with the store, the index and the model. It does not depend on routes, sessions or MCP messages:
//! tools, pages and commands call it. [`validation`] checks the arguments that they pass on; [`background`] has
//! the tasks that run independently of calls.

pub mod access;
pub mod admission;
pub mod app;
pub mod background;
pub mod chat;
pub mod detached;
pub mod error;
pub mod experiences;
pub mod indexing;
pub mod knowledge;
pub mod recall;
pub mod scrape;
pub mod validation;
pub mod vectors;
