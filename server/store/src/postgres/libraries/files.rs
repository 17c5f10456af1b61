//! Documentation files by their hash: stored once, and removed when no version contains them any more.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use sqlx::{PgConnection, Row, postgres::PgRow};

use super::{chunks, hash_of, integers_of};
use crate::{
    NewDocsFile, Result,
    database::columns::{count_of, damaged, integer_of},
    postgres::{
        Head, lock_head,
        text::{decoded, encoded},
    },
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

/// Reads path and hash of every file of a version.
pub(super) async fn of_version(
    connection: &mut PgConnection,
    version: u64,
) -> Result<Vec<(String, [u8; 32])>> {
    let rows = sqlx::query(
        "select f.path, f.hash from docs_files f join version_files v on v.file_id = f.id \
         where v.version_id = $1 order by f.path",
    )
    .bind(integer_of(version))
    .fetch_all(connection)
    .await?;
    let file = |row: &PgRow| {
        let path = decoded(row.try_get("path")?);
        let hash = hash_of(row.try_get("hash")?, &path)?;
        Ok((path, hash))
    };
    rows.iter().map(file).collect()
}

/// Removes files that belong to no version: those among `files`, and all stored before a point in time.
pub(super) async fn discard(
    connection: &mut PgConnection,
    files: &[u64],
    before: Timestamp,
) -> Result<u64> {
    lock_head(&mut *connection, Head::Chunks).await?;
    let rows = sqlx::query(
        "select id from docs_files f where (created_at < $1 or id = any($2)) \
         and not exists (select 1 from version_files v where v.file_id = f.id)",
    )
    .bind(before.as_microsecond())
    .bind(integers_of(files))
    .fetch_all(&mut *connection)
    .await?;
    let files = rows.iter().map(|row| Ok(row.try_get(0)?));
    remove(connection, &files.collect::<Result<Vec<_>>>()?).await?;
    Ok(rows.len() as u64)
}

/// Removes those of these files that belong to no version, inside a transaction that has locked the head
/// of chunks.
pub(super) async fn remove_unused(connection: &mut PgConnection, files: &[u64]) -> Result<()> {
    let rows = sqlx::query(
        "select id from docs_files f where id = any($1) \
         and not exists (select 1 from version_files v where v.file_id = f.id)",
    )
    .bind(integers_of(files))
    .fetch_all(&mut *connection)
    .await?;
    let files = rows.iter().map(|row| Ok(row.try_get(0)?));
    remove(connection, &files.collect::<Result<Vec<_>>>()?).await
}

async fn remove(connection: &mut PgConnection, files: &[i64]) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    chunks::empty(&mut *connection, files).await?;
    sqlx::query("delete from docs_files where id = any($1)")
        .bind(files)
        .execute(connection)
        .await?;
    Ok(())
}
