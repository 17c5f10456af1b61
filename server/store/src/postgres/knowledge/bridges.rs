//! Entries to which experiences were promoted.

use sqlx::{PgConnection, Row, postgres::PgRow};
use ulid::Ulid;
use uuid::Uuid;

use super::entries;
use crate::{
    NewEntry, Promotion, Result,
    database::columns::{id_of, ulid_of},
    postgres::{Head, lock_head},
};

/// Stores the entry to which an experience is promoted, unless there is one; returns the earlier one.
pub(super) async fn insert_promoted(
    connection: &mut PgConnection,
    new: &NewEntry,
    experience: Uuid,
) -> Result<Option<Ulid>> {
    lock_head(&mut *connection, Head::Entries).await?;
    let earlier = sqlx::query("select entry_id from entry_experiences where experience_id = $1")
        .bind(experience.to_string())
        .fetch_optional(&mut *connection)
        .await?;
    if let Some(row) = earlier {
        return ulid_of(row.try_get(0)?).map(Some);
    }
    entries::insert(&mut *connection, new).await?;
    sqlx::query("insert into entry_experiences (entry_id, experience_id) values ($1, $2)")
        .bind(new.id.to_string())
        .bind(experience.to_string())
        .execute(connection)
        .await?;
    Ok(None)
}

/// Reads the promotions of some entries and experiences.
pub(super) async fn promotions(
    connection: &mut PgConnection,
    ids: &[Uuid],
) -> Result<Vec<Promotion>> {
    let experiences: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    let entries: Vec<String> = ids.iter().map(|id| Ulid::from(*id).to_string()).collect();
    let rows = sqlx::query(
        "select entry_id, experience_id from entry_experiences \
         where entry_id = any($1) or experience_id = any($2)",
    )
    .bind(entries)
    .bind(experiences)
    .fetch_all(connection)
    .await?;
    let promotion = |row: &PgRow| {
        Ok(Promotion {
            entry: ulid_of(row.try_get("entry_id")?)?,
            experience: id_of(row.try_get("experience_id")?)?,
        })
    };
    rows.iter().map(promotion).collect()
}

/// Reads the ids of every promoted experience.
pub(super) async fn promoted(connection: &mut PgConnection) -> Result<Vec<Uuid>> {
    let rows = sqlx::query("select experience_id from entry_experiences")
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| id_of(row.try_get(0)?)).collect()
}
