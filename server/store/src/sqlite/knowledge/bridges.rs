//! Entries to which experiences were promoted.

use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use ulid::Ulid;
use uuid::Uuid;

use super::entries;
use crate::{
    NewEntry, Promotion, Result,
    database::columns::{id_of, ulid_of},
};

/// Stores the entry to which an experience is promoted, unless there is one; returns the earlier one.
pub(super) async fn insert_promoted(
    write: &mut SqliteConnection,
    new: &NewEntry,
    experience: Uuid,
) -> Result<Option<Ulid>> {
    let earlier = sqlx::query("select entry_id from entry_experiences where experience_id = ?")
        .bind(experience.to_string())
        .fetch_optional(&mut *write)
        .await?;
    if let Some(row) = earlier {
        return ulid_of(row.try_get(0)?).map(Some);
    }
    entries::insert(&mut *write, new).await?;
    sqlx::query("insert into entry_experiences (entry_id, experience_id) values (?, ?)")
        .bind(new.id.to_string())
        .bind(experience.to_string())
        .execute(&mut *write)
        .await?;
    Ok(None)
}

/// Reads the promotions of some entries and experiences.
pub(super) async fn promotions(readers: &SqlitePool, ids: &[Uuid]) -> Result<Vec<Promotion>> {
    let experiences: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    let entries: Vec<String> = ids.iter().map(|id| Ulid::from(*id).to_string()).collect();
    let rows = sqlx::query(
        "select entry_id, experience_id from entry_experiences \
         where entry_id in (select value from json_each(?)) \
         or experience_id in (select value from json_each(?))",
    )
    .bind(serde_json::Value::from(entries).to_string())
    .bind(serde_json::Value::from(experiences).to_string())
    .fetch_all(readers)
    .await?;
    let promotion = |row: &SqliteRow| {
        Ok(Promotion {
            entry: ulid_of(row.try_get("entry_id")?)?,
            experience: id_of(row.try_get("experience_id")?)?,
        })
    };
    rows.iter().map(promotion).collect()
}

/// Reads the ids of every promoted experience.
pub(super) async fn promoted(readers: &SqlitePool) -> Result<Vec<Uuid>> {
    let rows = sqlx::query("select experience_id from entry_experiences")
        .fetch_all(readers)
        .await?;
    rows.iter().map(|row| id_of(row.try_get(0)?)).collect()
}
