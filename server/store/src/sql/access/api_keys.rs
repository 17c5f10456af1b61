//! API keys: stored by hash and never deleted, so that a revoked key is distinguished from an unknown one.

use jiff::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use super::audit::note_change;
use crate::{
    ApiKey, AuditEvent, HashedApiKey, KeyImport, Projects, Result, StoreError,
    database::columns::{damaged, id_of, time_of, timestamp_of, word_of},
    sql::{Columns, SqlConnection, query},
    transfer::moving::same_key,
};

/// Selects every column of a key.
macro_rules! select_keys {
    () => {
        "select id, name, prefix, hash, scope, created_at, expires_at, last_used_at, revoked_at, \
         projects, trusted from api_keys "
    };
}

/// Stores a new key.
pub(crate) async fn insert(
    connection: &mut impl SqlConnection,
    key: &HashedApiKey,
    event: Option<&AuditEvent>,
) -> Result<()> {
    let HashedApiKey { record, hash } = key;
    let inserted = query(
        "insert into api_keys (id, name, prefix, hash, scope, created_at, expires_at, projects, \
         trusted) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         on conflict (name) where revoked_at is null do nothing",
    )
    .bind(record.id)
    .bind(&record.name)
    .bind(&record.prefix)
    .bind(hash.as_slice())
    .bind(record.scope.as_str())
    .bind(record.created_at)
    .bind(record.expires_at)
    .bind(record.projects.column())
    .bind(record.is_trusted)
    .execute(connection)
    .await?;
    match inserted {
        0 => Err(StoreError::KeyNameTaken(record.name.clone())),
        _ => note_change(connection, event).await,
    }
}

/// Reads the key with a hash.
pub(crate) async fn by_hash(
    connection: &mut impl SqlConnection,
    hash: &[u8; 32],
) -> Result<Option<HashedApiKey>> {
    query(concat!(select_keys!(), "where hash = $1"))
        .bind(hash.as_slice())
        .fetch_optional(connection)
        .await
}

/// Reads the key with an id.
pub(crate) async fn by_id(
    connection: &mut impl SqlConnection,
    id: Uuid,
) -> Result<Option<HashedApiKey>> {
    query(concat!(select_keys!(), "where id = $1"))
        .bind(id)
        .fetch_optional(connection)
        .await
}

/// Reads every key, oldest first.
pub(crate) async fn all(connection: &mut impl SqlConnection) -> Result<Vec<ApiKey>> {
    query(concat!(select_keys!(), "order by created_at, id"))
        .fetch_all(connection)
        .await
}

/// Returns whether there is a key that is neither revoked nor expired.
pub(crate) async fn has_active(
    connection: &mut impl SqlConnection,
    now: Timestamp,
) -> Result<bool> {
    let (exists,): (bool,) = query(
        "select exists (select 1 from api_keys where revoked_at is null \
         and (expires_at is null or expires_at > $1))",
    )
    .bind(now)
    .fetch_one(connection)
    .await?;
    Ok(exists)
}

/// Revokes a key; the time of an earlier revocation is kept.
pub(crate) async fn revoke(
    connection: &mut impl SqlConnection,
    id: Uuid,
    now: Timestamp,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    let revoked = query("update api_keys set revoked_at = $1 where id = $2 and revoked_at is null")
        .bind(now)
        .bind(id)
        .execute(connection)
        .await?;
    let is_revoked = revoked > 0;
    note_change(connection, event.filter(|_| is_revoked)).await?;
    Ok(is_revoked)
}

/// Reads every key with its hash, ordered by id.
pub(crate) async fn hashed(connection: &mut impl SqlConnection) -> Result<Vec<HashedApiKey>> {
    query(concat!(select_keys!(), "order by id"))
        .fetch_all(connection)
        .await
}

/// Stores keys unchanged.
pub(crate) async fn import(
    connection: &mut impl SqlConnection,
    keys: &[HashedApiKey],
) -> Result<Vec<KeyImport>> {
    let mut imports = Vec::with_capacity(keys.len());
    for key in keys {
        imports.push(import_one(connection, key).await?);
    }
    Ok(imports)
}

async fn import_one(connection: &mut impl SqlConnection, key: &HashedApiKey) -> Result<KeyImport> {
    let HashedApiKey { record, hash } = key;
    if let Some(existing) = by_id(connection, record.id).await? {
        if !same_key(&existing, key) {
            return Ok(KeyImport::Conflict);
        }
        query(
            "update api_keys set last_used_at = case when last_used_at > $1 or $1 is null \
             then last_used_at else $1 end, revoked_at = coalesce(revoked_at, $2) where id = $3",
        )
        .bind(record.last_used_at)
        .bind(record.revoked_at)
        .bind(record.id)
        .execute(connection)
        .await?;
        return Ok(KeyImport::Existing);
    }
    let inserted = query(
        "insert into api_keys (id, name, prefix, hash, scope, created_at, expires_at, last_used_at, \
         revoked_at, projects, trusted) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
         on conflict do nothing",
    )
    .bind(record.id)
    .bind(&record.name)
    .bind(&record.prefix)
    .bind(hash.as_slice())
    .bind(record.scope.as_str())
    .bind(record.created_at)
    .bind(record.expires_at)
    .bind(record.last_used_at)
    .bind(record.revoked_at)
    .bind(record.projects.column())
    .bind(record.is_trusted)
    .execute(connection)
    .await?;
    Ok(match inserted {
        0 => KeyImport::Conflict,
        _ => KeyImport::Stored,
    })
}

impl<'r, R: Columns> FromRow<'r, R> for HashedApiKey {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let record = ApiKey::from_row(row)?;
        let hash: &[u8] = row.read("hash")?;
        let hash = hash
            .try_into()
            .map_err(|_| damaged("hash", &record.id.to_string()))?;
        Ok(Self { record, hash })
    }
}

impl<'r, R: Columns> FromRow<'r, R> for ApiKey {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: id_of(id)?,
            name: row.text("name")?,
            prefix: row.read("prefix")?,
            scope: word_of(row.read("scope")?, "scope", id)?,
            created_at: timestamp_of(row.read("created_at")?, id)?,
            expires_at: time_of(row.read("expires_at")?, id)?,
            last_used_at: time_of(row.read("last_used_at")?, id)?,
            revoked_at: time_of(row.read("revoked_at")?, id)?,
            projects: Projects::of_column(row.read("projects")?, id)?,
            is_trusted: row.read("trusted")?,
        })
    }
}
