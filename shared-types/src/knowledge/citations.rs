//! Citations: the files of a repository that an entry is about, as they were when it was written.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits of citations.
pub mod citation_limits {
    /// The most citations of one entry.
    pub const MAX_CITATIONS: usize = 20;
    /// The maximum length of a path. *Unit*: bytes.
    pub const MAX_PATH_BYTES: usize = 400;
    /// The length of a SHA-256 in hexadecimal digits.
    pub const SHA256_CHARS: usize = 64;
}

/// The `_meta` key by which a call of `rekall_add` says which files the entry is about: a list of [`Citation`]. In a call of
/// `rekall_search` it is `true`, and requests the citations of the results.
pub const CITATIONS_META: &str = "io.recallkit/citations";

/// A file of a repository, as it was when an entry was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Citation {
    /// Its path from the root of the repository, with `/`.
    pub path: String,
    /// The SHA-256 of its bytes, with each CRLF read as LF, in 64 lower-case hexadecimal digits.
    pub sha256: String,
}

impl Citation {
    /// Returns what is wrong with a path, and what to do; `None` if it can be cited. The server refuses such a path, and the
    /// client neither sends one nor looks for its file.
    pub fn path_fault(path: &str) -> Option<&'static str> {
        let mut parts = path.split('/');
        let has_drive =
            matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        if path.is_empty() {
            Some("is empty; give the path of a file")
        } else if path.len() > citation_limits::MAX_PATH_BYTES {
            Some("has more than 400 bytes; leave this file out")
        } else if path.contains('\\') {
            Some("has a backslash; separate folders by /")
        } else if path.starts_with('/') || has_drive {
            Some("is absolute; give the path from the root of the repository, such as src/pool.rs")
        } else if path.chars().any(char::is_control) {
            Some("has control characters; remove them")
        } else if parts.any(|part| matches!(part, "" | "." | "..")) {
            Some("has an empty part, . or ..; give the plain path from the root of the repository")
        } else {
            None
        }
    }

    /// Returns whether a text is a SHA-256 as citations have it.
    pub fn is_sha256(text: &str) -> bool {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        text.len() == citation_limits::SHA256_CHARS && text.bytes().all(is_digit)
    }
}

/// Writes the line that `sha256sum` prints.
impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}", self.sha256, self.path)
    }
}

/// A file that an entry is about, in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CitedFile {
    /// Its path from the root of the repository, with `/`.
    pub path: String,
    /// What its SHA-256 was when the entry was written.
    pub sha256: String,
    /// How it is in the working tree of the one who asks; the client adds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<FileState>,
    /// What its state means, in a sentence; the client adds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl From<Citation> for CitedFile {
    fn from(citation: Citation) -> Self {
        Self {
            path: citation.path,
            sha256: citation.sha256,
            state: None,
            note: None,
        }
    }
}

/// How a cited file is in a working tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum FileState {
    /// As it was when the entry was written.
    Same,
    /// The entry was written for another version of it.
    Changed,
    /// It is not there.
    Missing,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::super::SearchResult;

    #[test]
    #[allow(clippy::unwrap_used)]
    fn newer_fields_of_a_cited_file_do_not_spoil_an_answer() {
        let result: Value = json!({
            "id": "1", "type": "bug", "title": "", "score": 1.0, "snippet": "", "tags": [],
            "citations": [{"path": "a.rs", "sha256": "0", "line": 3}],
        });
        let result: SearchResult = from_value(result).unwrap();
        assert_eq!(result.citations[0].path, "a.rs");
    }
}
