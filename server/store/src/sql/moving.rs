//! Idempotency keys and chunks for moving to another database.

use jiff::Timestamp;
use sqlx::{AssertSqlSafe, FromRow};

use super::{Columns, SqlConnection, outcomes, query};
use crate::{
    ChunkContent, KeyFamily, KeyImport, Result, StoredChunk, StoredIdempotencyKey,
    database::columns::{damaged, id_of, timestamp_of},
    transfer::moving::{place_of, record_of, record_text, table_of},
};

/// Reads idempotency keys, ordered by key.
pub(crate) async fn keys(
    connection: &mut impl SqlConnection,
    family: KeyFamily,
    (since, after): (Timestamp, &str),
    limit: u32,
) -> Result<Vec<StoredIdempotencyKey>> {
    let Some((table, column, _)) = table_of(family) else {
        return outcomes::keys::page(connection, (since, after), limit).await;
    };
    let sql = format!(
        "select key, fingerprint, {column} as record, created_at from {table} \
         where key > $1 and created_at >= $2 order by key limit $3"
    );
    let keys: Vec<KeyRow> = query(AssertSqlSafe(sql))
        .bind(after)
        .bind(since)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    keys.into_iter().map(|key| key.into_key(family)).collect()
}

/// Stores idempotency keys unchanged.
pub(crate) async fn import_keys(
    connection: &mut impl SqlConnection,
    family: KeyFamily,
    keys: &[StoredIdempotencyKey],
) -> Result<Vec<KeyImport>> {
    let mut imports = Vec::with_capacity(keys.len());
    for key in keys {
        imports.push(import_key(connection, family, key).await?);
    }
    Ok(imports)
}

async fn import_key(
    connection: &mut impl SqlConnection,
    family: KeyFamily,
    new: &StoredIdempotencyKey,
) -> Result<KeyImport> {
    let Some((table, column, records)) = table_of(family) else {
        return outcomes::keys::import(connection, new).await;
    };
    let sql = format!(
        "insert into {table} (key, fingerprint, {column}, created_at) select $1, $2, id, $3 \
         from {records} where id = $4 on conflict (key) do nothing"
    );
    let inserted = query(AssertSqlSafe(sql))
        .bind(&new.key)
        .bind(&new.fingerprint)
        .bind(new.created_at)
        .bind(record_text(family, new.record))
        .execute(connection)
        .await?;
    if inserted > 0 {
        return Ok(KeyImport::Stored);
    }
    let sql = format!(
        "select key, fingerprint, {column} as record, created_at from {table} where key = $1"
    );
    let existing: Option<KeyRow> = query(AssertSqlSafe(sql))
        .bind(&new.key)
        .fetch_optional(connection)
        .await?;
    let existing = existing.map(|key| key.into_key(family)).transpose()?;
    Ok(match existing {
        None => KeyImport::RecordMissing,
        Some(existing) if existing == *new => KeyImport::Existing,
        Some(_) => KeyImport::Conflict,
    })
}

struct KeyRow {
    key: String,
    fingerprint: [u8; 32],
    record: String,
    created_at: Timestamp,
}

impl KeyRow {
    fn into_key(self, family: KeyFamily) -> Result<StoredIdempotencyKey> {
        Ok(StoredIdempotencyKey {
            key: self.key,
            fingerprint: self.fingerprint,
            record: record_of(family, &self.record)?,
            created_at: self.created_at,
        })
    }
}

impl<'r, R: Columns> FromRow<'r, R> for KeyRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let key = row.text("key")?;
        let fingerprint: &[u8] = row.read("fingerprint")?;
        Ok(Self {
            fingerprint: fingerprint
                .try_into()
                .map_err(|_| damaged("fingerprint", &key))?,
            record: row.read("record")?,
            created_at: timestamp_of(row.read("created_at")?, &key)?,
            key,
        })
    }
}

/// Reads the chunks of a file with their vectors, ordered by position.
pub(crate) async fn chunks(
    connection: &mut impl SqlConnection,
    hash: [u8; 32],
    model: Option<&str>,
) -> Result<Vec<StoredChunk>> {
    let mut chunks: Vec<StoredChunk> = query(
        "select c.id, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens, \
         v.vector from chunks c join docs_files f on f.id = c.file_id \
         left join chunk_vectors v on v.chunk_id = c.id and v.model = $1 where f.hash = $2",
    )
    .bind(model)
    .bind(hash.as_slice())
    .fetch_all(connection)
    .await?;
    chunks.sort_by_key(|chunk| chunk.place);
    Ok(chunks)
}

impl<'r, R: Columns> FromRow<'r, R> for StoredChunk {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            place: place_of(id_of(row.read("id")?)?),
            content: ChunkContent::from_row(row)?,
            vector: row.read("vector")?,
        })
    }
}
