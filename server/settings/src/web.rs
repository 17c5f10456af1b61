//! Settings of the web pages.

use serde::{Deserialize, Serialize};

/// Settings of the web pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WebSettings {
    /// A session ends after this time without use, in milliseconds.
    pub session_idle_ms: u64,
    /// A session ends at the latest this long after it began, in milliseconds.
    pub session_lifetime_ms: u64,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self {
            session_idle_ms: 7 * 24 * 60 * 60 * 1_000,
            session_lifetime_ms: 30 * 24 * 60 * 60 * 1_000,
        }
    }
}
