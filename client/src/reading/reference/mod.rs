//! What a result is opened with: the beginning of a record's id, or a section of documentation.
//!
//! A reference is short enough to be typed, and complete: nothing has to be remembered between two commands.

#[cfg(test)]
mod tests;

use std::{fmt, str::FromStr};

use recall_kit_shared_types::{
    ToolName,
    libraries::LibraryDocument,
    recall::{RecallResult, ToolCall},
};
use serde_json::Value;

/// The longest id of a record: that of an experience.
const LONGEST_ID: usize = 36;
/// The shortest beginning of an id that servers accept.
const SHORTEST_ID: usize = 5;
/// How much of a section's title is in its reference. *Unit*: characters; a word is not cut.
const TITLE_CHARS: usize = 40;
/// The lengths to which the id of an experience is cut: the time of its creation, to the millisecond; with
/// the part up to the next dash where two share that; the whole id.
const SHORT_IDS: [usize; 3] = [13, 18, LONGEST_ID];

/// What to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// An experience or an entry, by its id or the beginning of it.
    Record(String),
    /// A section of documentation.
    Section(Section),
}

/// A section of documentation: `7@v1.10.0/query-parameters`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The library's id.
    pub(super) library: u64,
    /// The version.
    pub(super) version: String,
    /// The beginning of the title, in lower case, with a dash between words.
    title: String,
}

/// A text is no reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "give an id as results show it: at least 5 characters of an entry's, 13 of an experience's, or LIBRARY@VERSION/SECTION"
)]
pub struct ReferenceError;

impl Reference {
    /// Returns the reference of a result of `recall`; `None` if a newer server opens it in a way that this
    /// program does not know.
    pub fn of(result: &RecallResult) -> Option<Self> {
        let ToolCall { tool, arguments } = &result.open;
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        match tool.parse() {
            Ok(ToolName::RekallShow) => text("id")?.parse().ok(),
            Ok(ToolName::GetLibraryDocs) => Some(Self::section(
                arguments.get("libraryId")?.as_u64()?,
                text("version")?,
                text("topic")?,
            )),
            _ => None,
        }
    }

    /// Returns the reference of a section of documentation.
    pub fn section(library: u64, version: &str, title: &str) -> Self {
        Self::Section(Section {
            library,
            version: version.to_owned(),
            title: dashed(title),
        })
    }

    /// Returns the same reference with another title, if it is one of a section.
    pub(super) fn with_title(&self, title: &str) -> String {
        match self {
            Self::Record(id) => id.clone(),
            Self::Section(section) => {
                let (library, version) = (section.library, &section.version);
                format!("{library}@{version}/{}", words_of(title).join("-"))
            }
        }
    }
}

impl Section {
    /// Returns the words of the title, to search for.
    pub(super) fn topic(&self) -> String {
        self.title.replace('-', " ")
    }

    /// Whether a document is this section.
    pub(super) fn fits(&self, document: &LibraryDocument) -> bool {
        let title = words_of(&document.title).join("-");
        match title.strip_prefix(&self.title) {
            Some(rest) => rest.is_empty() || rest.starts_with('-'),
            None => false,
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(id) => f.write_str(id),
            Self::Section(Section {
                library,
                version,
                title,
            }) => write!(f, "{library}@{version}/{title}"),
        }
    }
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let text = text.trim();
        if let Some((library, rest)) = text.split_once('@') {
            // Versions may contain a slash, titles do not.
            let (version, title) = rest.rsplit_once('/').ok_or(ReferenceError)?;
            let title = words_of(title).join("-");
            let library = library.parse().map_err(|_| ReferenceError)?;
            if version.is_empty() || title.is_empty() {
                return Err(ReferenceError);
            }
            return Ok(Self::Section(Section {
                library,
                version: version.to_owned(),
                title,
            }));
        }
        let is_id = text.chars().all(|c| c == '-' || c.is_ascii_alphanumeric());
        match is_id && (SHORTEST_ID..=LONGEST_ID).contains(&text.len()) {
            true => Ok(Self::Record(text.to_owned())),
            false => Err(ReferenceError),
        }
    }
}

/// Returns the beginning of a title in lower case, with a dash between words.
fn dashed(title: &str) -> String {
    let mut dashed = String::new();
    for word in words_of(title) {
        let is_first = dashed.is_empty();
        if !is_first && dashed.chars().count() + word.chars().count() >= TITLE_CHARS {
            break;
        }
        if !is_first {
            dashed.push('-');
        }
        dashed.push_str(&word);
    }
    dashed
}

/// Returns the words of a title in lower case.
fn words_of(title: &str) -> Vec<String> {
    let words = title.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns the beginning of each id of an experience: long enough for a server to find it, and for each to
/// differ from the others.
pub fn short_ids<'a>(ids: &[&'a str]) -> Vec<&'a str> {
    let short = |id: &&'a str| {
        let cut = SHORT_IDS.map(|length| id.get(..length).unwrap_or(id));
        let is_only = |cut: &&str| {
            let mut others = ids.iter().filter(|other| *other != id);
            !others.any(|other| other.starts_with(*cut))
        };
        cut.into_iter().find(is_only).unwrap_or(id)
    };
    ids.iter().map(short).collect()
}
