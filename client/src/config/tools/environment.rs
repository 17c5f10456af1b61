//! `environment`: whether queries and reports say which versions of packages and runtimes are in use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether queries and reports say which versions are in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnvironmentMode {
    /// They name the public packages that the question or its error output mentions, and runtimes and the platform if
    /// it is about a build or a run.
    #[default]
    Relevant,
    /// They name nothing.
    Off,
}

impl EnvironmentMode {
    /// Whether it is the default.
    pub(in crate::config) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the word in the settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relevant => "relevant",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for EnvironmentMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
