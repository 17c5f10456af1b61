//! A snapshot of all libraries with their versions and of which files belong to which version.

use std::collections::HashMap;

use sqlx::{Connection, PgConnection, Row, postgres::PgRow};

use crate::{
    Library, LibrarySnapshot, LibraryVersion, Result,
    database::columns::{count_of, timestamp_of},
    postgres::text::decoded,
};

/// Reads the edition.
pub(super) async fn edition(connection: &mut PgConnection) -> Result<u64> {
    let row = sqlx::query("select number from library_edition")
        .fetch_one(connection)
        .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Reads the snapshot; the connection must not be in a transaction.
pub(super) async fn read(connection: &mut PgConnection) -> Result<LibrarySnapshot> {
    // One transaction with one snapshot, so that nothing changes between the queries.
    let mut read = connection
        .begin_with("begin isolation level repeatable read, read only")
        .await?;
    let edition = edition(&mut read).await?;
    let mut versions = versions(&mut read).await?;
    let rows = sqlx::query(
        "select id, name, description, default_version from libraries order by lower(name)",
    )
    .fetch_all(&mut *read)
    .await?;
    let library = |row: &PgRow| {
        let id = count_of(row.try_get("id")?);
        Ok(Library {
            id,
            name: decoded(row.try_get("name")?),
            description: decoded(row.try_get("description")?),
            default_version: decoded(row.try_get("default_version")?),
            versions: versions.remove(&id).unwrap_or_default(),
        })
    };
    let libraries = rows.iter().map(library).collect::<Result<_>>()?;
    let rows =
        sqlx::query("select file_id, version_id from version_files order by file_id, version_id")
            .fetch_all(&mut *read)
            .await?;
    let pair = |row: &PgRow| Ok((count_of(row.try_get(0)?), count_of(row.try_get(1)?)));
    let placed = rows.iter().map(pair).collect::<Result<_>>()?;
    read.commit().await?;
    Ok(LibrarySnapshot {
        edition,
        libraries,
        placed,
    })
}

/// Reads the versions of every library, the earliest ingested first.
async fn versions(connection: &mut PgConnection) -> Result<HashMap<u64, Vec<LibraryVersion>>> {
    let rows = sqlx::query(
        "select id, library_id, version, source, \"at\", revision, files, chunks, tokens, \
         ingested_at from library_versions order by ingested_at, id",
    )
    .fetch_all(connection)
    .await?;
    let mut versions: HashMap<u64, Vec<LibraryVersion>> = HashMap::new();
    for row in &rows {
        let version = decoded(row.try_get("version")?);
        let of_library = versions.entry(count_of(row.try_get("library_id")?));
        of_library.or_default().push(LibraryVersion {
            id: count_of(row.try_get("id")?),
            source: decoded(row.try_get("source")?),
            at: row.try_get::<Option<String>, _>("at")?.map(decoded),
            revision: row.try_get::<Option<String>, _>("revision")?.map(decoded),
            files: count_of(row.try_get("files")?),
            chunks: count_of(row.try_get("chunks")?),
            tokens: count_of(row.try_get("tokens")?),
            ingested_at: timestamp_of(row.try_get("ingested_at")?, &version)?,
            version,
        });
    }
    Ok(versions)
}
