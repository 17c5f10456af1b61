//! Documentation files by their hash: stored once, and removed when no version contains them any more.

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};

use super::{chunks, json_of};
use crate::{
    NewDocsFile, Result,
    database::columns::{count_of, damaged, integer_of},
};

/// Stores files with their chunks; returns the id of each.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    files: &[NewDocsFile],
    now: Timestamp,
) -> Result<Vec<u64>> {
    let mut ids = Vec::with_capacity(files.len());
    for new in files {
        let known = sqlx::query("select id from docs_files where hash = ?")
            .bind(new.hash.as_slice())
            .fetch_optional(&mut *write)
            .await?;
        if let Some(row) = known {
            ids.push(count_of(row.try_get(0)?));
            continue;
        }
        let row = sqlx::query(
            "insert into docs_files (path, hash, created_at) values (?, ?, ?) returning id",
        )
        .bind(&new.path)
        .bind(new.hash.as_slice())
        .bind(now.as_microsecond())
        .fetch_one(&mut *write)
        .await?;
        let id = count_of(row.try_get(0)?);
        chunks::insert(&mut *write, id, new, now).await?;
        ids.push(id);
    }
    Ok(ids)
}

/// Reads which of these files are stored.
pub(super) async fn by_hashes(
    readers: &SqlitePool,
    hashes: &[[u8; 32]],
) -> Result<Vec<([u8; 32], u64)>> {
    let mut found = Vec::new();
    for hash in hashes {
        let row = sqlx::query("select id from docs_files where hash = ?")
            .bind(hash.as_slice())
            .fetch_optional(readers)
            .await?;
        if let Some(row) = row {
            found.push((*hash, count_of(row.try_get(0)?)));
        }
    }
    Ok(found)
}

/// Reads path and hash of every file of a version.
pub(super) async fn of_version(
    readers: &SqlitePool,
    version: u64,
) -> Result<Vec<(String, [u8; 32])>> {
    let rows = sqlx::query(
        "select f.path, f.hash from docs_files f join version_files v on v.file_id = f.id \
         where v.version_id = ? order by f.path",
    )
    .bind(integer_of(version))
    .fetch_all(readers)
    .await?;
    let file = |row: &SqliteRow| {
        let path: String = row.try_get(0)?;
        let hash: &[u8] = row.try_get(1)?;
        let hash = hash.try_into().map_err(|_| damaged("hash", &path))?;
        Ok((path, hash))
    };
    rows.iter().map(file).collect()
}

/// Removes files that belong to no version: those among `files`, and all stored before a point in time.
pub(super) async fn discard(
    write: &mut SqliteConnection,
    files: &[u64],
    before: Timestamp,
) -> Result<u64> {
    let rows = sqlx::query(
        "select id from docs_files f \
         where (created_at < ? or id in (select value from json_each(?))) \
         and not exists (select 1 from version_files v where v.file_id = f.id)",
    )
    .bind(before.as_microsecond())
    .bind(json_of(files))
    .fetch_all(&mut *write)
    .await?;
    for row in &rows {
        remove(&mut *write, count_of(row.try_get(0)?)).await?;
    }
    Ok(rows.len() as u64)
}

/// Removes those of these files that belong to no version, inside a write transaction.
pub(super) async fn remove_unused(write: &mut SqliteConnection, files: &[u64]) -> Result<()> {
    let rows = sqlx::query(
        "select value from json_each(?) \
         where not exists (select 1 from version_files v where v.file_id = value)",
    )
    .bind(json_of(files))
    .fetch_all(&mut *write)
    .await?;
    for row in &rows {
        remove(&mut *write, count_of(row.try_get(0)?)).await?;
    }
    Ok(())
}

async fn remove(write: &mut SqliteConnection, file: u64) -> Result<()> {
    chunks::empty(&mut *write, file).await?;
    sqlx::query("delete from docs_files where id = ?")
        .bind(integer_of(file))
        .execute(write)
        .await?;
    Ok(())
}
