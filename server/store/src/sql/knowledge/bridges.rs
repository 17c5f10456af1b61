//! Entries to which experiences were promoted.

use sqlx::FromRow;
use ulid::Ulid;
use uuid::Uuid;

use super::{EntryWrites, entries};
use crate::{
    NewEntry, Promotion, Result,
    database::columns::{id_of, ulid_of},
    sql::{Columns, EntryId, Family, Id, SqlConnection, query},
};

/// Stores the entry to which an experience is promoted, unless there is one; returns the earlier one.
pub(crate) async fn insert_promoted(
    connection: &mut impl EntryWrites,
    new: &NewEntry,
    experience: Uuid,
) -> Result<Option<Ulid>> {
    connection.lock_family(Family::Entries).await?;
    let earlier: Option<EntryId> =
        query("select entry_id as id from entry_experiences where experience_id = $1")
            .bind(experience)
            .fetch_optional(connection)
            .await?;
    if let Some(EntryId(earlier)) = earlier {
        return Ok(Some(earlier));
    }
    entries::insert(connection, new).await?;
    query("insert into entry_experiences (entry_id, experience_id) values ($1, $2)")
        .bind(new.id)
        .bind(experience)
        .execute(connection)
        .await?;
    Ok(None)
}

/// Reads the promotions of some entries and experiences.
pub(crate) async fn promotions(
    connection: &mut impl SqlConnection,
    ids: &[Uuid],
) -> Result<Vec<Promotion>> {
    let entries: Vec<Ulid> = ids.iter().copied().map(Ulid::from).collect();
    query(
        "select entry_id, experience_id from entry_experiences \
         where entry_id = any($1) or experience_id = any($2)",
    )
    .bind(entries.as_slice())
    .bind(ids)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for Promotion {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            entry: ulid_of(row.read("entry_id")?)?,
            experience: id_of(row.read("experience_id")?)?,
        })
    }
}

/// Reads the ids of every promoted experience.
pub(crate) async fn promoted(connection: &mut impl SqlConnection) -> Result<Vec<Uuid>> {
    let ids: Vec<Id> = query("select experience_id as id from entry_experiences")
        .fetch_all(connection)
        .await?;
    Ok(ids.into_iter().map(|id| id.0).collect())
}
