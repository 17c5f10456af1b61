//! `citations`: whether entries name the files of the repository that they are about, and whether these files are compared.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether entries name the files of the repository that they are about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CitationsMode {
    /// An entry names the files that its text cites, each by path and hash; when it is shown, they are compared.
    #[default]
    On,
    /// It names none, and no file is read.
    Off,
}

impl CitationsMode {
    /// Whether it is the default.
    pub(in crate::config) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the word in the settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for CitationsMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
