//! Sessions of the web pages: stored by the hash of their token, and deleted when they end.

use jiff::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use super::{api_keys, audit::note_change, users};
use crate::{
    EventOf, NewSession, Result, Session, SessionOf, SessionOwner,
    access::people::SESSIONS_MAX,
    database::columns::{damaged, id_of, timestamp_of},
    sql::{Columns, SqlConnection, query},
};

/// What errors call a session, since its hash must not be shown.
const NAMELESS: &str = "a session";

/// Stores a session; removes its owner's sessions beyond the maximum, the oldest first.
pub(crate) async fn insert(connection: &mut impl SqlConnection, new: &NewSession) -> Result<()> {
    let (user, key) = new.of.columns();
    query(
        "insert into web_sessions (hash, user_id, api_key_id, created_at, last_used_at, expires_at) \
         values ($1, $2, $3, $4, $4, $5)",
    )
    .bind(new.hash.as_slice())
    .bind(&user)
    .bind(&key)
    .bind(new.created_at)
    .bind(new.expires_at)
    .execute(connection)
    .await?;
    query(
        "delete from web_sessions where (user_id = $1 or api_key_id = $2) \
         and hash not in (select hash from web_sessions where user_id = $1 or api_key_id = $2 \
         order by created_at desc, hash limit $3)",
    )
    .bind(&user)
    .bind(&key)
    .bind(SESSIONS_MAX)
    .execute(connection)
    .await?;
    note_change(connection, new.event.as_ref()).await
}

/// Reads a session and its owner.
pub(crate) async fn by_hash(
    connection: &mut impl SqlConnection,
    hash: &[u8; 32],
) -> Result<Option<Session>> {
    let row: Option<SessionRow> = query(
        "select user_id, api_key_id, created_at, last_used_at, expires_at from web_sessions \
         where hash = $1",
    )
    .bind(hash.as_slice())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let owner = match row.owner {
        (Some(user), _) => users::by_id(connection, user)
            .await?
            .map(|user| SessionOwner::User(user.record)),
        (None, Some(key)) => api_keys::by_id(connection, key)
            .await?
            .map(|key| SessionOwner::ApiKey(key.record)),
        (None, None) => None,
    };
    let owner = owner.ok_or_else(|| damaged("owner", NAMELESS))?;
    let [created_at, last_used_at, expires_at] = row.times;
    Ok(Some(Session {
        owner,
        created_at,
        last_used_at,
        expires_at,
    }))
}

struct SessionRow {
    /// The id of a user, or of a key.
    owner: (Option<Uuid>, Option<Uuid>),
    /// When it began, was last used, and ends.
    times: [Timestamp; 3],
}

impl<'r, R: Columns> FromRow<'r, R> for SessionRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let user: Option<&str> = row.read("user_id")?;
        let key: Option<&str> = row.read("api_key_id")?;
        Ok(Self {
            owner: (user.map(id_of).transpose()?, key.map(id_of).transpose()?),
            times: [
                timestamp_of(row.read("created_at")?, NAMELESS)?,
                timestamp_of(row.read("last_used_at")?, NAMELESS)?,
                timestamp_of(row.read("expires_at")?, NAMELESS)?,
            ],
        })
    }
}

/// Stores when a session was last used and its user last seen.
pub(crate) async fn note_use(
    connection: &mut impl SqlConnection,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<()> {
    // The user first: a change of a user also locks the user's row before those of the sessions.
    query(
        "update users set last_seen_at = case when last_seen_at > $1 then last_seen_at else $1 end \
         where id = (select user_id from web_sessions where hash = $2)",
    )
    .bind(now)
    .bind(hash.as_slice())
    .execute(connection)
    .await?;
    query("update web_sessions set last_used_at = $1 where hash = $2 and last_used_at < $1")
        .bind(now)
        .bind(hash.as_slice())
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends a session.
pub(crate) async fn end(connection: &mut impl SqlConnection, hash: &[u8; 32]) -> Result<bool> {
    let ended = query("delete from web_sessions where hash = $1")
        .bind(hash.as_slice())
        .execute(connection)
        .await?;
    Ok(ended > 0)
}

/// Ends every session of an owner.
pub(crate) async fn end_of(
    connection: &mut impl SqlConnection,
    of: SessionOf,
    event: Option<&EventOf<u64>>,
) -> Result<u64> {
    let ended = end_all(connection, of, None).await?;
    let event = event.map(|event| event(&ended));
    note_change(connection, event.as_ref()).await?;
    Ok(ended)
}

/// Ends every session of an owner but one.
pub(crate) async fn end_all(
    connection: &mut impl SqlConnection,
    of: SessionOf,
    except: Option<&[u8; 32]>,
) -> Result<u64> {
    let (user, key) = of.columns();
    query(
        "delete from web_sessions where (user_id = $1 or api_key_id = $2) \
         and hash is distinct from $3",
    )
    .bind(user)
    .bind(key)
    .bind(except.map(<[u8; 32]>::as_slice))
    .execute(connection)
    .await
}

/// Removes sessions that have expired or were not used for long.
pub(crate) async fn purge(
    connection: &mut impl SqlConnection,
    now: Timestamp,
    used_before: Timestamp,
) -> Result<u64> {
    query("delete from web_sessions where expires_at <= $1 or last_used_at < $2")
        .bind(now)
        .bind(used_before)
        .execute(connection)
        .await
}
