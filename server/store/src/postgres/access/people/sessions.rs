//! Sessions of the web pages: stored by the hash of their token, and deleted when they end.

use jiff::Timestamp;
use sqlx::{PgConnection, Row};

use super::{note_change, users};
use crate::{
    EventOf, NewSession, Result, Session, SessionOf, SessionOwner,
    access::people::SESSIONS_MAX,
    database::columns::{damaged, id_of, timestamp_of},
    postgres::access::api_keys,
};

/// What errors call a session, since its hash must not be shown.
const NAMELESS: &str = "a session";

/// Stores a session; removes its owner's sessions beyond the maximum, the oldest first.
pub(super) async fn insert(transaction: &mut PgConnection, new: &NewSession) -> Result<()> {
    let (user, key) = new.of.columns();
    sqlx::query(
        "insert into web_sessions (hash, user_id, api_key_id, created_at, last_used_at, expires_at) \
         values ($1, $2, $3, $4, $4, $5)",
    )
    .bind(new.hash.as_slice())
    .bind(&user)
    .bind(&key)
    .bind(new.created_at.as_microsecond())
    .bind(new.expires_at.as_microsecond())
    .execute(&mut *transaction)
    .await?;
    sqlx::query(
        "delete from web_sessions where hash in (select hash from web_sessions \
         where user_id = $1 or api_key_id = $2 order by created_at desc, hash offset $3)",
    )
    .bind(&user)
    .bind(&key)
    .bind(i64::from(SESSIONS_MAX))
    .execute(&mut *transaction)
    .await?;
    note_change(transaction, new.event.as_ref()).await
}

/// Reads a session and its owner.
pub(super) async fn by_hash(
    connection: &mut PgConnection,
    hash: &[u8; 32],
) -> Result<Option<Session>> {
    let row = sqlx::query(
        "select user_id, api_key_id, created_at, last_used_at, expires_at from web_sessions \
         where hash = $1",
    )
    .bind(hash.as_slice())
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let of_user: Option<&str> = row.try_get("user_id")?;
    let owner = match (of_user, row.try_get("api_key_id")?) {
        (Some(user), _) => users::by_id(&mut *connection, id_of(user)?)
            .await?
            .map(|user| SessionOwner::User(user.record)),
        (None, Some(key)) => api_keys::by_id(&mut *connection, id_of(key)?)
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
    transaction: &mut PgConnection,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<()> {
    // The user first: a change of a user also locks the user's row before those of the sessions.
    sqlx::query(
        "update users set last_seen_at = greatest(last_seen_at, $1) \
         where id = (select user_id from web_sessions where hash = $2)",
    )
    .bind(now.as_microsecond())
    .bind(hash.as_slice())
    .execute(&mut *transaction)
    .await?;
    sqlx::query(
        "update web_sessions set last_used_at = greatest(last_used_at, $1) where hash = $2",
    )
    .bind(now.as_microsecond())
    .bind(hash.as_slice())
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

/// Ends a session.
pub(super) async fn end(transaction: &mut PgConnection, hash: &[u8; 32]) -> Result<bool> {
    let ended = sqlx::query("delete from web_sessions where hash = $1")
        .bind(hash.as_slice())
        .execute(transaction)
        .await?;
    Ok(ended.rows_affected() > 0)
}

/// Ends every session of an owner.
pub(super) async fn end_of(
    transaction: &mut PgConnection,
    of: SessionOf,
    event: Option<&EventOf<u64>>,
) -> Result<u64> {
    let ended = end_all(&mut *transaction, of, None).await?;
    let event = event.map(|event| event(&ended));
    note_change(transaction, event.as_ref()).await?;
    Ok(ended)
}

/// Ends every session of an owner but one.
pub(super) async fn end_all(
    transaction: &mut PgConnection,
    of: SessionOf,
    except: Option<&[u8; 32]>,
) -> Result<u64> {
    let (user, key) = of.columns();
    let ended = sqlx::query(
        "delete from web_sessions where (user_id = $1 or api_key_id = $2) \
         and hash is distinct from $3",
    )
    .bind(user)
    .bind(key)
    .bind(except.map(<[u8; 32]>::as_slice))
    .execute(transaction)
    .await?;
    Ok(ended.rows_affected())
}

/// Removes sessions that have expired or were not used for long.
pub(super) async fn purge(
    transaction: &mut PgConnection,
    now: Timestamp,
    used_before: Timestamp,
) -> Result<u64> {
    let purged =
        sqlx::query("delete from web_sessions where expires_at <= $1 or last_used_at < $2")
            .bind(now.as_microsecond())
            .bind(used_before.as_microsecond())
            .execute(transaction)
            .await?;
    Ok(purged.rows_affected())
}
