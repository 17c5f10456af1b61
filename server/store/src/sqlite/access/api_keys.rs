//! API keys: stored by hash and never deleted, so that a revoked key is distinguished from an unknown one.

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqliteExecutor, SqlitePool, sqlite::SqliteRow};
use uuid::Uuid;

use super::people::note_change;
use crate::{
    ApiKey, AuditEvent, HashedApiKey, Projects, Result, StoreError,
    database::columns::{id_of, timestamp_of},
};

/// Stores a new key.
pub(crate) async fn insert(
    write: &mut SqliteConnection,
    key: &HashedApiKey,
    event: Option<&AuditEvent>,
) -> Result<()> {
    let HashedApiKey { record, hash } = key;
    let inserted = sqlx::query(
        "insert into api_keys (id, name, prefix, hash, scope, created_at, expires_at, projects) \
         values (?, ?, ?, ?, ?, ?, ?, ?) \
         on conflict (name) where revoked_at is null do nothing",
    )
    .bind(record.id.to_string())
    .bind(&record.name)
    .bind(&record.prefix)
    .bind(hash.as_slice())
    .bind(record.scope.as_str())
    .bind(record.created_at.as_microsecond())
    .bind(record.expires_at.map(Timestamp::as_microsecond))
    .bind(record.projects.column())
    .execute(&mut *write)
    .await?;
    match inserted.rows_affected() {
        0 => Err(StoreError::KeyNameTaken(record.name.clone())),
        _ => note_change(write, event).await,
    }
}

/// Reads the key with a hash.
pub(crate) async fn by_hash(readers: &SqlitePool, hash: &[u8; 32]) -> Result<Option<HashedApiKey>> {
    let row = sqlx::query(
        "select id, name, prefix, hash, scope, created_at, expires_at, last_used_at, revoked_at, \
         projects from api_keys where hash = ?",
    )
    .bind(hash.as_slice())
    .fetch_optional(readers)
    .await?;
    row.as_ref().map(hashed_key_of).transpose()
}

/// Reads the key with an id.
pub(crate) async fn by_id(
    executor: impl SqliteExecutor<'_>,
    id: Uuid,
) -> Result<Option<HashedApiKey>> {
    let row = sqlx::query(
        "select id, name, prefix, hash, scope, created_at, expires_at, last_used_at, revoked_at, \
         projects from api_keys where id = ?",
    )
    .bind(id.to_string())
    .fetch_optional(executor)
    .await?;
    row.as_ref().map(hashed_key_of).transpose()
}

/// Reads every key, oldest first.
pub(crate) async fn all(readers: &SqlitePool) -> Result<Vec<ApiKey>> {
    let rows = sqlx::query(
        "select id, name, prefix, scope, created_at, expires_at, last_used_at, revoked_at, \
         projects from api_keys order by created_at, id",
    )
    .fetch_all(readers)
    .await?;
    rows.iter().map(key_of).collect()
}

/// Returns whether there is a key that is neither revoked nor expired.
pub(crate) async fn has_active(readers: &SqlitePool, now: Timestamp) -> Result<bool> {
    let row = sqlx::query(
        "select exists (select 1 from api_keys where revoked_at is null \
         and (expires_at is null or expires_at > ?))",
    )
    .bind(now.as_microsecond())
    .fetch_one(readers)
    .await?;
    Ok(row.try_get(0)?)
}

/// Revokes a key; the time of an earlier revocation is kept.
pub(crate) async fn revoke(
    write: &mut SqliteConnection,
    id: Uuid,
    now: Timestamp,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    let revoked =
        sqlx::query("update api_keys set revoked_at = ? where id = ? and revoked_at is null")
            .bind(now.as_microsecond())
            .bind(id.to_string())
            .execute(&mut *write)
            .await?;
    let is_revoked = revoked.rows_affected() > 0;
    note_change(write, event.filter(|_| is_revoked)).await?;
    Ok(is_revoked)
}

/// Writes when keys were last used; a later time that another process wrote is kept.
pub(crate) async fn note_uses(
    write: &mut SqliteConnection,
    uses: &[(Uuid, Timestamp)],
) -> Result<()> {
    for (id, at) in uses {
        sqlx::query(
            "update api_keys set last_used_at = max(coalesce(last_used_at, ?1), ?1) where id = ?2",
        )
        .bind(at.as_microsecond())
        .bind(id.to_string())
        .execute(&mut *write)
        .await?;
    }
    Ok(())
}

pub(crate) fn hashed_key_of(row: &SqliteRow) -> Result<HashedApiKey> {
    let record = key_of(row)?;
    let hash = row.try_get::<&[u8], _>("hash")?;
    let hash = hash.try_into().map_err(|_| StoreError::Damaged {
        what: "hash",
        id: record.id.to_string(),
    })?;
    Ok(HashedApiKey { record, hash })
}

fn key_of(row: &SqliteRow) -> Result<ApiKey> {
    let id: &str = row.try_get("id")?;
    let time = |column: &str| -> Result<Option<Timestamp>> {
        let micros: Option<i64> = row.try_get(column)?;
        micros.map(|micros| timestamp_of(micros, id)).transpose()
    };
    let scope: &str = row.try_get("scope")?;
    Ok(ApiKey {
        id: id_of(id)?,
        name: row.try_get("name")?,
        prefix: row.try_get("prefix")?,
        scope: scope.parse().map_err(|_| StoreError::Damaged {
            what: "scope",
            id: id.to_owned(),
        })?,
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        expires_at: time("expires_at")?,
        last_used_at: time("last_used_at")?,
        revoked_at: time("revoked_at")?,
        projects: Projects::of_column(row.try_get("projects")?, id)?,
    })
}
