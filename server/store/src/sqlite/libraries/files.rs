//! Documentation files by their hash: each is stored once.

use jiff::Timestamp;
use sqlx::SqliteConnection;

use super::chunks;
use crate::{NewDocsFile, Result, database::columns::count_of, sql::query};

/// Stores files with their chunks; returns the id of each.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    files: &[NewDocsFile],
    now: Timestamp,
) -> Result<Vec<u64>> {
    let mut ids = Vec::with_capacity(files.len());
    for new in files {
        let known = by_hash(write, &new.hash).await?;
        ids.push(match known {
            Some(id) => id,
            None => insert_one(write, new, now).await?,
        });
    }
    Ok(ids)
}

async fn insert_one(
    write: &mut SqliteConnection,
    new: &NewDocsFile,
    now: Timestamp,
) -> Result<u64> {
    let id =
        query("insert into docs_files (path, hash, created_at) values ($1, $2, $3) returning id")
            .bind(&new.path)
            .bind(&new.hash)
            .bind(now)
            .fetch_count(write)
            .await?;
    chunks::insert(write, id, new, now).await?;
    Ok(id)
}

async fn by_hash(connection: &mut SqliteConnection, hash: &[u8; 32]) -> Result<Option<u64>> {
    let id: Option<(i64,)> = query("select id from docs_files where hash = $1")
        .bind(hash)
        .fetch_optional(connection)
        .await?;
    Ok(id.map(|(id,)| count_of(id)))
}

/// Reads which of these files are stored.
pub(super) async fn by_hashes(
    connection: &mut SqliteConnection,
    hashes: &[[u8; 32]],
) -> Result<Vec<([u8; 32], u64)>> {
    let mut found = Vec::new();
    for hash in hashes {
        let id = by_hash(connection, hash).await?;
        found.extend(id.map(|id| (*hash, id)));
    }
    Ok(found)
}
