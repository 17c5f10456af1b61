//! Versions: published in one transaction, described, removed.

use sqlx::{PgConnection, Row};

use super::{files, integers_of};
use crate::{
    AuditEvent, NewVersion, Result, StoreError,
    database::columns::{count_of, integer_of},
    postgres::{Head, access::people::note_change, lock_head, text::encoded},
};

/// Publishes a version in place of the one with the same name.
pub(super) async fn publish(connection: &mut PgConnection, new: &NewVersion) -> Result<u64> {
    lock_head(&mut *connection, Head::Chunks).await?;
    let library = library(&mut *connection, new).await?;
    let before = files_of(&mut *connection, library, Some(&new.version)).await?;
    delete(&mut *connection, library, &new.version).await?;
    let version = insert(&mut *connection, library, new).await?;
    add_files(&mut *connection, version, &new.files).await?;
    files::remove_unused(&mut *connection, &before).await?;
    next_edition(&mut *connection).await?;
    note_change(connection, new.event.as_ref()).await?;
    Ok(library)
}

/// Creates or updates the library of a new version; returns its id.
async fn library(connection: &mut PgConnection, new: &NewVersion) -> Result<u64> {
    let row = sqlx::query(
        "insert into libraries as l (name, description, default_version, created_at) \
         values ($1, coalesce($2, ''), $3, $4) on conflict (lower(name)) do update set \
         description = coalesce($2, l.description), \
         default_version = case when $5 then excluded.default_version else l.default_version end \
         returning id",
    )
    .bind(encoded(&new.library))
    .bind(new.description.as_deref().map(encoded))
    .bind(encoded(&new.version))
    .bind(new.ingested_at.as_microsecond())
    .bind(new.is_default)
    .fetch_one(connection)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Writes a version with the number of its files, chunks and tokens; returns its id.
async fn insert(connection: &mut PgConnection, library: u64, new: &NewVersion) -> Result<i64> {
    let row = sqlx::query(
        "insert into library_versions (library_id, version, source, \"at\", revision, files, \
         chunks, tokens, ingested_at) select $1, $2, $3, $4, $5, \
         (select count(distinct id) from unnest($6::bigint[]) as n (id)), \
         count(*), coalesce(sum(tokens), 0)::bigint, $7 from chunks where file_id = any($6) \
         returning id",
    )
    .bind(integer_of(library))
    .bind(encoded(&new.version))
    .bind(encoded(&new.source))
    .bind(new.at.as_deref().map(encoded))
    .bind(new.revision.as_deref().map(encoded))
    .bind(integers_of(&new.files))
    .bind(new.ingested_at.as_microsecond())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get(0)?)
}

/// Adds files to a version.
///
/// *Errors*: [`StoreError::FileGone`].
async fn add_files(connection: &mut PgConnection, version: i64, files: &[u64]) -> Result<()> {
    let files = integers_of(files);
    let gone = sqlx::query(
        "select id from unnest($1::bigint[]) as n (id) \
         where not exists (select 1 from docs_files f where f.id = n.id) limit 1",
    )
    .bind(&files)
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(row) = gone {
        return Err(StoreError::FileGone(count_of(row.try_get(0)?)));
    }
    sqlx::query(
        "insert into version_files (version_id, file_id) \
         select distinct $1, id from unnest($2::bigint[]) as n (id)",
    )
    .bind(version)
    .bind(files)
    .execute(connection)
    .await?;
    Ok(())
}

/// Sets description and default version of a library.
pub(super) async fn describe(
    connection: &mut PgConnection,
    id: u64,
    description: Option<&str>,
    default_version: Option<&str>,
) -> Result<bool> {
    lock_head(&mut *connection, Head::Chunks).await?;
    let changed = sqlx::query(
        "update libraries l set description = coalesce($1, description), \
         default_version = coalesce($2, default_version) where id = $3 and ($2 is null or exists \
         (select 1 from library_versions where library_id = l.id and version = $2))",
    )
    .bind(description.map(encoded))
    .bind(default_version.map(encoded))
    .bind(integer_of(id))
    .execute(&mut *connection)
    .await?;
    next_edition(connection).await?;
    Ok(changed.rows_affected() > 0)
}

/// Removes a version, and the library with its last version.
pub(super) async fn remove(
    connection: &mut PgConnection,
    library: u64,
    version: &str,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    lock_head(&mut *connection, Head::Chunks).await?;
    let files = files_of(&mut *connection, library, Some(version)).await?;
    if !delete(&mut *connection, library, version).await? {
        return Ok(false);
    }
    files::remove_unused(&mut *connection, &files).await?;
    let id = integer_of(library);
    sqlx::query(
        "delete from libraries l where id = $1 and not exists \
         (select 1 from library_versions where library_id = l.id)",
    )
    .bind(id)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "update libraries l set default_version = (select version from library_versions \
         where library_id = l.id order by ingested_at desc, id desc limit 1) \
         where id = $1 and default_version = $2",
    )
    .bind(id)
    .bind(encoded(version))
    .execute(&mut *connection)
    .await?;
    next_edition(&mut *connection).await?;
    note_change(connection, event).await?;
    Ok(true)
}

/// Removes a library with all its versions.
pub(super) async fn remove_all(connection: &mut PgConnection, library: u64) -> Result<bool> {
    lock_head(&mut *connection, Head::Chunks).await?;
    let files = files_of(&mut *connection, library, None).await?;
    let deleted = sqlx::query("delete from libraries where id = $1")
        .bind(integer_of(library))
        .execute(&mut *connection)
        .await?;
    if deleted.rows_affected() == 0 {
        return Ok(false);
    }
    files::remove_unused(&mut *connection, &files).await?;
    next_edition(connection).await?;
    Ok(true)
}

/// Reads the ids of the files of a version, or of all versions of the library.
async fn files_of(
    connection: &mut PgConnection,
    library: u64,
    version: Option<&str>,
) -> Result<Vec<u64>> {
    let rows = sqlx::query(
        "select distinct f.file_id from version_files f \
         join library_versions v on v.id = f.version_id \
         where v.library_id = $1 and v.version = coalesce($2, v.version)",
    )
    .bind(integer_of(library))
    .bind(version.map(encoded))
    .fetch_all(connection)
    .await?;
    let files = rows.iter().map(|row| Ok(count_of(row.try_get(0)?)));
    files.collect()
}

/// Deletes a version but not its files; `false` if there is none.
async fn delete(connection: &mut PgConnection, library: u64, version: &str) -> Result<bool> {
    let deleted =
        sqlx::query("delete from library_versions where library_id = $1 and version = $2")
            .bind(integer_of(library))
            .bind(encoded(version))
            .execute(connection)
            .await?;
    Ok(deleted.rows_affected() > 0)
}

async fn next_edition(connection: &mut PgConnection) -> Result<()> {
    sqlx::query("update library_edition set number = number + 1")
        .execute(connection)
        .await?;
    Ok(())
}
