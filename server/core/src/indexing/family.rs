//! The families of searchable records. They differ in the tables in which the database stores them.

use std::path::{Path, PathBuf};

/// The folder of the index of entries, beside that of experiences; the number is the format version.
const ENTRIES: &str = "entries-2";
/// The folder of the index of chunks.
const CHUNKS: &str = "chunks-3";

/// Records of one kind, with their own index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Solved problems.
    Experiences,
    /// The knowledge base.
    Entries,
    /// Chunks of documentation.
    Chunks,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Experiences, Self::Entries, Self::Chunks];

    /// Returns the folder of the family's index, beside that of experiences.
    pub fn folder(self, experiences: &Path) -> PathBuf {
        match self {
            Self::Experiences => experiences.to_owned(),
            Self::Entries => experiences.with_file_name(ENTRIES),
            Self::Chunks => experiences.with_file_name(CHUNKS),
        }
    }
}
