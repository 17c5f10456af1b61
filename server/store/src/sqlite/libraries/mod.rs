//! Documentation libraries in SQLite; see [`LibraryStore`].

mod chunks;
mod example_texts;
mod files;
mod snapshot;
mod vectors;
mod versions;

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use sqlx::{Row, SqliteConnection};
use uuid::Uuid;

pub(super) use self::chunks::content_of;
use super::{SqliteStore, json_of};
use crate::{
    AuditEvent, Chunk, ChunkContent, ExampleText, IndexRow, IndexedChunk, LibrarySnapshot,
    LibraryStore, NewDocsFile, NewVector, NewVersion, Page, Result,
    database::columns::{count_of, integer_of},
    sqlite::connection::writer::write,
};

/// Allocates the next `count` `seq`s of chunks inside a write transaction; returns the `seq` before the
/// first.
async fn take_seqs(write: &mut SqliteConnection, count: usize) -> Result<i64> {
    let count = integer_of(count as u64);
    let row = sqlx::query("update chunk_head set seq = seq + ? returning seq")
        .bind(count)
        .fetch_one(write)
        .await?;
    Ok(row.try_get::<i64, _>(0)? - count)
}

#[async_trait]
impl LibraryStore for SqliteStore {
    async fn chunk_head_seq(&self) -> Result<u64> {
        let row = sqlx::query("select seq from chunk_head")
            .fetch_one(&self.readers)
            .await?;
        Ok(count_of(row.try_get(0)?))
    }

    async fn chunk_head_seq_and_size(&self) -> Result<(u64, u64)> {
        let row = sqlx::query(
            "select (select seq from chunk_head), \
             (select count(*) from chunks where file_id is not null)",
        )
        .fetch_one(&self.readers)
        .await?;
        Ok((count_of(row.try_get(0)?), count_of(row.try_get(1)?)))
    }

    async fn chunk_count(&self, up_to: u64) -> Result<u64> {
        let row = sqlx::query("select count(*) from chunks where seq <= ? and file_id is not null")
            .bind(integer_of(up_to))
            .fetch_one(&self.readers)
            .await?;
        Ok(count_of(row.try_get(0)?))
    }

    async fn purge_chunks(&self, before: Timestamp, limit: u32) -> Result<u64> {
        // A read first: it does not block other writes.
        if !chunks::is_purge_due(&self.readers, before).await? {
            return Ok(0);
        }
        write!(self, write, [] => chunks::purge(write, before, limit))
    }

    async fn chunks_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedChunk>> {
        chunks::after(&self.readers, seq, limit).await
    }

    async fn chunk_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        chunks::rows(&self.readers, (after, up_to), limit).await
    }

    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Chunk>> {
        chunks::by_ids(&self.readers, ids).await
    }

    async fn chunks_in_language(&self, language: &str) -> Result<Vec<Uuid>> {
        chunks::in_language(&self.readers, language).await
    }

    async fn library_edition(&self) -> Result<u64> {
        snapshot::edition(&mut *self.readers.acquire().await?).await
    }

    async fn library_snapshot(&self) -> Result<LibrarySnapshot> {
        snapshot::read(&self.readers).await
    }

    async fn docs_files(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], u64)>> {
        files::by_hashes(&self.readers, hashes).await
    }

    async fn version_files(&self, version: u64) -> Result<Vec<(String, [u8; 32])>> {
        files::of_version(&self.readers, version).await
    }

    async fn file_chunks(&self, hash: [u8; 32]) -> Result<Vec<ChunkContent>> {
        chunks::of_file(&self.readers, hash).await
    }

    async fn version_chunks(
        &self,
        version: u64,
        kind: Option<DocsMode>,
        page: Page,
    ) -> Result<(Vec<Chunk>, u64)> {
        chunks::of_version(&self.readers, (version, kind), page).await
    }

    async fn insert_docs_files(&self, files: &[NewDocsFile], now: Timestamp) -> Result<Vec<u64>> {
        write!(self, write, [files] => files::insert(write, &files, now))
    }

    async fn publish_version(&self, new: &NewVersion) -> Result<u64> {
        write!(self, write, [new] => versions::publish(write, &new))
    }

    async fn describe_library(
        &self,
        id: u64,
        description: Option<&str>,
        default_version: Option<&str>,
    ) -> Result<bool> {
        let description = description.map(str::to_owned);
        let version = default_version.map(str::to_owned);
        write!(self, write, [] => versions::describe(write, id, description.as_deref(), version.as_deref()))
    }

    async fn remove_version(
        &self,
        library: u64,
        version: &str,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        let event = event.cloned();
        write!(self, write, [version] =>
            versions::remove(write, library, &version, event.as_ref()))
    }

    async fn remove_library(&self, library: u64) -> Result<bool> {
        write!(self, write, [] => versions::remove_all(write, library))
    }

    async fn discard_files(&self, files: &[u64], before: Timestamp) -> Result<u64> {
        write!(self, write, [files] => files::discard(write, &files, before))
    }

    async fn example_texts(&self, hashes: &[[u8; 32]]) -> Result<Vec<ExampleText>> {
        example_texts::read(&self.readers, hashes).await
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
        vectors::missing(&self.readers, model, after, limit).await
    }

    async fn count_chunks_without_vector(&self, model: &str) -> Result<u64> {
        vectors::count_missing(&self.readers, model).await
    }

    async fn put_chunk_vectors(&self, model: &str, vectors: &[NewVector]) -> Result<()> {
        write!(self, write, [model, vectors] => vectors::put(write, &model, &vectors))
    }
}
