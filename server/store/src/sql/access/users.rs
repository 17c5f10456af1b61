//! Users: never deleted, so that the audit list can still name them.

use jiff::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use super::{audit::note_change, sessions};
use crate::{
    AuditEvent, EventOf, HashedUser, KeyImport, PasswordHash, Projects, Result, SessionOf,
    StoreError, User, UserChange,
    access::people::{administers, changed, folded, same_user},
    database::columns::{id_of, time_of, timestamp_of, word_of},
    sql::{Columns, SqlConnection, query},
};

/// Selects every column of a user.
macro_rules! select_users {
    () => {
        "select id, name, password, role, projects, created_at, disabled_at, last_seen_at from users "
    };
}

/// Stores a new user.
pub(crate) async fn insert(
    connection: &mut impl SqlConnection,
    user: &HashedUser,
    event: Option<&AuditEvent>,
) -> Result<()> {
    let name = &user.record.name;
    match put(connection, user).await? {
        0 => Err(StoreError::UserNameTaken(name.clone())),
        _ => note_change(connection, event).await,
    }
}

/// Stores a new administrator if there is none.
pub(crate) async fn insert_first_admin(
    connection: &mut impl SqlConnection,
    user: &HashedUser,
    event: Option<&AuditEvent>,
) -> Result<bool> {
    // Whether there is an administrator depends on all users.
    connection.lock_table("users").await?;
    if has_admin(connection).await? {
        return Ok(false);
    }
    let name = &user.record.name;
    match put(connection, user).await? {
        0 => Err(StoreError::UserNameTaken(name.clone())),
        _ => note_change(connection, event).await.map(|()| true),
    }
}

/// Returns whether there is an administrator, including disabled ones.
pub(crate) async fn has_admin(connection: &mut impl SqlConnection) -> Result<bool> {
    let (exists,): (bool,) = query("select exists (select 1 from users where role = 'admin')")
        .fetch_one(connection)
        .await?;
    Ok(exists)
}

/// Reads every user, ordered by name.
pub(crate) async fn all(connection: &mut impl SqlConnection) -> Result<Vec<User>> {
    let users: Vec<HashedUser> = query(concat!(select_users!(), "order by folded_name"))
        .fetch_all(connection)
        .await?;
    Ok(users.into_iter().map(|user| user.record).collect())
}

/// Reads every user with the password's hash, ordered by id.
pub(crate) async fn hashed(connection: &mut impl SqlConnection) -> Result<Vec<HashedUser>> {
    query(concat!(select_users!(), "order by id"))
        .fetch_all(connection)
        .await
}

/// Reads the user with a name, regardless of case.
pub(crate) async fn by_name(
    connection: &mut impl SqlConnection,
    name: &str,
) -> Result<Option<HashedUser>> {
    query(concat!(select_users!(), "where folded_name = $1"))
        .bind(folded(name).as_str())
        .fetch_optional(connection)
        .await
}

/// Reads the user with an id.
pub(crate) async fn by_id(
    connection: &mut impl SqlConnection,
    id: Uuid,
) -> Result<Option<HashedUser>> {
    query(concat!(select_users!(), "where id = $1"))
        .bind(id)
        .fetch_optional(connection)
        .await
}

/// Changes a user, and ends sessions as the change demands.
pub(crate) async fn change(
    connection: &mut impl SqlConnection,
    id: Uuid,
    (change, now): (&UserChange, Timestamp),
    event: Option<&EventOf<User>>,
) -> Result<Option<User>> {
    // Whether there is an administrator depends on all users.
    connection.lock_table("users").await?;
    let Some(old) = by_id(connection, id).await? else {
        return Ok(None);
    };
    let new = changed(&old, change, now);
    if administers(&old.record)
        && !administers(&new.record)
        && !others_administer(connection, id).await?
    {
        return Err(StoreError::LastAdmin(old.record.name));
    }
    update(connection, &new).await?;
    if let Some((_, except)) = &change.password {
        sessions::end_all(connection, SessionOf::User(id), except.as_ref()).await?;
    }
    if new.record.disabled_at.is_some() {
        sessions::end_all(connection, SessionOf::User(id), None).await?;
    }
    let event = event.map(|event| event(&new.record));
    note_change(connection, event.as_ref()).await?;
    Ok(Some(new.record))
}

/// Stores users unchanged.
pub(crate) async fn import(
    connection: &mut impl SqlConnection,
    users: &[HashedUser],
) -> Result<Vec<KeyImport>> {
    let mut imports = Vec::with_capacity(users.len());
    for user in users {
        imports.push(import_one(connection, user).await?);
    }
    Ok(imports)
}

async fn import_one(connection: &mut impl SqlConnection, user: &HashedUser) -> Result<KeyImport> {
    let Some(existing) = by_id(connection, user.record.id).await? else {
        return Ok(match put(connection, user).await? {
            0 => KeyImport::Conflict,
            _ => KeyImport::Stored,
        });
    };
    if !same_user(&existing, user) {
        return Ok(KeyImport::Conflict);
    }
    if let Some(at) = user.record.last_seen_at {
        note_seen(connection, user.record.id, at).await?;
    }
    Ok(KeyImport::Existing)
}

/// Stores when a user was last seen; a later stored time is kept.
pub(crate) async fn note_seen(
    connection: &mut impl SqlConnection,
    id: Uuid,
    at: Timestamp,
) -> Result<()> {
    query(
        "update users set last_seen_at = \
         case when last_seen_at > $1 then last_seen_at else $1 end where id = $2",
    )
    .bind(at)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(())
}

async fn others_administer(connection: &mut impl SqlConnection, id: Uuid) -> Result<bool> {
    let (exists,): (bool,) = query(
        "select exists (select 1 from users where role = 'admin' and disabled_at is null \
         and id <> $1)",
    )
    .bind(id)
    .fetch_one(connection)
    .await?;
    Ok(exists)
}

async fn put(connection: &mut impl SqlConnection, user: &HashedUser) -> Result<u64> {
    let HashedUser { record, password } = user;
    query(
        "insert into users (id, name, folded_name, password, role, projects, created_at, \
         disabled_at, last_seen_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         on conflict do nothing",
    )
    .bind(record.id)
    .bind(&record.name)
    .bind(folded(&record.name).as_str())
    .bind(password.as_ref().map(PasswordHash::expose))
    .bind(record.role.as_str())
    .bind(record.projects.column())
    .bind(record.created_at)
    .bind(record.disabled_at)
    .bind(record.last_seen_at)
    .execute(connection)
    .await
}

async fn update(connection: &mut impl SqlConnection, user: &HashedUser) -> Result<()> {
    let HashedUser { record, password } = user;
    query(
        "update users set password = $1, role = $2, projects = $3, disabled_at = $4 where id = $5",
    )
    .bind(password.as_ref().map(PasswordHash::expose))
    .bind(record.role.as_str())
    .bind(record.projects.column())
    .bind(record.disabled_at)
    .bind(record.id)
    .execute(connection)
    .await?;
    Ok(())
}

impl<'r, R: Columns> FromRow<'r, R> for HashedUser {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let password: Option<String> = row.read("password")?;
        Ok(Self {
            record: User {
                id: id_of(id)?,
                name: row.text("name")?,
                role: word_of(row.read("role")?, "role", id)?,
                projects: Projects::of_column(row.read("projects")?, id)?,
                created_at: timestamp_of(row.read("created_at")?, id)?,
                disabled_at: time_of(row.read("disabled_at")?, id)?,
                last_seen_at: time_of(row.read("last_seen_at")?, id)?,
            },
            password: password.map(PasswordHash::new),
        })
    }
}
