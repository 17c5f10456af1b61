//! One file: known already, or read and cut.

use sha2::{Digest as _, Sha256};

use super::{IngestError, Left};
use crate::{
    documents::{
        chunks::{self, Chunk, ChunkKind},
        readers::{self, Reading},
        source::SourceFile,
    },
    store::{ChunkContent, NewDocsFile, Store},
};
use recall_kit_shared_types::libraries::DocsMode;

/// Changes whenever files are read or cut differently, so that they are read anew.
const READERS: &str = "readers-1";

/// What became of a file.
pub(super) enum Read {
    /// It holds nothing to be found, or cannot be read.
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
        /// Itself.
        file: NewDocsFile,
        /// What had to be assumed.
        note: Option<Left>,
    },
}

/// Reads a file, unless it is known, on a thread of its own.
///
/// *Errors*: what the database said.
pub(super) async fn read(store: &dyn Store, file: SourceFile) -> Result<Read, IngestError> {
    let hash = hash(&file);
    if let [(_, id)] = store.docs_files(&[hash]).await?.as_slice() {
        return Ok(Read::Known {
            file: *id,
            chunks: store.file_chunks(hash).await?,
        });
    }
    let read = tokio::task::spawn_blocking(move || cut(file, hash)).await;
    read.map_err(|_| IngestError::Broken)
}

/// Tells files apart by where they stand too: it is shown, and formats follow from names.
fn hash(file: &SourceFile) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(READERS);
    hash.update((file.path.len() as u64).to_be_bytes());
    hash.update(&file.path);
    hash.update(&file.bytes);
    hash.finalize().into()
}

fn cut(file: SourceFile, hash: [u8; 32]) -> Read {
    let SourceFile { path, bytes } = file;
    let document = match readers::read(&path, &bytes) {
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
