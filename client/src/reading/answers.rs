//! The answers of the reading tools, as they come from one server or are merged from several.
//!
//! From one server their JSON is that of the tool; from several, each item also names its `origin`.

use recall_kit_shared_types::{
    knowledge::{EntryData, SearchData, SearchResult},
    libraries::{
        EmbeddingProgress, LibraryDocsData, LibraryDocument, LibraryMatch, SearchLibrariesData,
    },
    recall::{RecallData, RecallResult},
};
use serde::Serialize;

use crate::{Unanswered, connection::servers::Answers};

/// An item, and the server it is from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Labelled<T> {
    /// The item.
    #[serde(flatten)]
    pub item: T,
    /// With several servers: the name of the server that the item is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

impl<T> From<T> for Labelled<T> {
    fn from(item: T) -> Self {
        let origin = None;
        Self { item, origin }
    }
}

/// Labels items with the server they are from.
fn labelled<T>(items: Vec<T>, origin: Option<&str>) -> impl Iterator<Item = Labelled<T>> {
    items.into_iter().map(move |item| Labelled {
        item,
        origin: origin.map(str::to_owned),
    })
}

/// The answer of `recall`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recalled {
    /// The query, as it was sent.
    pub query: String,
    /// The best results of all families, best first.
    pub results: Vec<Labelled<RecallResult>>,
    /// What an agent should do next.
    pub hint: String,
    /// The servers that did not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
}

/// The answer of `rekall_search`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundEntries {
    /// The query, as it was sent.
    pub query: String,
    /// How many entries match in all.
    pub total: u64,
    /// The best entries, best first.
    pub results: Vec<Labelled<SearchResult>>,
    /// What an agent should do next.
    pub hint: String,
    /// The servers that did not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
}

/// The answer of `search-libraries`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundLibraries {
    /// The libraries that match, best first.
    pub libraries: Vec<Labelled<LibraryMatch>>,
    /// The servers that did not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
}

/// The answer of `get-library-docs`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundDocs {
    /// The library, if one server was asked for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library_id: Option<u64>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library_name: Option<String>,
    /// The version that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The documents, best first.
    pub documents: Vec<Labelled<LibraryDocument>>,
    /// The page: always 1.
    pub page: u32,
    /// Whether there are more documents.
    pub has_more: bool,
    /// How many chunks have their vector, while some have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_progress: Option<EmbeddingProgress>,
    /// The servers that did not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
}

/// What a reference names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Shown {
    /// An experience or an entry.
    Record(Box<Labelled<EntryData>>),
    /// A section of documentation: its explanation, and its examples.
    Section(Vec<Labelled<LibraryDocument>>),
}

impl Shown {
    /// Names the server that it is from.
    pub(super) fn labelled(mut self, server: &str) -> Self {
        match &mut self {
            Self::Record(record) => record.origin = Some(server.to_owned()),
            Self::Section(documents) => {
                for document in documents {
                    document.origin = Some(server.to_owned());
                }
            }
        }
        self
    }
}

impl Answers<RecallData> {
    /// Merges the results by their scores and keeps the best.
    pub(super) fn merged(self, limit: usize) -> Recalled {
        let mut merged = Recalled {
            query: String::new(),
            results: Vec::new(),
            hint: String::new(),
            unanswered: self.unanswered,
        };
        for (server, data) in self.answered {
            // The hint of a server that found something is of more use than that of one that did not.
            if merged.results.is_empty() {
                merged.hint = data.hint;
            }
            merged.query = data.query;
            let results = labelled(data.results, server.as_deref());
            merged.results.extend(results);
        }
        best_first(&mut merged.results, |one| one.score);
        merged.results.truncate(limit);
        merged
    }
}

impl Answers<SearchData> {
    /// Merges the entries by their scores and keeps the best.
    pub(super) fn merged(self, limit: usize) -> FoundEntries {
        let mut merged = FoundEntries {
            query: String::new(),
            total: 0,
            results: Vec::new(),
            hint: String::new(),
            unanswered: self.unanswered,
        };
        for (server, data) in self.answered {
            if merged.results.is_empty() {
                merged.hint = data.hint;
            }
            merged.query = data.query;
            merged.total += data.total;
            let results = labelled(data.results, server.as_deref());
            merged.results.extend(results);
        }
        best_first(&mut merged.results, |one| one.score);
        merged.results.truncate(limit);
        merged
    }
}

impl Answers<SearchLibrariesData> {
    /// Merges the libraries by their scores.
    pub(super) fn merged(self) -> FoundLibraries {
        let mut libraries = Vec::new();
        for (server, data) in self.answered {
            libraries.extend(labelled(data.libraries, server.as_deref()));
        }
        best_first(&mut libraries, |one| one.score);
        FoundLibraries {
            libraries,
            unanswered: self.unanswered,
        }
    }
}

impl Answers<LibraryDocsData> {
    /// Merges the documents by their relevances. Those of several servers name their library each.
    pub(super) fn merged(self) -> FoundDocs {
        let mut merged = FoundDocs {
            library_id: None,
            library_name: None,
            version: None,
            documents: Vec::new(),
            page: 1,
            has_more: false,
            embedding_progress: None,
            unanswered: self.unanswered,
        };
        for (server, mut data) in self.answered {
            if server.is_some() {
                for document in &mut data.documents {
                    document.library_id = document.library_id.or(data.library_id);
                    let name = document.library_name.take();
                    document.library_name = name.or_else(|| data.library_name.clone());
                }
            } else {
                merged.library_id = data.library_id;
                merged.library_name = data.library_name;
            }
            merged.version = merged.version.or(data.version);
            merged.has_more |= data.has_more;
            merged.embedding_progress = merged.embedding_progress.or(data.embedding_progress);
            let documents = labelled(data.documents, server.as_deref());
            merged.documents.extend(documents);
        }
        best_first(&mut merged.documents, |one| one.relevance);
        merged
    }
}

/// Orders the items of several servers. Those of one stay in its order, in which entries that replace others come
/// first.
fn best_first<T>(items: &mut [Labelled<T>], score: impl Fn(&T) -> f64) {
    if items.iter().any(|one| one.origin.is_some()) {
        items.sort_by(|a, b| score(&b.item).total_cmp(&score(&a.item)));
    }
}
