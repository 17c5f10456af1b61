//! Documentation libraries in SQLite; see [`LibraryStore`].

mod chunks;
mod example_texts;
mod files;
mod vectors;

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use uuid::Uuid;

use super::{SqliteStore, read, snapshot};
use crate::{
    AuditEvent, Chunk, ChunkContent, ExampleText, IndexRow, IndexedChunk, LibrarySnapshot,
    LibraryStore, NewDocsFile, NewVector, NewVersion, Page, Result,
    database::columns::count_of,
    sql::{libraries as sql, query},
    sqlite::connection::writer::write,
};

#[async_trait]
impl LibraryStore for SqliteStore {
    async fn chunk_head_seq(&self) -> Result<u64> {
        read!(self, connection => query("select seq from chunk_head").fetch_count(connection))
    }

    async fn chunk_head_seq_and_size(&self) -> Result<(u64, u64)> {
        let head_and_size = query(
            "select (select seq from chunk_head), \
             (select count(*) from chunks where file_id is not null)",
        );
        let (seq, size) = read!(self, connection => head_and_size.fetch_one(connection))?;
        Ok((count_of(seq), count_of(size)))
    }

    async fn chunk_count(&self, up_to: u64) -> Result<u64> {
        read!(self, connection => sql::chunks::count(connection, up_to))
    }

    async fn purge_chunks(&self, before: Timestamp, limit: u32) -> Result<u64> {
        // A read first: it does not block other writes.
        if !read!(self, connection => sql::chunks::is_purge_due(connection, before))? {
            return Ok(0);
        }
        write!(self, write, [] => sql::chunks::purge(write, before, limit))
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
        read!(self, connection => sql::chunks::in_language(connection, language))
    }

    async fn library_edition(&self) -> Result<u64> {
        read!(self, connection => sql::snapshot::edition(connection))
    }

    async fn library_snapshot(&self) -> Result<LibrarySnapshot> {
        snapshot!(self, connection => sql::snapshot::read(connection))
    }

    async fn docs_files(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], u64)>> {
        read!(self, connection => files::by_hashes(connection, hashes))
    }

    async fn version_files(&self, version: u64) -> Result<Vec<(String, [u8; 32])>> {
        read!(self, connection => sql::files::of_version(connection, version))
    }

    async fn file_chunks(&self, hash: [u8; 32]) -> Result<Vec<ChunkContent>> {
        read!(self, connection => sql::chunks::of_file(connection, hash))
    }

    async fn version_chunks(
        &self,
        version: u64,
        kind: Option<DocsMode>,
        page: Page,
    ) -> Result<(Vec<Chunk>, u64)> {
        read!(self, connection => sql::chunks::of_version(connection, (version, kind), page))
    }

    async fn insert_docs_files(&self, files: &[NewDocsFile], now: Timestamp) -> Result<Vec<u64>> {
        write!(self, write, [files] => files::insert(write, &files, now))
    }

    async fn publish_version(&self, new: &NewVersion) -> Result<u64> {
        write!(self, write, [new] => sql::versions::publish(write, &new))
    }

    async fn describe_library(
        &self,
        id: u64,
        description: Option<&str>,
        default_version: Option<&str>,
    ) -> Result<bool> {
        let description = description.map(str::to_owned);
        let version = default_version.map(str::to_owned);
        write!(self, write, [] =>
            sql::versions::describe(write, id, description.as_deref(), version.as_deref()))
    }

    async fn remove_version(
        &self,
        library: u64,
        version: &str,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        let event = event.cloned();
        write!(self, write, [version] =>
            sql::versions::remove(write, library, &version, event.as_ref()))
    }

    async fn remove_library(&self, library: u64) -> Result<bool> {
        write!(self, write, [] => sql::versions::remove_all(write, library))
    }

    async fn discard_files(&self, files: &[u64], before: Timestamp) -> Result<u64> {
        write!(self, write, [files] => sql::files::discard(write, &files, before))
    }

    async fn example_texts(&self, hashes: &[[u8; 32]]) -> Result<Vec<ExampleText>> {
        read!(self, connection => example_texts::read(connection, hashes))
    }

    async fn put_example_texts(&self, texts: &[ExampleText], now: Timestamp) -> Result<()> {
        write!(self, write, [texts] => example_texts::put(write, &texts, now))
    }

    async fn chunks_without_vector(
        &self,
        model: &str,
        after: Uuid,
        limit: u32,
    ) -> Result<Vec<Chunk>> {
        read!(self, connection => sql::vectors::missing(connection, model, after, limit))
    }

    async fn count_chunks_without_vector(&self, model: &str) -> Result<u64> {
        read!(self, connection => sql::vectors::count_missing(connection, model))
    }

    async fn put_chunk_vectors(&self, model: &str, vectors: &[NewVector]) -> Result<()> {
        write!(self, write, [model, vectors] => vectors::put(write, &model, &vectors))
    }
}
