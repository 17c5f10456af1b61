//! The wire protocols: MCP and plain JSON-RPC, on every transport.

pub(crate) mod calls;
pub(crate) mod conformance;
pub(crate) mod contract;
pub(crate) mod described_examples;
pub(crate) mod features;
pub(crate) mod json_rpc;
pub(crate) mod mcp;
pub(crate) mod prompts;
pub(crate) mod resources;
pub(crate) mod sessions;
pub(crate) mod sse;
pub(crate) mod stdio;
pub(crate) mod text;
pub(crate) mod websocket;
