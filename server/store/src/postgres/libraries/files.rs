//! Documentation files by their hash: each is stored once.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use sqlx::{PgConnection, Row, postgres::PgRow};

use super::chunks;
use crate::{
    NewDocsFile, Result,
    database::columns::{count_of, damaged, hash_of},
    postgres::{Head, lock_head, text::encoded},
};

/// Stores files with their chunks; returns the id of each.
pub(super) async fn insert(
    connection: &mut PgConnection,
    files: &[NewDocsFile],
    now: Timestamp,
) -> Result<Vec<u64>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    lock_head(&mut *connection, Head::Chunks).await?;
    let hashes: Vec<[u8; 32]> = files.iter().map(|file| file.hash).collect();
    let known = by_hashes(&mut *connection, &hashes).await?;
    let mut ids: HashMap<[u8; 32], u64> = known.into_iter().collect();
    let mut seen: HashSet<[u8; 32]> = ids.keys().copied().collect();
    let new: Vec<&NewDocsFile> = files.iter().filter(|new| seen.insert(new.hash)).collect();
    let stored = insert_rows(&mut *connection, &new, now).await?;
    ids.extend(stored);
    let id_of = |new: &NewDocsFile| ids.get(&new.hash).copied();
    let with_ids = new.into_iter().filter_map(|new| Some((id_of(new)?, new)));
    chunks::insert(connection, &with_ids.collect::<Vec<_>>(), now).await?;
    let all = files
        .iter()
        .map(|new| id_of(new).ok_or_else(|| damaged("hash", &new.path)));
    all.collect()
}

/// Writes new files; returns hash and id of each.
async fn insert_rows(
    connection: &mut PgConnection,
    new: &[&NewDocsFile],
    now: Timestamp,
) -> Result<Vec<([u8; 32], u64)>> {
    let paths: Vec<_> = new.iter().map(|file| encoded(&file.path)).collect();
    let hashes: Vec<&[u8]> = new.iter().map(|file| file.hash.as_slice()).collect();
    let rows = sqlx::query(
        "insert into docs_files (path, hash, created_at) select path, hash, $3 \
         from unnest($1::text[], $2::bytea[]) with ordinality as n (path, hash, place) \
         order by place returning hash, id",
    )
    .bind(paths)
    .bind(hashes)
    .bind(now.as_microsecond())
    .fetch_all(connection)
    .await?;
    rows.iter().map(hash_and_id).collect()
}

fn hash_and_id(row: &PgRow) -> Result<([u8; 32], u64)> {
    let id: i64 = row.try_get("id")?;
    Ok((
        hash_of(row.try_get("hash")?, &id.to_string())?,
        count_of(id),
    ))
}

/// Reads which of these files are stored.
pub(super) async fn by_hashes(
    connection: &mut PgConnection,
    hashes: &[[u8; 32]],
) -> Result<Vec<([u8; 32], u64)>> {
    let rows = sqlx::query("select hash, id from docs_files where hash = any($1)")
        .bind(hashes)
        .fetch_all(connection)
        .await?;
    rows.iter().map(hash_and_id).collect()
}
