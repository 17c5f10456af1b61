//! `hooks` and `outcomes`: what hooks put before an agent, and what they report about it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The default of [`HooksConfig::tokens_per_session`].
const TOKENS_PER_SESSION: u32 = 2000;

/// What hooks put before an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HooksConfig {
    /// The most tokens (cl100k) in a session; 0 puts nothing before it.
    pub tokens_per_session: u32,
}

impl HooksConfig {
    /// Whether everything has its default.
    pub(in crate::config) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for HooksConfig {
    fn default() -> Self {
        Self {
            tokens_per_session: TOKENS_PER_SESSION,
        }
    }
}

/// How it is found out whether an experience that was shown helped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomesMode {
    /// Hooks see whether the failing command works again after what the experience advises, and report that: the
    /// experience's id and the outcome, no text.
    #[default]
    Observe,
    /// The user is told how to say so.
    Ask,
    /// Nothing is reported.
    Off,
}

impl OutcomesMode {
    /// Whether it is the default.
    pub(in crate::config) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the word in the settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Ask => "ask",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for OutcomesMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
