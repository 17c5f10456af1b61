//! The report of an ingest, for people, and as JSON for programs.

use std::fmt;

use recall_kit_shared_types::libraries::DocsMode;
use recall_kit_sources::Skipped;
use recall_kit_store::ChunkContent;
use serde::Serialize;

/// What was ingested.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The library's number.
    pub library_id: u64,
    /// The version.
    pub version: String,
    /// The commit, if the source is a git repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Files that belong to the version.
    pub files: u64,
    /// Of these, files that were stored before and did not change.
    pub unchanged: u64,
    /// The total number of chunks.
    pub chunks: u64,
    /// Of these, examples.
    pub examples: u64,
    /// Of these, examples that a language model described in this run.
    pub described: u64,
    /// Why not every new example was described.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_described: Option<String>,
    /// The tokens of all chunks (cl100k).
    pub tokens: u64,
    /// How long it took.
    pub seconds: f64,
    /// The files and folders that were skipped, and why.
    pub left: Vec<Left>,
    /// Assumptions that were made when reading files.
    pub notes: Vec<Left>,
}

/// A file or folder, and a remark about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Relative to the source; a folder ends in `/`.
    pub path: String,
    /// The remark.
    pub reason: String,
    /// Whether it should have been read and could not be.
    pub broken: bool,
}

impl Left {
    pub(super) fn new(path: String, reason: String, broken: bool) -> Self {
        Self {
            path,
            reason,
            broken,
        }
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// The most files that will be read; unknown for sources that are fetched bit by bit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Files that were read.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
    /// Files that were skipped.
    pub left: u64,
}

impl Progress {
    /// Returns the number of files that are done, whether read or skipped.
    pub fn done(&self) -> u64 {
        self.files + self.left
    }
}

impl Report {
    /// Returns the reasons why files were skipped, each with the number of files and one path; the most
    /// frequent first.
    pub fn reasons(&self) -> Vec<(&str, usize, &str)> {
        let mut reasons: Vec<(&str, usize, &str)> = Vec::new();
        for left in &self.left {
            match reasons
                .iter_mut()
                .find(|(reason, ..)| *reason == left.reason)
            {
                Some((_, count, _)) => *count += 1,
                None => reasons.push((&left.reason, 1, &left.path)),
            }
        }
        reasons.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        reasons
    }

    pub(super) fn count(&mut self, chunks: &[ChunkContent]) {
        self.files += 1;
        self.chunks += chunks.len() as u64;
        let examples = chunks.iter().filter(|chunk| chunk.kind == DocsMode::Code);
        self.examples += examples.count() as u64;
        self.tokens += chunks
            .iter()
            .map(|chunk| u64::from(chunk.tokens))
            .sum::<u64>();
    }

    pub(super) fn skip(&mut self, skipped: Vec<Skipped>) {
        let left = skipped.into_iter();
        self.left
            .extend(left.map(|skipped| Left::new(skipped.path, skipped.reason.to_string(), false)));
        self.left.sort_by(|a, b| a.path.cmp(&b.path));
    }

    pub(super) fn progress(&self, total: Option<u64>) -> Progress {
        Progress {
            total,
            files: self.files,
            chunks: self.chunks,
            left: self.left.len() as u64,
        }
    }
}
