//! Reads one file and cuts it into chunks, unless it is stored already.

use recall_kit_documents::{
    chunks::{self, Chunk, ChunkKind},
    readers::{self, ReadError, Reading},
    sandbox::Sandbox,
};
use recall_kit_shared_types::libraries::DocsMode;
use recall_kit_sources::SourceFile;
use recall_kit_store::{ChunkContent, NewDocsFile, Store};
use sha2::{Digest as _, Sha256};

use super::{IngestError, Left, examples::Describer};

/// Changes whenever files are read or cut differently, so that they are read again.
const READERS: &str = "readers-4";

/// The result of reading a file.
pub(super) enum Read {
    /// It was skipped: it has no content to index, or cannot be read.
    Left(Left),
    /// It is stored already.
    Known {
        /// Its id.
        file: u64,
        /// Its chunks.
        chunks: Vec<ChunkContent>,
    },
    /// It was read.
    New {
        /// Its path, hash and chunks.
        file: NewDocsFile,
        /// An assumption that was made when reading it.
        note: Option<Left>,
    },
}

/// The dependencies for reading files.
#[derive(Clone, Copy)]
pub(super) struct With<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) sandbox: &'a Sandbox,
    pub(super) describer: Option<&'a Describer<'a>>,
}

/// Reads a file, unless it is stored already, on a blocking thread or in the sandbox, and describes its
/// examples.
///
/// *Errors*: those of the database.
pub(super) async fn read(with: With<'_>, file: SourceFile) -> Result<Read, IngestError> {
    let With {
        store, describer, ..
    } = with;
    let hash = hash(&file);
    let described = describer.map(|describer| describer.hash_of(hash));
    let known = store.docs_files(described.as_slice()).await?;
    if let Some(known) = known.first() {
        return known_file(store, *known).await;
    }
    let undescribed = store.docs_files(&[hash]).await?.first().copied();
    if let (None, Some(known)) = (describer, undescribed) {
        return known_file(store, known).await;
    }
    let mut read = read_new(with.sandbox, file, hash).await?;
    if let (Read::New { file, .. }, Some(describer)) = (&mut read, describer)
        && describer.describe(&mut file.chunks).await?
    {
        file.hash = describer.hash_of(hash);
        return Ok(read);
    }
    match undescribed {
        Some(known) => known_file(store, known).await,
        None => Ok(read),
    }
}

async fn known_file(store: &dyn Store, (hash, file): ([u8; 32], u64)) -> Result<Read, IngestError> {
    let chunks = store.file_chunks(hash).await?;
    Ok(Read::Known { file, chunks })
}

/// Returns the hash of a file. It includes the path, which is shown to readers and decides the format.
fn hash(file: &SourceFile) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(READERS);
    hash.update((file.path.len() as u64).to_be_bytes());
    hash.update(&file.path);
    hash.update(&file.bytes);
    hash.finalize().into()
}

/// Reads and cuts a file, in the sandbox if it is risky.
async fn read_new(
    sandbox: &Sandbox,
    file: SourceFile,
    hash: [u8; 32],
) -> Result<Read, IngestError> {
    let here = on_a_thread(
        move || match readers::needs_sandbox(&file.path, &file.bytes) {
            true => Err(file),
            false => Ok(read_here(file, hash)),
        },
    );
    let SourceFile { path, bytes } = match here.await? {
        Ok(read) => return Ok(read),
        Err(file) => file,
    };
    let read = sandbox.read(&path, &bytes).await;
    drop(bytes);
    on_a_thread(move || cut(path, read, hash)).await
}

fn read_here(file: SourceFile, hash: [u8; 32]) -> Read {
    let SourceFile { path, bytes } = file;
    let read = readers::read(&path, &bytes);
    cut(path, read, hash)
}

async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, IngestError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| IngestError::Broken)
}

fn cut(path: String, read: Result<Reading, ReadError>, hash: [u8; 32]) -> Read {
    let document = match read {
        Ok(Reading::Document(document)) => document,
        Ok(Reading::Skipped(skip)) => return Read::Left(Left::new(path, skip.to_string(), false)),
        Err(error) => return Read::Left(Left::new(path, error.to_string(), true)),
    };
    let chunks = chunks::cut(&path, &document);
    let chunks: Vec<ChunkContent> = chunks.into_iter().map(content).collect();
    if chunks.is_empty() {
        return Read::Left(Left::new(path, "nothing to read in it".to_owned(), false));
    }
    let note = document
        .note
        .map(|note| Left::new(path.clone(), note, false));
    Read::New {
        file: NewDocsFile { path, hash, chunks },
        note,
    }
}

fn content(chunk: Chunk) -> ChunkContent {
    ChunkContent {
        kind: match chunk.kind {
            ChunkKind::Code => DocsMode::Code,
            ChunkKind::Info => DocsMode::Info,
        },
        title: chunk.title,
        description: chunk.description,
        language: chunk.language,
        text: chunk.text,
        line: chunk.line,
        tokens: chunk.tokens,
    }
}
