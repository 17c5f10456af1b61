//! The use cases of the server, with one folder per noun.
//!
//! A use case takes the state of its noun, such as [`experiences::Experiences`], and usually the caller, checks
//! whether the caller is allowed to call it, and works with the store, the index and the model. [`app::App`]
//! builds these states and holds them. It does not depend on routes, sessions or MCP messages:
//! tools, pages and commands call it. [`validation`] checks the arguments that they pass on; [`background`] has
//! the tasks that run independently of calls.

pub mod access;
pub mod admission;
pub mod app;
pub mod background;
pub mod chat;
pub mod clock;
pub mod detached;
pub mod error;
pub mod experiences;
pub mod indexing;
pub mod knowledge;
pub mod purge;
pub mod validation;
pub mod vectors;
