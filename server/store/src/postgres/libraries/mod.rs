//! Documentation libraries in PostgreSQL; see [`LibraryStore`].
//!
//! Writes of files, versions or vectors lock the head of chunks at their beginning, so that they run one
//! after the other as in SQLite: no file is removed while a version that contains it is published.

mod chunks;
mod example_texts;
mod files;
mod vectors;

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Head, PostgresStore, fresh, in_transaction, on_primary, read, write};
use crate::{
    AuditEvent, Chunk, ChunkContent, ExampleText, IndexRow, IndexedChunk, LibrarySnapshot,
    LibraryStore, NewDocsFile, NewVector, NewVersion, Page, Result,
    database::columns::count_of,
    sql::{libraries as sql, query},
};

/// Reads the head and the number of chunks.
async fn head_and_size(connection: &mut PgConnection) -> Result<(u64, u64)> {
    let (seq, size) = query(
        "select seq, (select count(*) from chunks where file_id is not null) \
         from heads where family = 'chunks'",
    )
    .fetch_one(connection)
    .await?;
    Ok((count_of(seq), count_of(size)))
}

#[async_trait]
impl LibraryStore for PostgresStore {
    async fn chunk_head_seq(&self) -> Result<u64> {
        self.current_head(Head::Chunks).await
    }

    async fn chunk_head_seq_and_size(&self) -> Result<(u64, u64)> {
        let (seq, size) = fresh!(self, connection => head_and_size(connection))?;
        self.must_have(Head::Chunks, seq);
        Ok((seq, size))
    }

    async fn chunk_count(&self, up_to: u64) -> Result<u64> {
        fresh!(self, connection => sql::chunks::count(connection, up_to))
    }

    async fn purge_chunks(&self, before: Timestamp, limit: u32) -> Result<u64> {
        // A read first: it does not block writers.
        if !fresh!(self, connection => sql::chunks::is_purge_due(connection, before))? {
            return Ok(0);
        }
        write!(self, transaction => sql::chunks::purge(transaction, before, limit))
    }

    async fn chunks_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedChunk>> {
        read!(self, connection => sql::chunks::after(connection, seq, limit))
    }

    async fn chunk_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        read!(self, connection => sql::chunks::rows(connection, (after, up_to), limit))
    }

    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Chunk>> {
        read!(self, connection => sql::chunks::by_ids(connection, ids))
    }

    async fn chunks_in_language(&self, language: &str) -> Result<Vec<Uuid>> {
        fresh!(self, connection => sql::chunks::in_language(connection, language))
    }

    async fn library_edition(&self) -> Result<u64> {
        fresh!(self, connection => sql::snapshot::edition(connection))
    }

    async fn library_snapshot(&self) -> Result<LibrarySnapshot> {
        on_primary!(self, cluster => in_transaction!(
            cluster,
            "begin isolation level repeatable read, read only",
            transaction => sql::snapshot::read(transaction)
        ))
    }

    async fn docs_files(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], u64)>> {
        fresh!(self, connection => files::by_hashes(connection, hashes))
    }

    async fn version_files(&self, version: u64) -> Result<Vec<(String, [u8; 32])>> {
        fresh!(self, connection => sql::files::of_version(connection, version))
    }

    async fn file_chunks(&self, hash: [u8; 32]) -> Result<Vec<ChunkContent>> {
        fresh!(self, connection => sql::chunks::of_file(connection, hash))
    }

    async fn version_chunks(
        &self,
        version: u64,
        kind: Option<DocsMode>,
        page: Page,
    ) -> Result<(Vec<Chunk>, u64)> {
        fresh!(self, connection => sql::chunks::of_version(connection, (version, kind), page))
    }

    async fn insert_docs_files(&self, files: &[NewDocsFile], now: Timestamp) -> Result<Vec<u64>> {
        write!(self, transaction => files::insert(transaction, files, now))
    }

    async fn publish_version(&self, new: &NewVersion) -> Result<u64> {
        write!(self, transaction => sql::versions::publish(transaction, new))
    }

    async fn describe_library(
        &self,
        id: u64,
        description: Option<&str>,
        default_version: Option<&str>,
    ) -> Result<bool> {
        write!(self, transaction => sql::versions::describe(transaction, id, description, default_version))
    }

    async fn remove_version(
        &self,
        library: u64,
        version: &str,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        write!(self, transaction => sql::versions::remove(transaction, library, version, event))
    }

    async fn remove_library(&self, library: u64) -> Result<bool> {
        write!(self, transaction => sql::versions::remove_all(transaction, library))
    }

    async fn discard_files(&self, files: &[u64], before: Timestamp) -> Result<u64> {
        write!(self, transaction => sql::files::discard(transaction, files, before))
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
        fresh!(self, connection => sql::vectors::missing(connection, model, after, limit))
    }

    async fn count_chunks_without_vector(&self, model: &str) -> Result<u64> {
        read!(self, connection => sql::vectors::count_missing(connection, model))
    }

    async fn put_chunk_vectors(&self, model: &str, vectors: &[NewVector]) -> Result<()> {
        write!(self, transaction => vectors::put(transaction, model, vectors))
    }
}
