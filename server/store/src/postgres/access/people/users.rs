//! Users: never deleted, so that the audit list can still name them.

use jiff::Timestamp;
use sqlx::{AssertSqlSafe, PgConnection, Row, postgres::PgRow};
use uuid::Uuid;

use super::{note_change, sessions};
use crate::{
    AuditEvent, EventOf, HashedUser, KeyImport, PasswordHash, Projects, Result, SessionOf,
    StoreError, User, UserChange,
    access::people::{administers, changed, folded, same_user},
    database::columns::{id_of, timestamp_of, word_of},
    postgres::text::{decoded, encoded},
};

/// Selects every column of a user.
const USER: &str = "select id, name, password, role, projects, created_at, disabled_at, \
                    last_seen_at from users";

/// Stores a new user.
pub(super) async fn insert(
    transaction: &mut PgConnection,
    user: &HashedUser,
    event: Option<&AuditEvent>,
) -> Result<()> {
    let name = &user.record.name;
    match put(&mut *transaction, user).await? {
        0 => Err(StoreError::UserNameTaken(name.clone())),
        _ => note_change(transaction, event).await,
    }
}

/// Stores a new administrator if there is none.
pub(super) async fn insert_first_admin(
    transaction: &mut PgConnection,
    user: &HashedUser,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    lock(transaction).await?;
    if has_admin(&mut *transaction).await? {
        return Ok(false);
    }
    let name = &user.record.name;
    match put(&mut *transaction, user).await? {
        0 => Err(StoreError::UserNameTaken(name.clone())),
        _ => note_change(transaction, event).await.map(|()| true),
    }
}

/// Returns whether there is an administrator, including disabled ones.
pub(super) async fn has_admin(connection: &mut PgConnection) -> Result<bool> {
    let row = sqlx::query("select exists (select 1 from users where role = 'admin')")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get(0)?)
}

/// Reads every user, ordered by name.
pub(super) async fn all(connection: &mut PgConnection) -> Result<Vec<User>> {
    let sql = format!("{USER} order by folded_name");
    let rows = sqlx::query(AssertSqlSafe(sql))
        .fetch_all(connection)
        .await?;
    let users = rows.iter().map(|row| Ok(user_of(row)?.record));
    users.collect()
}

/// Reads every user with the password's hash, ordered by id.
pub(super) async fn hashed(connection: &mut PgConnection) -> Result<Vec<HashedUser>> {
    let sql = format!("{USER} order by id");
    let rows = sqlx::query(AssertSqlSafe(sql))
        .fetch_all(connection)
        .await?;
    rows.iter().map(user_of).collect()
}

/// Reads the user with a name, regardless of case.
pub(super) async fn by_name(
    connection: &mut PgConnection,
    name: &str,
) -> Result<Option<HashedUser>> {
    let sql = format!("{USER} where folded_name = $1");
    let row = sqlx::query(AssertSqlSafe(sql))
        .bind(encoded(&folded(name)))
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(user_of).transpose()
}

/// Reads the user with an id.
pub(super) async fn by_id(connection: &mut PgConnection, id: Uuid) -> Result<Option<HashedUser>> {
    let sql = format!("{USER} where id = $1");
    let row = sqlx::query(AssertSqlSafe(sql))
        .bind(id.to_string())
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(user_of).transpose()
}

/// Changes a user, and ends sessions as the change demands.
pub(super) async fn change(
    transaction: &mut PgConnection,
    id: Uuid,
    (change, now): (&UserChange, Timestamp),
    event: Option<&EventOf<User>>,
) -> Result<Option<User>> {
    lock(transaction).await?;
    let Some(old) = by_id(&mut *transaction, id).await? else {
        return Ok(None);
    };
    let new = changed(&old, change, now);
    if administers(&old.record)
        && !administers(&new.record)
        && !others_administer(&mut *transaction, id).await?
    {
        return Err(StoreError::LastAdmin(old.record.name));
    }
    update(&mut *transaction, &new).await?;
    if let Some((_, except)) = &change.password {
        sessions::end_all(&mut *transaction, SessionOf::User(id), except.as_ref()).await?;
    }
    if new.record.disabled_at.is_some() {
        sessions::end_all(&mut *transaction, SessionOf::User(id), None).await?;
    }
    let event = event.map(|event| event(&new.record));
    note_change(transaction, event.as_ref()).await?;
    Ok(Some(new.record))
}

/// Stores users unchanged.
pub(super) async fn import(
    transaction: &mut PgConnection,
    users: &[HashedUser],
) -> Result<Vec<KeyImport>> {
    let mut imports = Vec::with_capacity(users.len());
    for user in users {
        imports.push(import_one(&mut *transaction, user).await?);
    }
    Ok(imports)
}

async fn import_one(transaction: &mut PgConnection, user: &HashedUser) -> Result<KeyImport> {
    let Some(existing) = by_id(&mut *transaction, user.record.id).await? else {
        return Ok(match put(transaction, user).await? {
            0 => KeyImport::Conflict,
            _ => KeyImport::Stored,
        });
    };
    if !same_user(&existing, user) {
        return Ok(KeyImport::Conflict);
    }
    if let Some(at) = user.record.last_seen_at {
        note_seen(transaction, user.record.id, at).await?;
    }
    Ok(KeyImport::Existing)
}

/// Stores when a user was last seen; a later stored time is kept.
pub(super) async fn note_seen(
    connection: &mut PgConnection,
    id: Uuid,
    at: Timestamp,
) -> Result<()> {
    sqlx::query("update users set last_seen_at = greatest(last_seen_at, $1) where id = $2")
        .bind(at.as_microsecond())
        .bind(id.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Keeps other transactions from writing users until the commit, since whether there is an administrator
/// depends on all of them.
async fn lock(transaction: &mut PgConnection) -> Result<()> {
    sqlx::query("lock table users in share row exclusive mode")
        .execute(transaction)
        .await?;
    Ok(())
}

async fn others_administer(transaction: &mut PgConnection, id: Uuid) -> Result<bool> {
    let row = sqlx::query(
        "select exists (select 1 from users where role = 'admin' and disabled_at is null \
         and id <> $1)",
    )
    .bind(id.to_string())
    .fetch_one(transaction)
    .await?;
    Ok(row.try_get(0)?)
}

async fn put(connection: &mut PgConnection, user: &HashedUser) -> Result<u64> {
    let HashedUser { record, password } = user;
    let inserted = sqlx::query(
        "insert into users (id, name, folded_name, password, role, projects, created_at, \
         disabled_at, last_seen_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         on conflict do nothing",
    )
    .bind(record.id.to_string())
    .bind(encoded(&record.name))
    .bind(encoded(&folded(&record.name)))
    .bind(password.as_ref().map(PasswordHash::expose))
    .bind(record.role.as_str())
    .bind(record.projects.column())
    .bind(record.created_at.as_microsecond())
    .bind(record.disabled_at.map(Timestamp::as_microsecond))
    .bind(record.last_seen_at.map(Timestamp::as_microsecond))
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected())
}

async fn update(transaction: &mut PgConnection, user: &HashedUser) -> Result<()> {
    let HashedUser { record, password } = user;
    sqlx::query(
        "update users set password = $1, role = $2, projects = $3, disabled_at = $4 where id = $5",
    )
    .bind(password.as_ref().map(PasswordHash::expose))
    .bind(record.role.as_str())
    .bind(record.projects.column())
    .bind(record.disabled_at.map(Timestamp::as_microsecond))
    .bind(record.id.to_string())
    .execute(transaction)
    .await?;
    Ok(())
}

fn user_of(row: &PgRow) -> Result<HashedUser> {
    let id: &str = row.try_get("id")?;
    let time = |column: &str| -> Result<Option<Timestamp>> {
        let micros: Option<i64> = row.try_get(column)?;
        micros.map(|micros| timestamp_of(micros, id)).transpose()
    };
    let password: Option<String> = row.try_get("password")?;
    Ok(HashedUser {
        record: User {
            id: id_of(id)?,
            name: decoded(row.try_get("name")?),
            role: word_of(row.try_get("role")?, "role", id)?,
            projects: Projects::of_column(row.try_get("projects")?, id)?,
            created_at: timestamp_of(row.try_get("created_at")?, id)?,
            disabled_at: time("disabled_at")?,
            last_seen_at: time("last_seen_at")?,
        },
        password: password.map(PasswordHash::new),
    })
}
