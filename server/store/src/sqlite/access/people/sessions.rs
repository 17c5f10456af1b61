//! Sessions of the web pages: stored by the hash of their token, and deleted when they end.

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqliteExecutor, SqlitePool};

use super::{note_change, users};
use crate::{
    EventOf, NewSession, Result, Session, SessionOf, SessionOwner,
    access::people::SESSIONS_MAX,
    database::columns::{damaged, id_of, timestamp_of},
    sqlite::access::api_keys,
};

/// What errors call a session, since its hash must not be shown.
const NAMELESS: &str = "a session";

/// Stores a session; removes its owner's sessions beyond the maximum, the oldest first.
pub(super) async fn insert(write: &mut SqliteConnection, new: &NewSession) -> Result<()> {
    let (user, key) = new.of.columns();
    sqlx::query(
        "insert into web_sessions (hash, user_id, api_key_id, created_at, last_used_at, expires_at) \
         values (?1, ?2, ?3, ?4, ?4, ?5)",
    )
    .bind(new.hash.as_slice())
    .bind(&user)
    .bind(&key)
    .bind(new.created_at.as_microsecond())
    .bind(new.expires_at.as_microsecond())
    .execute(&mut *write)
    .await?;
    sqlx::query(
        "delete from web_sessions where hash in (select hash from web_sessions \
         where user_id = ? or api_key_id = ? order by created_at desc, hash limit -1 offset ?)",
    )
    .bind(&user)
    .bind(&key)
    .bind(SESSIONS_MAX)
    .execute(&mut *write)
    .await?;
    note_change(write, new.event.as_ref()).await
}

/// Reads a session and its owner in one transaction.
pub(super) async fn by_hash(readers: &SqlitePool, hash: &[u8; 32]) -> Result<Option<Session>> {
    let mut read = readers.begin().await?;
    let row = sqlx::query(
        "select user_id, api_key_id, created_at, last_used_at, expires_at from web_sessions \
         where hash = ?",
    )
    .bind(hash.as_slice())
    .fetch_optional(&mut *read)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let of_user: Option<&str> = row.try_get("user_id")?;
    let owner = match (of_user, row.try_get("api_key_id")?) {
        (Some(user), _) => users::by_id(&mut *read, id_of(user)?)
            .await?
            .map(|user| SessionOwner::User(user.record)),
        (None, Some(key)) => api_keys::by_id(&mut *read, id_of(key)?)
            .await?
            .map(|key| SessionOwner::ApiKey(key.record)),
        (None, None) => None,
    };
    let time = |column: &str| timestamp_of(row.try_get(column)?, NAMELESS);
    Ok(Some(Session {
        owner: owner.ok_or_else(|| damaged("owner", NAMELESS))?,
        created_at: time("created_at")?,
        last_used_at: time("last_used_at")?,
        expires_at: time("expires_at")?,
    }))
}

/// Stores when a session was last used and its user last seen.
pub(super) async fn note_use(
    write: &mut SqliteConnection,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<()> {
    sqlx::query(
        "update users set last_seen_at = max(coalesce(last_seen_at, ?1), ?1) \
         where id = (select user_id from web_sessions where hash = ?2)",
    )
    .bind(now.as_microsecond())
    .bind(hash.as_slice())
    .execute(&mut *write)
    .await?;
    sqlx::query("update web_sessions set last_used_at = max(last_used_at, ?) where hash = ?")
        .bind(now.as_microsecond())
        .bind(hash.as_slice())
        .execute(&mut *write)
        .await?;
    Ok(())
}

/// Ends a session.
pub(super) async fn end(write: &mut SqliteConnection, hash: &[u8; 32]) -> Result<bool> {
    let ended = sqlx::query("delete from web_sessions where hash = ?")
        .bind(hash.as_slice())
        .execute(write)
        .await?;
    Ok(ended.rows_affected() > 0)
}

/// Ends every session of an owner.
pub(super) async fn end_of(
    write: &mut SqliteConnection,
    of: SessionOf,
    event: Option<&EventOf<u64>>,
) -> Result<u64> {
    let ended = end_all(&mut *write, of, None).await?;
    let event = event.map(|event| event(&ended));
    note_change(write, event.as_ref()).await?;
    Ok(ended)
}

/// Ends every session of an owner but one.
pub(super) async fn end_all(
    executor: impl SqliteExecutor<'_>,
    of: SessionOf,
    except: Option<&[u8; 32]>,
) -> Result<u64> {
    let (user, key) = of.columns();
    let ended = sqlx::query(
        "delete from web_sessions where (user_id = ? or api_key_id = ?) and hash is not ?",
    )
    .bind(user)
    .bind(key)
    .bind(except.map(<[u8; 32]>::as_slice))
    .execute(executor)
    .await?;
    Ok(ended.rows_affected())
}

/// Removes sessions that have expired or were not used for long.
pub(super) async fn purge(
    write: &mut SqliteConnection,
    now: Timestamp,
    used_before: Timestamp,
) -> Result<u64> {
    let purged = sqlx::query("delete from web_sessions where expires_at <= ? or last_used_at < ?")
        .bind(now.as_microsecond())
        .bind(used_before.as_microsecond())
        .execute(write)
        .await?;
    Ok(purged.rows_affected())
}
