//! Versions: published in one transaction, described, removed.

use sqlx::{Row, SqliteConnection};

use super::{files, json_of};
use crate::{
    AuditEvent, NewVersion, Result, StoreError,
    database::columns::{count_of, integer_of},
    sqlite::access::people::note_change,
};

/// Publishes a version in place of the one with the same name.
pub(super) async fn publish(write: &mut SqliteConnection, new: &NewVersion) -> Result<u64> {
    let library = library(&mut *write, new).await?;
    let before = files_of(&mut *write, library, Some(&new.version)).await?;
    delete(&mut *write, library, &new.version).await?;
    let version = insert(&mut *write, library, new).await?;
    add_files(&mut *write, version, &new.files).await?;
    files::remove_unused(&mut *write, &before).await?;
    next_edition(&mut *write).await?;
    note_change(write, new.event.as_ref()).await?;
    Ok(library)
}

/// Creates or updates the library of a new version; returns its id.
async fn library(write: &mut SqliteConnection, new: &NewVersion) -> Result<u64> {
    let row = sqlx::query(
        "insert into libraries (name, description, default_version, created_at) \
         values (?, coalesce(?, ''), ?, ?) on conflict (name) do update set \
         description = coalesce(?, description), \
         default_version = iif(?, excluded.default_version, default_version) returning id",
    )
    .bind(&new.library)
    .bind(&new.description)
    .bind(&new.version)
    .bind(new.ingested_at.as_microsecond())
    .bind(&new.description)
    .bind(new.is_default)
    .fetch_one(write)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Writes a version with the number of its files, chunks and tokens; returns its id.
async fn insert(write: &mut SqliteConnection, library: u64, new: &NewVersion) -> Result<i64> {
    let files = json_of(&new.files);
    let sums = sqlx::query(
        "select count(*), coalesce(sum(tokens), 0) from chunks \
         where file_id in (select value from json_each(?))",
    )
    .bind(&files)
    .fetch_one(&mut *write)
    .await?;
    let row = sqlx::query(
        "insert into library_versions (library_id, version, source, at, revision, files, chunks, \
         tokens, ingested_at) \
         values (?, ?, ?, ?, ?, (select count(distinct value) from json_each(?)), ?, ?, ?) returning id",
    )
    .bind(integer_of(library))
    .bind(&new.version)
    .bind(&new.source)
    .bind(&new.at)
    .bind(&new.revision)
    .bind(files)
    .bind(sums.try_get::<i64, _>(0)?)
    .bind(sums.try_get::<i64, _>(1)?)
    .bind(new.ingested_at.as_microsecond())
    .fetch_one(write)
    .await?;
    Ok(row.try_get(0)?)
}

/// Adds files to a version.
///
/// *Errors*: [`StoreError::FileGone`].
async fn add_files(write: &mut SqliteConnection, version: i64, files: &[u64]) -> Result<()> {
    let files = json_of(files);
    let gone = sqlx::query(
        "select value from json_each(?) where value not in (select id from docs_files) limit 1",
    )
    .bind(&files)
    .fetch_optional(&mut *write)
    .await?;
    if let Some(row) = gone {
        return Err(StoreError::FileGone(count_of(row.try_get(0)?)));
    }
    sqlx::query(
        "insert into version_files (version_id, file_id) \
         select distinct ?, value from json_each(?)",
    )
    .bind(version)
    .bind(files)
    .execute(write)
    .await?;
    Ok(())
}

/// Sets description and default version of a library.
pub(super) async fn describe(
    write: &mut SqliteConnection,
    id: u64,
    description: Option<&str>,
    default_version: Option<&str>,
) -> Result<bool> {
    let changed = sqlx::query(
        "update libraries set description = coalesce(?, description), \
         default_version = coalesce(?, default_version) where id = ? and (? is null or exists \
         (select 1 from library_versions where library_id = libraries.id and version = ?))",
    )
    .bind(description)
    .bind(default_version)
    .bind(integer_of(id))
    .bind(default_version)
    .bind(default_version)
    .execute(&mut *write)
    .await?;
    next_edition(&mut *write).await?;
    Ok(changed.rows_affected() > 0)
}

/// Removes a version, and the library with its last version.
pub(super) async fn remove(
    write: &mut SqliteConnection,
    library: u64,
    version: &str,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    let files = files_of(&mut *write, library, Some(version)).await?;
    if !delete(&mut *write, library, version).await? {
        return Ok(false);
    }
    files::remove_unused(&mut *write, &files).await?;
    let id = integer_of(library);
    sqlx::query(
        "delete from libraries where id = ? and not exists \
         (select 1 from library_versions where library_id = libraries.id)",
    )
    .bind(id)
    .execute(&mut *write)
    .await?;
    sqlx::query(
        "update libraries set default_version = (select version from library_versions \
         where library_id = libraries.id order by ingested_at desc, id desc limit 1) \
         where id = ? and default_version = ?",
    )
    .bind(id)
    .bind(version)
    .execute(&mut *write)
    .await?;
    next_edition(&mut *write).await?;
    note_change(write, event).await?;
    Ok(true)
}

/// Removes a library with all its versions.
pub(super) async fn remove_all(write: &mut SqliteConnection, library: u64) -> Result<bool> {
    let files = files_of(&mut *write, library, None).await?;
    let deleted = sqlx::query("delete from libraries where id = ?")
        .bind(integer_of(library))
        .execute(&mut *write)
        .await?;
    if deleted.rows_affected() == 0 {
        return Ok(false);
    }
    files::remove_unused(&mut *write, &files).await?;
    next_edition(&mut *write).await?;
    Ok(true)
}

/// Reads the ids of the files of a version, or of all versions of the library.
async fn files_of(
    write: &mut SqliteConnection,
    library: u64,
    version: Option<&str>,
) -> Result<Vec<u64>> {
    let rows = sqlx::query(
        "select distinct f.file_id from version_files f \
         join library_versions v on v.id = f.version_id \
         where v.library_id = ? and v.version = coalesce(?, v.version)",
    )
    .bind(integer_of(library))
    .bind(version)
    .fetch_all(write)
    .await?;
    let files = rows.iter().map(|row| Ok(count_of(row.try_get(0)?)));
    files.collect()
}

/// Deletes a version but not its files; `false` if there is none.
async fn delete(write: &mut SqliteConnection, library: u64, version: &str) -> Result<bool> {
    let deleted = sqlx::query("delete from library_versions where library_id = ? and version = ?")
        .bind(integer_of(library))
        .bind(version)
        .execute(write)
        .await?;
    Ok(deleted.rows_affected() > 0)
}

async fn next_edition(write: &mut SqliteConnection) -> Result<()> {
    sqlx::query("update library_edition set number = number + 1")
        .execute(write)
        .await?;
    Ok(())
}
