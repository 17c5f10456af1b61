//! Keys and chunks for moving to another database; see [`MoveStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Row, SqliteConnection, sqlite::SqliteRow};

use crate::{
    HashedApiKey, KeyFamily, KeyImport, MoveStore, Result, StoredChunk, StoredIdempotencyKey,
    database::columns::{damaged, id_of, timestamp_of},
    sqlite::{
        SqliteStore, access::api_keys::hashed_key_of, connection::writer::write,
        libraries::content_of,
    },
    transfer::moving::{place_of, record_of, record_text, same_key, table_of},
};

/// Selects every column of a key.
const API_KEY: &str = "select id, name, prefix, hash, scope, created_at, expires_at, last_used_at, \
                       revoked_at, projects from api_keys";

#[async_trait]
impl MoveStore for SqliteStore {
    async fn hashed_api_keys(&self) -> Result<Vec<HashedApiKey>> {
        let sql = format!("{API_KEY} order by id");
        let rows = sqlx::query(AssertSqlSafe(sql))
            .fetch_all(&self.readers)
            .await?;
        rows.iter().map(hashed_key_of).collect()
    }

    async fn import_api_keys(&self, keys: &[HashedApiKey]) -> Result<Vec<KeyImport>> {
        write!(self, write, [keys] => import_api_keys(write, &keys))
    }

    async fn idempotency_keys(
        &self,
        family: KeyFamily,
        (since, after): (Timestamp, &str),
        limit: u32,
    ) -> Result<Vec<StoredIdempotencyKey>> {
        let (table, column, _) = table_of(family);
        let sql = format!(
            "select key, fingerprint, {column}, created_at from {table} \
             where key > ? and created_at >= ? order by key limit ?"
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(after)
            .bind(since.as_microsecond())
            .bind(limit)
            .fetch_all(&self.readers)
            .await?;
        rows.iter().map(|row| key_of(family, row)).collect()
    }

    async fn import_idempotency_keys(
        &self,
        family: KeyFamily,
        keys: &[StoredIdempotencyKey],
    ) -> Result<Vec<KeyImport>> {
        write!(self, write, [keys] => import_keys(write, family, &keys))
    }

    async fn stored_chunks(&self, hash: [u8; 32], model: Option<&str>) -> Result<Vec<StoredChunk>> {
        let rows = sqlx::query(
            "select c.id, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens, \
             v.vector from chunks c join docs_files f on f.id = c.file_id \
             left join chunk_vectors v on v.chunk_id = c.id and v.model = ? where f.hash = ?",
        )
        .bind(model)
        .bind(hash.as_slice())
        .fetch_all(&self.readers)
        .await?;
        let chunk = |row: &SqliteRow| {
            Ok(StoredChunk {
                place: place_of(id_of(row.try_get("id")?)?),
                content: content_of(row)?,
                vector: row.try_get("vector")?,
            })
        };
        let mut chunks: Vec<StoredChunk> = rows.iter().map(chunk).collect::<Result<_>>()?;
        chunks.sort_by_key(|chunk| chunk.place);
        Ok(chunks)
    }
}

async fn import_api_keys(
    write: &mut SqliteConnection,
    keys: &[HashedApiKey],
) -> Result<Vec<KeyImport>> {
    let mut imports = Vec::with_capacity(keys.len());
    for key in keys {
        imports.push(import_api_key(&mut *write, key).await?);
    }
    Ok(imports)
}

async fn import_keys(
    write: &mut SqliteConnection,
    family: KeyFamily,
    keys: &[StoredIdempotencyKey],
) -> Result<Vec<KeyImport>> {
    let mut imports = Vec::with_capacity(keys.len());
    for key in keys {
        imports.push(import_key(&mut *write, family, key).await?);
    }
    Ok(imports)
}

async fn import_api_key(write: &mut SqliteConnection, key: &HashedApiKey) -> Result<KeyImport> {
    let HashedApiKey { record, hash } = key;
    let (used, revoked) = (
        record.last_used_at.map(Timestamp::as_microsecond),
        record.revoked_at.map(Timestamp::as_microsecond),
    );
    let sql = format!("{API_KEY} where id = ?");
    let existing = sqlx::query(AssertSqlSafe(sql))
        .bind(record.id.to_string())
        .fetch_optional(&mut *write)
        .await?;
    if let Some(existing) = existing.as_ref().map(hashed_key_of).transpose()? {
        if !same_key(&existing, key) {
            return Ok(KeyImport::Conflict);
        }
        sqlx::query(
            "update api_keys set last_used_at = max(coalesce(last_used_at, ?1), coalesce(?1, last_used_at)), \
             revoked_at = coalesce(revoked_at, ?2) where id = ?3",
        )
        .bind(used)
        .bind(revoked)
        .bind(record.id.to_string())
        .execute(write)
        .await?;
        return Ok(KeyImport::Existing);
    }
    let inserted = sqlx::query(
        "insert into api_keys (id, name, prefix, hash, scope, created_at, expires_at, last_used_at, \
         revoked_at, projects) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
    )
    .bind(record.id.to_string())
    .bind(&record.name)
    .bind(&record.prefix)
    .bind(hash.as_slice())
    .bind(record.scope.as_str())
    .bind(record.created_at.as_microsecond())
    .bind(record.expires_at.map(Timestamp::as_microsecond))
    .bind(used)
    .bind(revoked)
    .bind(record.projects.column())
    .execute(write)
    .await?;
    Ok(match inserted.rows_affected() {
        0 => KeyImport::Conflict,
        _ => KeyImport::Stored,
    })
}

async fn import_key(
    write: &mut SqliteConnection,
    family: KeyFamily,
    new: &StoredIdempotencyKey,
) -> Result<KeyImport> {
    let (table, column, records) = table_of(family);
    let sql = format!(
        "insert into {table} (key, fingerprint, {column}, created_at) select ?, ?, id, ? \
         from {records} where id = ? on conflict (key) do nothing"
    );
    let inserted = sqlx::query(AssertSqlSafe(sql))
        .bind(&new.key)
        .bind(new.fingerprint.as_slice())
        .bind(new.created_at.as_microsecond())
        .bind(record_text(family, new.record))
        .execute(&mut *write)
        .await?;
    if inserted.rows_affected() > 0 {
        return Ok(KeyImport::Stored);
    }
    let sql = format!("select key, fingerprint, {column}, created_at from {table} where key = ?");
    let existing = sqlx::query(AssertSqlSafe(sql))
        .bind(&new.key)
        .fetch_optional(write)
        .await?;
    Ok(
        match existing.map(|row| key_of(family, &row)).transpose()? {
            None => KeyImport::RecordMissing,
            Some(existing) if existing == *new => KeyImport::Existing,
            Some(_) => KeyImport::Conflict,
        },
    )
}

fn key_of(family: KeyFamily, row: &SqliteRow) -> Result<StoredIdempotencyKey> {
    let key: String = row.try_get(0)?;
    let fingerprint: &[u8] = row.try_get(1)?;
    Ok(StoredIdempotencyKey {
        fingerprint: fingerprint
            .try_into()
            .map_err(|_| damaged("fingerprint", &key))?,
        record: record_of(family, row.try_get(2)?)?,
        created_at: timestamp_of(row.try_get(3)?, &key)?,
        key,
    })
}
