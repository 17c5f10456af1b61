//! The server's interface for programs: tools, resources and prompts, over MCP and plain JSON-RPC.
//!
//! Requests arrive over HTTP, WebSockets or standard input; the guard checks each HTTP request first.

pub mod error;
pub mod tools;
pub mod transports;
