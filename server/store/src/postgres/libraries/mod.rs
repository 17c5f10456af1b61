//! Documentation libraries in PostgreSQL; see [`LibraryStore`].
//!
//! Writes of files, versions or vectors lock the head of chunks at their beginning, so that they run one
//! after the other as in SQLite: no file is removed while a version that contains it is published.

mod chunks;
mod example_texts;
mod files;
mod snapshot;
mod vectors;
mod versions;

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use uuid::Uuid;

use super::{Head, PostgresStore, fresh, read, write};
use crate::{
    AuditEvent, Chunk, ChunkContent, ExampleText, IndexRow, IndexedChunk, LibrarySnapshot,
    LibraryStore, NewDocsFile, NewVector, NewVersion, Page, Result,
    database::columns::{damaged, integer_of},
};

pub(super) use self::chunks::content_of;

/// Reads a hash column.
fn hash_of(bytes: &[u8], id: &str) -> Result<[u8; 32]> {
    bytes.try_into().map_err(|_| damaged("hash", id))
}

/// Converts numbers to a parameter for `any`.
fn integers_of(numbers: &[u64]) -> Vec<i64> {
    numbers.iter().copied().map(integer_of).collect()
}

#[async_trait]
impl LibraryStore for PostgresStore {
    async fn chunk_head_seq(&self) -> Result<u64> {
        self.current_head(Head::Chunks).await
    }

    async fn chunk_head_seq_and_size(&self) -> Result<(u64, u64)> {
        let (seq, size) = fresh!(self, connection => chunks::head_and_size(connection))?;
        self.must_have(Head::Chunks, seq);
        Ok((seq, size))
    }

    async fn chunk_count(&self, up_to: u64) -> Result<u64> {
        fresh!(self, connection => chunks::count(connection, up_to))
    }

    async fn purge_chunks(&self, before: Timestamp, limit: u32) -> Result<u64> {
        write!(self, transaction => chunks::purge(transaction, before, limit))
    }

    async fn chunks_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedChunk>> {
        read!(self, connection => chunks::after(connection, seq, limit))
    }

    async fn chunk_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        read!(self, connection => chunks::rows(connection, (after, up_to), limit))
    }

    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Chunk>> {
        read!(self, connection => chunks::by_ids(connection, ids))
    }

    async fn chunks_in_language(&self, language: &str) -> Result<Vec<Uuid>> {
        fresh!(self, connection => chunks::in_language(connection, language))
    }

    async fn library_edition(&self) -> Result<u64> {
        fresh!(self, connection => snapshot::edition(connection))
    }

    async fn library_snapshot(&self) -> Result<LibrarySnapshot> {
        fresh!(self, connection => snapshot::read(connection))
    }

    async fn docs_files(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], u64)>> {
        fresh!(self, connection => files::by_hashes(connection, hashes))
    }

    async fn version_files(&self, version: u64) -> Result<Vec<(String, [u8; 32])>> {
        fresh!(self, connection => files::of_version(connection, version))
    }

    async fn file_chunks(&self, hash: [u8; 32]) -> Result<Vec<ChunkContent>> {
        fresh!(self, connection => chunks::of_file(connection, hash))
    }

    async fn version_chunks(
        &self,
        version: u64,
        kind: Option<DocsMode>,
        page: Page,
    ) -> Result<(Vec<Chunk>, u64)> {
        fresh!(self, connection => chunks::of_version(connection, (version, kind), page))
    }

    async fn insert_docs_files(&self, files: &[NewDocsFile], now: Timestamp) -> Result<Vec<u64>> {
        write!(self, transaction => files::insert(transaction, files, now))
    }

    async fn publish_version(&self, new: &NewVersion) -> Result<u64> {
        write!(self, transaction => versions::publish(transaction, new))
    }

    async fn describe_library(
        &self,
        id: u64,
        description: Option<&str>,
        default_version: Option<&str>,
    ) -> Result<bool> {
        write!(self, transaction => versions::describe(transaction, id, description, default_version))
    }

    async fn remove_version(
        &self,
        library: u64,
        version: &str,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        write!(self, transaction => versions::remove(transaction, library, version, event))
    }

    async fn remove_library(&self, library: u64) -> Result<bool> {
        write!(self, transaction => versions::remove_all(transaction, library))
    }

    async fn discard_files(&self, files: &[u64], before: Timestamp) -> Result<u64> {
        write!(self, transaction => files::discard(transaction, files, before))
    }

    async fn example_texts(&self, hashes: &[[u8; 32]]) -> Result<Vec<ExampleText>> {
        read!(self, connection => example_texts::read(connection, hashes))
    }

    async fn put_example_texts(&self, texts: &[ExampleText], now: Timestamp) -> Result<()> {
        write!(self, transaction => example_texts::put(transaction, texts, now))
    }

    async fn chunks_without_vector(
        &self,
        model: &str,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Chunk>> {
        fresh!(self, connection => vectors::missing(connection, model, after, limit))
    }

    async fn count_chunks_without_vector(&self, model: &str) -> Result<u64> {
        read!(self, connection => vectors::count_missing(connection, model))
    }

    async fn put_chunk_vectors(&self, model: &str, vectors: &[NewVector]) -> Result<()> {
        write!(self, transaction => vectors::put(transaction, model, vectors))
    }
}
