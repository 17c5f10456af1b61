//! API keys: stored by hash and never deleted, so that a revoked key is distinguished from an unknown one.

use jiff::Timestamp;
use sqlx::{PgConnection, Row, postgres::PgRow};
use uuid::Uuid;

use super::people::note_change;
use crate::{
    ApiKey, AuditEvent, HashedApiKey, Projects, Result, StoreError,
    database::columns::{damaged, id_of, timestamp_of, word_of},
    postgres::text::{decoded, encoded},
};

/// Stores a new key.
pub(crate) async fn insert(
    transaction: &mut PgConnection,
    key: &HashedApiKey,
    event: Option<&AuditEvent>,
) -> Result<()> {
    let HashedApiKey { record, hash } = key;
    let inserted = sqlx::query(
        "insert into api_keys (id, name, prefix, hash, scope, created_at, expires_at, projects) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) \
         on conflict (name) where revoked_at is null do nothing",
    )
    .bind(record.id.to_string())
    .bind(encoded(&record.name))
    .bind(&record.prefix)
    .bind(hash.as_slice())
    .bind(record.scope.as_str())
    .bind(record.created_at.as_microsecond())
    .bind(record.expires_at.map(Timestamp::as_microsecond))
    .bind(record.projects.column())
    .execute(&mut *transaction)
    .await?;
    match inserted.rows_affected() {
        0 => Err(StoreError::KeyNameTaken(record.name.clone())),
        _ => note_change(transaction, event).await,
    }
}

/// Reads the key with a hash.
pub(crate) async fn by_hash(
    connection: &mut PgConnection,
    hash: &[u8; 32],
) -> Result<Option<HashedApiKey>> {
    let row = sqlx::query(
        "select id, name, prefix, hash, scope, created_at, expires_at, last_used_at, revoked_at, \
         projects from api_keys where hash = $1",
    )
    .bind(hash.as_slice())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(hashed_key_of).transpose()
}

/// Reads the key with an id.
pub(crate) async fn by_id(connection: &mut PgConnection, id: Uuid) -> Result<Option<HashedApiKey>> {
    let row = sqlx::query(
        "select id, name, prefix, hash, scope, created_at, expires_at, last_used_at, revoked_at, \
         projects from api_keys where id = $1",
    )
    .bind(id.to_string())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(hashed_key_of).transpose()
}

/// Reads every key, oldest first.
pub(crate) async fn all(connection: &mut PgConnection) -> Result<Vec<ApiKey>> {
    let rows = sqlx::query(
        "select id, name, prefix, scope, created_at, expires_at, last_used_at, revoked_at, \
         projects from api_keys order by created_at, id",
    )
    .fetch_all(connection)
    .await?;
    rows.iter().map(key_of).collect()
}

/// Returns whether there is a key that is neither revoked nor expired.
pub(crate) async fn has_active(connection: &mut PgConnection, now: Timestamp) -> Result<bool> {
    let row = sqlx::query(
        "select exists (select 1 from api_keys where revoked_at is null \
         and (expires_at is null or expires_at > $1))",
    )
    .bind(now.as_microsecond())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get(0)?)
}

/// Revokes a key; the time of an earlier revocation is kept.
pub(crate) async fn revoke(
    transaction: &mut PgConnection,
    id: Uuid,
    now: Timestamp,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    let revoked =
        sqlx::query("update api_keys set revoked_at = $1 where id = $2 and revoked_at is null")
            .bind(now.as_microsecond())
            .bind(id.to_string())
            .execute(&mut *transaction)
            .await?;
    let is_revoked = revoked.rows_affected() > 0;
    note_change(transaction, event.filter(|_| is_revoked)).await?;
    Ok(is_revoked)
}

/// Writes when keys were last used; a later time that another server wrote is kept.
pub(crate) async fn note_uses(
    transaction: &mut PgConnection,
    uses: &[(Uuid, Timestamp)],
) -> Result<()> {
    let (ids, moments): (Vec<String>, Vec<i64>) = uses
        .iter()
        .map(|(id, at)| (id.to_string(), at.as_microsecond()))
        .unzip();
    sqlx::query(
        "update api_keys k set last_used_at = greatest(k.last_used_at, used.at) \
         from (select id, max(at) as at from unnest($1::text[], $2::bigint[]) as u(id, at) group by id) \
         as used where k.id = used.id",
    )
    .bind(ids)
    .bind(moments)
    .execute(transaction)
    .await?;
    Ok(())
}

pub(crate) fn hashed_key_of(row: &PgRow) -> Result<HashedApiKey> {
    let record = key_of(row)?;
    let hash = row.try_get::<&[u8], _>("hash")?;
    let hash = hash
        .try_into()
        .map_err(|_| damaged("hash", &record.id.to_string()))?;
    Ok(HashedApiKey { record, hash })
}

fn key_of(row: &PgRow) -> Result<ApiKey> {
    let id: &str = row.try_get("id")?;
    let time = |column: &str| -> Result<Option<Timestamp>> {
        let micros: Option<i64> = row.try_get(column)?;
        micros.map(|micros| timestamp_of(micros, id)).transpose()
    };
    Ok(ApiKey {
        id: id_of(id)?,
        name: decoded(row.try_get("name")?),
        prefix: row.try_get("prefix")?,
        scope: word_of(row.try_get("scope")?, "scope", id)?,
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        expires_at: time("expires_at")?,
        last_used_at: time("last_used_at")?,
        revoked_at: time("revoked_at")?,
        projects: Projects::of_column(row.try_get("projects")?, id)?,
    })
}
