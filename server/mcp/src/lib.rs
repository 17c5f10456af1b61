//! What clients see of the server: its tools, resources and prompts over MCP and plain JSON-RPC, on HTTP,
//! WebSockets and standard input and output, and the guard before them.

pub mod error;
pub mod tools;
pub mod transports;
