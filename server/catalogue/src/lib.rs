//! The programs, resources and prompts that the settings add to the server's own.
//!
//! This is the part of a general MCP server that knows nothing of experiences, entries or libraries.

mod catalogue;
pub mod programs;
pub mod prompts;
pub mod resources;

pub use self::catalogue::{Catalogue, CatalogueError, Change, Entries};
