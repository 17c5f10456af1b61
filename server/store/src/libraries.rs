//! What the store keeps of documentation libraries: versions, the files they are made of, and chunks.

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use uuid::Uuid;

use super::{AuditEvent, IndexRow, NewVector, Page, Result};

/// A library with all its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Its number on the wire.
    pub id: u64,
    /// Its name, which no other has in any case.
    pub name: String,
    /// What it is.
    pub description: String,
    /// The version that is meant where none is named.
    pub default_version: String,
    /// Every version, oldest ingest first; at least one.
    pub versions: Vec<LibraryVersion>,
}

/// A version of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryVersion {
    /// Its number in the database.
    pub id: u64,
    /// Its name.
    pub version: String,
    /// Where its files came from.
    pub source: String,
    /// The tag, branch or commit of a git repository that was asked for.
    pub at: Option<String>,
    /// The commit, where that is a git repository.
    pub revision: Option<String>,
    /// How many files it has.
    pub files: u64,
    /// How many chunks they have.
    pub chunks: u64,
    /// How many tokens these have (cl100k).
    pub tokens: u64,
    /// When it was read in.
    pub ingested_at: Timestamp,
}

/// Which files belong to which version, as of one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shelf {
    /// Changes whenever anything here does.
    pub edition: u64,
    /// Every library, by name.
    pub libraries: Vec<Library>,
    /// (file, version) of every file of every version, in order.
    pub placed: Vec<(u64, u64)>,
}

/// A file about to be stored with its chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocsFile {
    /// Its path in the source, with `/`.
    pub path: String,
    /// What tells it from every other: SHA-256 of path, contents and how they were read.
    pub hash: [u8; 32],
    /// Its chunks, in order.
    pub chunks: Vec<ChunkContent>,
}

/// What a chunk says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkContent {
    /// What it is.
    pub kind: DocsMode,
    /// The headings above it, or what the example shows.
    pub title: String,
    /// What the example does.
    pub description: Option<String>,
    /// The language of the code, in lower case.
    pub language: Option<String>,
    /// The text or the code.
    pub text: String,
    /// The line of the file on which it begins, from 1; 0 where there are no lines.
    pub line: u32,
    /// How many tokens the text has (cl100k).
    pub tokens: u32,
}

/// A stored chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its id.
    pub id: Uuid,
    /// The path of its file.
    pub path: String,
    /// What it says.
    pub content: ChunkContent,
}

/// A chunk as the index takes it in; one whose file is gone has no content.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedChunk {
    /// Everything but the texts.
    pub row: IndexRow,
    /// What it says.
    pub content: Option<ChunkContent>,
}

/// What a language model wrote about an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleText {
    /// What tells the question from every other: SHA-256 of model, instruction and example.
    pub hash: [u8; 32],
    /// What the example shows.
    pub title: String,
    /// What it does.
    pub description: String,
}

/// A version that is complete and takes the place of the one with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion {
    /// The library, which is made if there is none of this name.
    pub library: String,
    /// What the library is; as before where nothing is said.
    pub description: Option<String>,
    /// The version's name.
    pub version: String,
    /// Whether it is the version to be meant where none is named; a library's first one is anyhow.
    pub is_default: bool,
    /// Where its files come from, without user and password.
    pub source: String,
    /// The tag, branch or commit of a git repository that was asked for.
    pub at: Option<String>,
    /// The commit, where that is a git repository.
    pub revision: Option<String>,
    /// Its files, which are all stored.
    pub files: Vec<u64>,
    /// When it was read in.
    pub ingested_at: Timestamp,
    /// What the audit list is to say of it.
    pub event: Option<AuditEvent>,
}

/// The libraries of a database; see [`super::Store`] for what every method keeps. An `event` is stored
/// in the transaction of the change that it tells of, and only if that happens.
#[async_trait]
pub trait LibraryStore: Send + Sync {
    /// Returns the `seq` of the last committed write of a chunk; 0 when there is none.
    async fn chunk_head_seq(&self) -> Result<u64>;
    /// Returns the same and how many chunks there are; those that are gone are left out.
    async fn chunk_head_seq_and_size(&self) -> Result<(u64, u64)>;
    /// Returns how many chunks were written up to a `seq`; those that are gone are left out.
    async fn chunk_count(&self, up_to: u64) -> Result<u64>;
    /// Removes the rows of up to `limit` chunks that were removed before a moment of the database's
    /// clock; returns how many. An index that was not updated since that moment keeps these chunks.
    async fn purge_chunks(&self, before: Timestamp, limit: u32) -> Result<u64>;
    /// Returns up to `limit` chunks written after `seq`, in commit order.
    async fn chunks_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedChunk>>;
    /// Returns up to `limit` rows with `after < seq ≤ up_to`, in commit order, without texts.
    async fn chunk_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>>;
    /// Returns the chunks with these ids, in no particular order; those that are gone are left out.
    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Chunk>>;
    /// Returns the ids of all chunks in a programming language, in no particular order.
    async fn chunks_in_language(&self, language: &str) -> Result<Vec<Uuid>>;
    /// Returns what [`Shelf::edition`] would be now.
    async fn library_edition(&self) -> Result<u64>;
    /// Returns all libraries, and which files belong to which version.
    async fn shelf(&self) -> Result<Shelf>;
    /// Returns the ids of the files that are stored, of these hashes.
    async fn docs_files(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], u64)>>;
    /// Returns path and hash of every file of a version, ordered by path.
    async fn version_files(&self, version: u64) -> Result<Vec<(String, [u8; 32])>>;
    /// Returns the chunks of the file with this hash, in order.
    async fn file_chunks(&self, hash: [u8; 32]) -> Result<Vec<ChunkContent>>;
    /// Returns a page of a version's chunks, file by file by their paths and each file in its order, of
    /// one kind or of both; and how many there are.
    async fn version_chunks(
        &self,
        version: u64,
        kind: Option<DocsMode>,
        page: Page,
    ) -> Result<(Vec<Chunk>, u64)>;
    /// Stores files with their chunks, which belong to no version yet; returns their ids, those that
    /// were there already included.
    async fn insert_docs_files(&self, files: &[NewDocsFile], now: Timestamp) -> Result<Vec<u64>>;
    /// Puts a version in the place of the one with its name; files that belong to none any more are
    /// removed. Returns the library's id ([`super::StoreError::FileGone`] when a file is not there).
    async fn publish_version(&self, new: &NewVersion) -> Result<u64>;
    /// Sets what a library is, and which of its versions is the default; `false` when it has no such
    /// version.
    async fn describe_library(
        &self,
        id: u64,
        description: Option<&str>,
        default_version: Option<&str>,
    ) -> Result<bool>;
    /// Removes a version, with the last one the library; `false` when there was none. Of the default
    /// version the one read in last takes the place.
    async fn remove_version(
        &self,
        library: u64,
        version: &str,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Removes a library with all its versions; `false` when there was none.
    async fn remove_library(&self, library: u64) -> Result<bool>;
    /// Removes those of these files that belong to no version, and all such files that were stored
    /// before a moment; returns how many.
    async fn discard_files(&self, files: &[u64], before: Timestamp) -> Result<u64>;
    /// Returns what was written about the examples with these hashes, in no particular order.
    async fn example_texts(&self, hashes: &[[u8; 32]]) -> Result<Vec<ExampleText>>;
    /// Keeps what was written about examples; what nobody asked for in a year is forgotten.
    async fn put_example_texts(&self, texts: &[ExampleText], now: Timestamp) -> Result<()>;
    /// Returns up to `limit` chunks after the id that have no vector of `model`, ordered by id.
    async fn chunks_without_vector(
        &self,
        model: &str,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Chunk>>;
    /// Returns how many chunks have no vector of `model`, those that are gone left out.
    async fn count_chunks_without_vector(&self, model: &str) -> Result<u64>;
    /// Stores vectors for chunks that have none of the model; every index sees those chunks as new
    /// writes ([`super::StoreError::ModelReplaced`] when the database has another model by now).
    async fn put_chunk_vectors(&self, model: &str, vectors: &[NewVector]) -> Result<()>;
}

/// Makes a chunk's id: what searches filter by can be read from it.
pub fn chunk_id(file: u64, kind: DocsMode, place: u32, hash: &[u8; 32]) -> Uuid {
    // The low half tells records of one `seq` in two databases apart, so that it holds the hash.
    let kind = match kind {
        DocsMode::Info => 0,
        DocsMode::Code => 1 << 63,
    };
    let place = u64::from(place & 0x7fff_ffff) << 32;
    let tail = u64::from(u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]));
    Uuid::from_u64_pair(file, kind | place | tail)
}

/// Returns the file and the kind that a [`chunk_id`] was made of.
pub fn file_and_kind(id: Uuid) -> (u64, DocsMode) {
    let (file, rest) = id.as_u64_pair();
    let kind = match rest >> 63 {
        0 => DocsMode::Info,
        _ => DocsMode::Code,
    };
    (file, kind)
}
