//! An uploaded file, for example from a browser. The server chooses where it is stored; its name is only
//! displayed, and determines its format.

use std::sync::Arc;

use tempfile::NamedTempFile;

use super::{
    skip,
    typed::{self, Location},
};

/// The prefix of the origin of an uploaded file.
pub(super) const SENT: &str = "upload:";
/// The most characters of a name that are kept.
const MAX_NAME_CHARS: usize = 100;

/// An input to be ingested.
#[derive(Debug, Clone)]
pub enum Input {
    /// A path or an address that the user gave.
    Typed(String),
    /// An uploaded file.
    Sent(SentFile),
}

impl Input {
    /// Returns the input for display: an address without user name and password.
    pub fn shown(&self) -> String {
        match self {
            Self::Sent(file) => file.origin(),
            Self::Typed(text) => match Location::parse(text) {
                Ok(Location::Git(url) | Location::Web(url)) => typed::without_credentials(&url),
                _ => text.clone(),
            },
        }
    }
}

impl From<String> for Input {
    fn from(typed: String) -> Self {
        Self::Typed(typed)
    }
}

/// An uploaded file; deleted when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct SentFile {
    name: String,
    file: Arc<NamedTempFile>,
}

impl SentFile {
    /// Creates it with the name from the sender, without the folders in it.
    pub fn new(name: &str, file: NamedTempFile) -> Self {
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let printable = skip::printable(last.trim());
        // The end of the name determines the format.
        let excess = printable.chars().count().saturating_sub(MAX_NAME_CHARS);
        let name: String = printable.chars().skip(excess).collect();
        Self {
            name: match name.is_empty() {
                true => "file".to_owned(),
                false => name,
            },
            file: Arc::new(file),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the origin for display.
    pub fn origin(&self) -> String {
        format!("{SENT}{}", self.name)
    }

    /// Returns the temporary file.
    pub(super) fn file(&self) -> Arc<NamedTempFile> {
        Arc::clone(&self.file)
    }
}

#[cfg(test)]
mod tests;
