//! Documentation libraries in the store: versions, the files they consist of, and chunks.

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use uuid::Uuid;

use super::{AuditEvent, IndexRow, NewVector, Page, Result};

/// A library with all its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Its id in the API.
    pub id: u64,
    /// Its name, unique regardless of the case of ASCII letters.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The version that is used if a request names none.
    pub default_version: String,
    /// Every version, the earliest ingested first; at least one.
    pub versions: Vec<LibraryVersion>,
}

/// A version of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryVersion {
    /// Its id in the database.
    pub id: u64,
    /// Its name.
    pub version: String,
    /// The source of its files.
    pub source: String,
    /// The tag, branch or commit that was requested, if the source is a git repository.
    pub at: Option<String>,
    /// The commit, if the source is a git repository.
    pub revision: Option<String>,
    /// Number of files.
    pub files: u64,
    /// Number of chunks of these files.
    pub chunks: u64,
    /// Number of tokens of these chunks (cl100k).
    pub tokens: u64,
    /// When it was ingested.
    pub ingested_at: Timestamp,
}

/// A snapshot of all libraries and of which files belong to which version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibrarySnapshot {
    /// A number that increases with every change of the other fields.
    pub edition: u64,
    /// Every library, ordered by name.
    pub libraries: Vec<Library>,
    /// (file, version) of every file of every version, in ascending order.
    pub placed: Vec<(u64, u64)>,
}

/// A file about to be stored with its chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocsFile {
    /// Its path in the source, with `/`.
    pub path: String,
    /// Identifies the file: SHA-256 of path, contents and how they were read.
    pub hash: [u8; 32],
    /// Its chunks, in order.
    pub chunks: Vec<ChunkContent>,
}

/// The content of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkContent {
    /// Its kind: documentation or code example.
    pub kind: DocsMode,
    /// The headings above it, or what the example shows.
    pub title: String,
    /// What the example does.
    pub description: Option<String>,
    /// The language of the code, in lower case.
    pub language: Option<String>,
    /// The text or the code.
    pub text: String,
    /// The line of the file on which it begins, from 1; 0 if the file has no lines.
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
    /// Its content.
    pub content: ChunkContent,
}

/// A chunk as it is indexed; without content if its file was removed.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedChunk {
    /// Everything but the texts.
    pub row: IndexRow,
    /// Its content; `None` if its file was removed.
    pub content: Option<ChunkContent>,
}

/// Title and description that a language model wrote for a code example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleText {
    /// Identifies the prompt: SHA-256 of model, instruction and example.
    pub hash: [u8; 32],
    /// What the example shows.
    pub title: String,
    /// What it does.
    pub description: String,
}

/// A complete version to be published; it replaces the version with the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion {
    /// The library's name; the library is created if it does not exist.
    pub library: String,
    /// The library's new description; `None` keeps the old one.
    pub description: Option<String>,
    /// The version's name.
    pub version: String,
    /// Whether it becomes the library's default version; the first version always does.
    pub is_default: bool,
    /// The source of its files, without user and password.
    pub source: String,
    /// The tag, branch or commit that was requested, if the source is a git repository.
    pub at: Option<String>,
    /// The commit, if the source is a git repository.
    pub revision: Option<String>,
    /// Its files, all of which are stored already.
    pub files: Vec<u64>,
    /// When it was ingested.
    pub ingested_at: Timestamp,
    /// The event for the audit list.
    pub event: Option<AuditEvent>,
}

/// The libraries of a database; see [`super::Store`] for what every method guarantees. An `event` is
/// stored in the transaction of its change, and only if the change happens.
#[async_trait]
pub trait LibraryStore: Send + Sync {
    /// Returns the `seq` of the last committed write of a chunk; 0 if there is none.
    async fn chunk_head_seq(&self) -> Result<u64>;
    /// Returns the same and the number of chunks, without removed ones.
    async fn chunk_head_seq_and_size(&self) -> Result<(u64, u64)>;
    /// Returns how many chunks were written up to a `seq`, without removed ones.
    async fn chunk_count(&self, up_to: u64) -> Result<u64>;
    /// Deletes the rows of up to `limit` chunks that were removed before a point in time of the
    /// database's clock; returns how many. An index that was not updated since then keeps these chunks.
    async fn purge_chunks(&self, before: Timestamp, limit: u32) -> Result<u64>;
    /// Returns up to `limit` chunks written after `seq`, in commit order.
    async fn chunks_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedChunk>>;
    /// Returns up to `limit` rows with `after < seq ≤ up_to`, in commit order, without texts.
    async fn chunk_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>>;
    /// Returns the chunks with these ids, in no particular order; removed chunks are left out.
    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Chunk>>;
    /// Returns the ids of all chunks in a programming language, in no particular order.
    async fn chunks_in_language(&self, language: &str) -> Result<Vec<Uuid>>;
    /// Returns the current [`LibrarySnapshot::edition`].
    async fn library_edition(&self) -> Result<u64>;
    /// Returns all libraries, and which files belong to which version.
    async fn library_snapshot(&self) -> Result<LibrarySnapshot>;
    /// Returns hash and id of those files with these hashes that are stored.
    async fn docs_files(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], u64)>>;
    /// Returns path and hash of every file of a version, ordered by path.
    async fn version_files(&self, version: u64) -> Result<Vec<(String, [u8; 32])>>;
    /// Returns the chunks of the file with this hash, in order.
    async fn file_chunks(&self, hash: [u8; 32]) -> Result<Vec<ChunkContent>>;
    /// Returns a page of a version's chunks of one kind or of both, ordered by file path and by position
    /// in the file; and their total number.
    async fn version_chunks(
        &self,
        version: u64,
        kind: Option<DocsMode>,
        page: Page,
    ) -> Result<(Vec<Chunk>, u64)>;
    /// Stores files with their chunks, which belong to no version yet; returns the id of each file,
    /// including files that were stored before.
    async fn insert_docs_files(&self, files: &[NewDocsFile], now: Timestamp) -> Result<Vec<u64>>;
    /// Publishes a version in place of the one with the same name, and removes files that no longer
    /// belong to any version. Returns the library's id ([`super::StoreError::FileGone`] if a file is not
    /// stored).
    async fn publish_version(&self, new: &NewVersion) -> Result<u64>;
    /// Sets a library's description and default version; `None` keeps a value. `false` if the library
    /// or the version does not exist.
    async fn describe_library(
        &self,
        id: u64,
        description: Option<&str>,
        default_version: Option<&str>,
    ) -> Result<bool>;
    /// Removes a version, and the library with its last version; `false` if there was no such version.
    /// If it was the default version, the version ingested last becomes the default.
    async fn remove_version(
        &self,
        library: u64,
        version: &str,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Removes a library with all its versions; `false` if there was none.
    async fn remove_library(&self, library: u64) -> Result<bool>;
    /// Removes those of these files that belong to no version, and all files without a version that were
    /// stored before a point in time; returns how many.
    async fn discard_files(&self, files: &[u64], before: Timestamp) -> Result<u64>;
    /// Returns the stored texts of the examples with these hashes, in no particular order.
    async fn example_texts(&self, hashes: &[[u8; 32]]) -> Result<Vec<ExampleText>>;
    /// Stores texts of examples; removes texts that were last stored more than a year ago.
    async fn put_example_texts(&self, texts: &[ExampleText], now: Timestamp) -> Result<()>;
    /// Returns up to `limit` chunks after the id that have no vector of `model`, ordered by id.
    async fn chunks_without_vector(
        &self,
        model: &str,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Chunk>>;
    /// Returns how many chunks have no vector of `model`, without removed ones.
    async fn count_chunks_without_vector(&self, model: &str) -> Result<u64>;
    /// Stores vectors for chunks that have none of the model; every index sees those chunks as new
    /// writes ([`super::StoreError::ModelReplaced`] if the database's model was replaced meanwhile).
    async fn put_chunk_vectors(&self, model: &str, vectors: &[NewVector]) -> Result<()>;
}

/// Returns the id of a chunk. It encodes the file and the kind, by which searches filter; `place` is the
/// chunk's position in the file, `hash` the file's hash.
pub fn chunk_id(file: u64, kind: DocsMode, place: u32, hash: &[u8; 32]) -> Uuid {
    // The low half distinguishes records with the same `seq` in two databases, so it contains the hash.
    let kind = match kind {
        DocsMode::Info => 0,
        DocsMode::Code => 1 << 63,
    };
    let place = u64::from(place & 0x7fff_ffff) << 32;
    let tail = u64::from(u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]));
    Uuid::from_u64_pair(file, kind | place | tail)
}

/// Returns the file and the kind that a [`chunk_id`] encodes.
pub fn file_and_kind(id: Uuid) -> (u64, DocsMode) {
    let (file, rest) = id.as_u64_pair();
    let kind = match rest >> 63 {
        0 => DocsMode::Info,
        _ => DocsMode::Code,
    };
    (file, kind)
}
