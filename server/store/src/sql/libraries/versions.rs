//! Versions: published in one transaction, described, removed.

use super::files;
use crate::{
    AuditEvent, NewVersion, Result, StoreError,
    database::columns::{count_of, integer_of},
    sql::{Dialects, Family, SqlConnection, access::audit::note_change, query},
};

macro_rules! insert_library {
    () => {
        "insert into libraries as l (name, description, default_version, created_at) \
         values ($1, coalesce($2, ''), $3, $4) "
    };
}

macro_rules! update_library {
    () => {
        "do update set description = coalesce($2, l.description), \
         default_version = case when $5 then excluded.default_version else l.default_version end \
         returning id"
    };
}

/// Publishes a version in place of the one with the same name.
pub(crate) async fn publish(connection: &mut impl SqlConnection, new: &NewVersion) -> Result<u64> {
    connection.lock_family(Family::Chunks).await?;
    let library = library(connection, new).await?;
    let before = files_of(connection, library, Some(&new.version)).await?;
    delete(connection, library, &new.version).await?;
    let version = insert(connection, library, new).await?;
    add_files(connection, version, &new.files).await?;
    files::remove_unused(connection, &before).await?;
    next_edition(connection).await?;
    note_change(connection, new.event.as_ref()).await?;
    Ok(library)
}

/// Creates or updates the library of a new version; returns its id.
async fn library(connection: &mut impl SqlConnection, new: &NewVersion) -> Result<u64> {
    let insert = connection.dialect(Dialects {
        sqlite: concat!(insert_library!(), "on conflict (name) ", update_library!()),
        postgres: concat!(
            insert_library!(),
            "on conflict (lower(name)) ",
            update_library!()
        ),
    });
    query(insert)
        .bind(&new.library)
        .bind(new.description.as_deref())
        .bind(&new.version)
        .bind(new.ingested_at)
        .bind(new.is_default)
        .fetch_count(connection)
        .await
}

/// Writes a version with the number of its files, chunks and tokens; returns its id.
async fn insert(
    connection: &mut impl SqlConnection,
    library: u64,
    new: &NewVersion,
) -> Result<i64> {
    query(
        "insert into library_versions (library_id, version, source, \"at\", revision, files, \
         chunks, tokens, ingested_at) select $1, $2, $3, $4, $5, \
         (select count(distinct value) from unnest($6) as value), \
         count(*), cast(coalesce(sum(tokens), 0) as bigint), $7 from chunks where file_id = any($6) \
         returning id",
    )
    .bind(integer_of(library))
    .bind(&new.version)
    .bind(&new.source)
    .bind(new.at.as_deref())
    .bind(new.revision.as_deref())
    .bind(new.files.as_slice())
    .bind(new.ingested_at)
    .fetch_scalar(connection)
    .await
}

/// Adds files to a version.
///
/// *Errors*: [`StoreError::FileGone`].
async fn add_files(connection: &mut impl SqlConnection, version: i64, files: &[u64]) -> Result<()> {
    let gone: Option<(i64,)> = query(
        "select value from unnest($1) as value \
         where not exists (select 1 from docs_files where id = value) limit 1",
    )
    .bind(files)
    .fetch_optional(connection)
    .await?;
    if let Some((id,)) = gone {
        return Err(StoreError::FileGone(count_of(id)));
    }
    query(
        "insert into version_files (version_id, file_id) \
         select distinct $1, value from unnest($2) as value",
    )
    .bind(version)
    .bind(files)
    .execute(connection)
    .await?;
    Ok(())
}

/// Sets description and default version of a library.
pub(crate) async fn describe(
    connection: &mut impl SqlConnection,
    id: u64,
    description: Option<&str>,
    default_version: Option<&str>,
) -> Result<bool> {
    connection.lock_family(Family::Chunks).await?;
    let changed = query(
        "update libraries as l set description = coalesce($1, description), \
         default_version = coalesce($2, default_version) where id = $3 and ($2 is null or exists \
         (select 1 from library_versions where library_id = l.id and version = $2))",
    )
    .bind(description)
    .bind(default_version)
    .bind(integer_of(id))
    .execute(connection)
    .await?;
    next_edition(connection).await?;
    Ok(changed > 0)
}

/// Removes a version, and the library with its last version.
pub(crate) async fn remove(
    connection: &mut impl SqlConnection,
    library: u64,
    version: &str,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    connection.lock_family(Family::Chunks).await?;
    let files = files_of(connection, library, Some(version)).await?;
    if !delete(connection, library, version).await? {
        return Ok(false);
    }
    files::remove_unused(connection, &files).await?;
    let id = integer_of(library);
    query(
        "delete from libraries as l where id = $1 and not exists \
         (select 1 from library_versions where library_id = l.id)",
    )
    .bind(id)
    .execute(connection)
    .await?;
    query(
        "update libraries as l set default_version = (select version from library_versions \
         where library_id = l.id order by ingested_at desc, id desc limit 1) \
         where id = $1 and default_version = $2",
    )
    .bind(id)
    .bind(version)
    .execute(connection)
    .await?;
    next_edition(connection).await?;
    note_change(connection, event).await?;
    Ok(true)
}

/// Removes a library with all its versions.
pub(crate) async fn remove_all(connection: &mut impl SqlConnection, library: u64) -> Result<bool> {
    connection.lock_family(Family::Chunks).await?;
    let files = files_of(connection, library, None).await?;
    let deleted = query("delete from libraries where id = $1")
        .bind(integer_of(library))
        .execute(connection)
        .await?;
    if deleted == 0 {
        return Ok(false);
    }
    files::remove_unused(connection, &files).await?;
    next_edition(connection).await?;
    Ok(true)
}

/// Reads the ids of the files of a version, or of all versions of the library.
async fn files_of(
    connection: &mut impl SqlConnection,
    library: u64,
    version: Option<&str>,
) -> Result<Vec<u64>> {
    let files: Vec<(i64,)> = query(
        "select distinct f.file_id from version_files f \
         join library_versions v on v.id = f.version_id \
         where v.library_id = $1 and v.version = coalesce($2, v.version)",
    )
    .bind(integer_of(library))
    .bind(version)
    .fetch_all(connection)
    .await?;
    Ok(files.into_iter().map(|(file,)| count_of(file)).collect())
}

/// Deletes a version but not its files; `false` if there is none.
async fn delete(connection: &mut impl SqlConnection, library: u64, version: &str) -> Result<bool> {
    let deleted = query("delete from library_versions where library_id = $1 and version = $2")
        .bind(integer_of(library))
        .bind(version)
        .execute(connection)
        .await?;
    Ok(deleted > 0)
}

async fn next_edition(connection: &mut impl SqlConnection) -> Result<()> {
    query("update library_edition set number = number + 1")
        .execute(connection)
        .await?;
    Ok(())
}
