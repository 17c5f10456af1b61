//! Documentation files: read by version, and removed when no version contains them any more.

use jiff::Timestamp;
use sqlx::FromRow;

use super::chunks;
use crate::{
    Result,
    database::columns::{hash_of, integer_of},
    sql::{Columns, Family, SqlConnection, query},
};

/// Reads path and hash of every file of a version.
pub(crate) async fn of_version(
    connection: &mut impl SqlConnection,
    version: u64,
) -> Result<Vec<(String, [u8; 32])>> {
    let files: Vec<FileRow> = query(
        "select f.path, f.hash from docs_files f join version_files v on v.file_id = f.id \
         where v.version_id = $1 order by f.path",
    )
    .bind(integer_of(version))
    .fetch_all(connection)
    .await?;
    Ok(files
        .into_iter()
        .map(|file| (file.path, file.hash))
        .collect())
}

struct FileRow {
    path: String,
    hash: [u8; 32],
}

impl<'r, R: Columns> FromRow<'r, R> for FileRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let path = row.text("path")?;
        let hash = hash_of(row.read("hash")?, &path)?;
        Ok(Self { path, hash })
    }
}

/// Removes files that belong to no version: those among `files`, and all stored before a point in time.
pub(crate) async fn discard(
    connection: &mut impl SqlConnection,
    files: &[u64],
    before: Timestamp,
) -> Result<u64> {
    connection.lock_family(Family::Chunks).await?;
    let unused = query(
        "select id from docs_files f where (created_at < $1 or id = any($2)) \
         and not exists (select 1 from version_files v where v.file_id = f.id)",
    )
    .bind(before)
    .bind(files)
    .fetch_all(connection)
    .await?;
    remove(connection, &unused).await?;
    Ok(unused.len() as u64)
}

/// Removes those of these files that belong to no version, inside a transaction that has locked the
/// family of chunks.
pub(super) async fn remove_unused(
    connection: &mut impl SqlConnection,
    files: &[u64],
) -> Result<()> {
    let unused = query(
        "select id from docs_files f where id = any($1) \
         and not exists (select 1 from version_files v where v.file_id = f.id)",
    )
    .bind(files)
    .fetch_all(connection)
    .await?;
    remove(connection, &unused).await
}

async fn remove(connection: &mut impl SqlConnection, files: &[(i64,)]) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let files: Vec<i64> = files.iter().map(|(id,)| *id).collect();
    chunks::empty(connection, &files).await?;
    query("delete from docs_files where id = any($1)")
        .bind(files)
        .execute(connection)
        .await?;
    Ok(())
}
