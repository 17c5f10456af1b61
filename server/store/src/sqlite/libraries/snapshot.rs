//! A snapshot of all libraries with their versions and of which files belong to which version.

use std::collections::HashMap;

use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};

use crate::{
    Library, LibrarySnapshot, LibraryVersion, Result,
    database::columns::{count_of, timestamp_of},
};

/// Reads the edition.
pub(super) async fn edition(read: &mut SqliteConnection) -> Result<u64> {
    let row = sqlx::query("select number from library_edition")
        .fetch_one(read)
        .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Reads the snapshot.
pub(super) async fn read(readers: &SqlitePool) -> Result<LibrarySnapshot> {
    // One transaction, so that nothing changes between the queries.
    let mut read = readers.begin().await?;
    let edition = edition(&mut read).await?;
    let mut versions = versions(&mut read).await?;
    let rows = sqlx::query(
        "select id, name, description, default_version from libraries order by name collate nocase",
    )
    .fetch_all(&mut *read)
    .await?;
    let library = |row: &SqliteRow| {
        let id = count_of(row.try_get("id")?);
        Ok(Library {
            id,
            name: row.try_get("name")?,
            description: row.try_get("description")?,
            default_version: row.try_get("default_version")?,
            versions: versions.remove(&id).unwrap_or_default(),
        })
    };
    let libraries = rows.iter().map(library).collect::<Result<_>>()?;
    let rows =
        sqlx::query("select file_id, version_id from version_files order by file_id, version_id")
            .fetch_all(&mut *read)
            .await?;
    let pair = |row: &SqliteRow| Ok((count_of(row.try_get(0)?), count_of(row.try_get(1)?)));
    let placed = rows.iter().map(pair).collect::<Result<_>>()?;
    Ok(LibrarySnapshot {
        edition,
        libraries,
        placed,
    })
}

/// Reads the versions of every library, the earliest ingested first.
async fn versions(read: &mut SqliteConnection) -> Result<HashMap<u64, Vec<LibraryVersion>>> {
    let rows = sqlx::query(
        "select id, library_id, version, source, at, revision, files, chunks, tokens, ingested_at \
         from library_versions order by ingested_at, id",
    )
    .fetch_all(read)
    .await?;
    let mut versions: HashMap<u64, Vec<LibraryVersion>> = HashMap::new();
    for row in &rows {
        let version: String = row.try_get("version")?;
        let of_library = versions.entry(count_of(row.try_get("library_id")?));
        of_library.or_default().push(LibraryVersion {
            id: count_of(row.try_get("id")?),
            source: row.try_get("source")?,
            at: row.try_get("at")?,
            revision: row.try_get("revision")?,
            files: count_of(row.try_get("files")?),
            chunks: count_of(row.try_get("chunks")?),
            tokens: count_of(row.try_get("tokens")?),
            ingested_at: timestamp_of(row.try_get("ingested_at")?, &version)?,
            version,
        });
    }
    Ok(versions)
}
