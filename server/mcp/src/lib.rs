//! What programs see of the server: tools, resources and prompts, over MCP and plain JSON-RPC.
//!
//! Requests arrive over HTTP, WebSockets or standard input, and pass a guard first.

pub mod error;
pub mod tools;
pub mod transports;
