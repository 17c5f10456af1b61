//! A snapshot of all libraries with their versions and of which files belong to which version.

use std::collections::HashMap;

use sqlx::FromRow;

use crate::{
    Library, LibrarySnapshot, LibraryVersion, Result,
    database::columns::{count_of, timestamp_of},
    sql::{Columns, SqlConnection, query},
};

/// Reads the edition.
pub(crate) async fn edition(connection: &mut impl SqlConnection) -> Result<u64> {
    query("select number from library_edition")
        .fetch_count(connection)
        .await
}

/// Reads the snapshot, inside a transaction in which nothing changes between the queries.
pub(crate) async fn read(connection: &mut impl SqlConnection) -> Result<LibrarySnapshot> {
    let edition = edition(connection).await?;
    let mut versions = versions(connection).await?;
    let mut libraries: Vec<Library> =
        query("select id, name, description, default_version from libraries order by lower(name)")
            .fetch_all(connection)
            .await?;
    for library in &mut libraries {
        library.versions = versions.remove(&library.id).unwrap_or_default();
    }
    let placed: Vec<(i64, i64)> =
        query("select file_id, version_id from version_files order by file_id, version_id")
            .fetch_all(connection)
            .await?;
    let placed = placed.into_iter();
    Ok(LibrarySnapshot {
        edition,
        libraries,
        placed: placed
            .map(|(file, version)| (count_of(file), count_of(version)))
            .collect(),
    })
}

/// Reads the versions of every library, the earliest ingested first.
async fn versions(
    connection: &mut impl SqlConnection,
) -> Result<HashMap<u64, Vec<LibraryVersion>>> {
    let rows: Vec<VersionRow> = query(
        "select id, library_id, version, source, \"at\", revision, files, chunks, tokens, \
         ingested_at from library_versions order by ingested_at, id",
    )
    .fetch_all(connection)
    .await?;
    let mut versions: HashMap<u64, Vec<LibraryVersion>> = HashMap::new();
    for row in rows {
        versions.entry(row.library).or_default().push(row.version);
    }
    Ok(versions)
}

/// Without its versions.
impl<'r, R: Columns> FromRow<'r, R> for Library {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            id: count_of(row.read("id")?),
            name: row.text("name")?,
            description: row.text("description")?,
            default_version: row.text("default_version")?,
            versions: Vec::new(),
        })
    }
}

struct VersionRow {
    library: u64,
    version: LibraryVersion,
}

impl<'r, R: Columns> FromRow<'r, R> for VersionRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let version = row.text("version")?;
        Ok(Self {
            library: count_of(row.read("library_id")?),
            version: LibraryVersion {
                id: count_of(row.read("id")?),
                source: row.text("source")?,
                at: row.optional_text("at")?,
                revision: row.optional_text("revision")?,
                files: count_of(row.read("files")?),
                chunks: count_of(row.read("chunks")?),
                tokens: count_of(row.read("tokens")?),
                ingested_at: timestamp_of(row.read("ingested_at")?, &version)?,
                version,
            },
        })
    }
}
