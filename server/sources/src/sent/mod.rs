//! A file that somebody sent, as a browser does: it lies where the server put it; its name is only
//! shown, and tells its format.

use std::sync::Arc;

use tempfile::NamedTempFile;

use super::{
    skip,
    typed::{self, Typed},
};

/// What the origin of a file that was sent begins with.
pub(super) const SENT: &str = "upload:";
/// Characters of a name that are kept.
const MAX_NAME_CHARS: usize = 100;

/// What is to be read in.
#[derive(Debug, Clone)]
pub enum Input {
    /// A path or an address, as a person typed it.
    Typed(String),
    /// A file that somebody sent.
    Sent(SentFile),
}

impl Input {
    /// Returns what may be shown of it: an address without user name and password.
    pub fn shown(&self) -> String {
        match self {
            Self::Sent(file) => file.origin(),
            Self::Typed(text) => match Typed::parse(text) {
                Ok(Typed::Git(url) | Typed::Web(url)) => typed::shown(&url),
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

/// A file that somebody sent; gone when nobody reads it any more.
#[derive(Debug, Clone)]
pub struct SentFile {
    name: String,
    file: Arc<NamedTempFile>,
}

impl SentFile {
    /// Takes a file over under the name that its sender gave it, of which the folders are left out.
    pub fn new(name: &str, file: NamedTempFile) -> Self {
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let printable = skip::printable(last.trim());
        // The end says the format.
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

    /// Returns what it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what is said of where it came from.
    pub fn origin(&self) -> String {
        format!("{SENT}{}", self.name)
    }

    /// Returns where it lies.
    pub(super) fn kept(&self) -> Arc<NamedTempFile> {
        Arc::clone(&self.file)
    }
}

#[cfg(test)]
mod tests;
