//! Settings that limit what clients may send and keep open.

use serde::{Deserialize, Serialize};

/// Limits on what clients may send and keep open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitSettings {
    /// The largest request body, line or WebSocket message, in bytes.
    pub body_bytes: u32,
    /// The largest file that may be uploaded on the web pages, in bytes.
    pub upload_bytes: u32,
    /// The most calls in one JSON-RPC batch.
    pub batch_items: u32,
    /// Calls that one key or one address may make in a minute; each item of a batch counts. 0 means no
    /// limit. Unset: 60,000, and no limit for this machine's own addresses.
    pub calls_per_minute: Option<u32>,
    /// Each so many bytes of a body count as one more call; 0 does not count bytes.
    pub bytes_per_call: u32,
    /// Connections open at once.
    pub connections: u32,
    /// MCP sessions open at once; one key or one address may hold half of them, and no more than
    /// `sessions_per_caller`.
    pub sessions: u32,
    /// MCP sessions that one key or one other machine's address may hold.
    pub sessions_per_caller: u32,
    /// Event streams open at once, shared among callers in the same way.
    pub streams: u32,
    /// WebSockets open at once, shared among callers in the same way.
    pub sockets: u32,
    /// How long a client may take to send a request's headers, in milliseconds.
    pub header_timeout_ms: u64,
    /// How long a client may take to send a request's body, in milliseconds.
    pub body_timeout_ms: u64,
    /// How long a client may leave a response unread before its connection is closed, in milliseconds.
    pub write_timeout_ms: u64,
}

impl Default for LimitSettings {
    fn default() -> Self {
        // The body limit holds a field of 1 MB and its envelope.
        Self {
            body_bytes: 1024 * 1024,
            upload_bytes: 256 * 1024 * 1024,
            batch_items: 50,
            calls_per_minute: None,
            bytes_per_call: 1024,
            connections: 20_000,
            sessions: 10_000,
            sessions_per_caller: 256,
            streams: 10_000,
            sockets: 1_000,
            header_timeout_ms: 30_000,
            body_timeout_ms: 30_000,
            write_timeout_ms: 60_000,
        }
    }
}
