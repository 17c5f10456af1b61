//! Links between entries.

use recall_kit_shared_types::knowledge::RelationType;
use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};

use super::{json_of, suggestions, vectors::move_to_head};
use crate::{
    AuditEvent, Edge, Link, NewLink, Result, StoreError,
    database::columns::{ulid_of, word_of},
    sqlite::access::people::note_change,
};

/// Stores a link.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    new: &NewLink,
    event: Option<&AuditEvent>,
) -> Result<()> {
    if !insert_into(&mut *write, new).await? {
        return Err(StoreError::LinkExists);
    }
    note_change(write, event).await
}

/// Writes a link inside a write transaction; `false` if it exists already.
pub(super) async fn insert_into(write: &mut SqliteConnection, new: &NewLink) -> Result<bool> {
    for id in [new.source, new.target] {
        let entry = sqlx::query("select 1 from entries where id = ?")
            .bind(id.to_string())
            .fetch_optional(&mut *write)
            .await?;
        if entry.is_none() {
            return Err(StoreError::EntryGone(id));
        }
    }
    if !new.relation.is_symmetric() && leads_back(&mut *write, new).await? {
        return Err(StoreError::Circle);
    }
    let done = sqlx::query(
        "insert into entry_links (id, source_id, target_id, relation_type, created_at) \
         values (?, ?, ?, ?, ?) on conflict do nothing",
    )
    .bind(new.id.to_string())
    .bind(new.source.to_string())
    .bind(new.target.to_string())
    .bind(new.relation.as_str())
    .bind(new.created_at.as_microsecond())
    .execute(&mut *write)
    .await?;
    let is_new = done.rows_affected() == 1;
    if is_new {
        suggestions::settle_pair(&mut *write, new).await?;
    }
    if is_new && new.relation == RelationType::Supersedes {
        let done = sqlx::query(
            "update entries set status = 'obsolete', updated_at = ? \
             where id = ? and status = 'active'",
        )
        .bind(new.created_at.as_microsecond())
        .bind(new.target.to_string())
        .execute(&mut *write)
        .await?;
        if done.rows_affected() == 1 {
            move_to_head(write, new.target).await?;
        }
    }
    Ok(is_new)
}

/// Whether links of the same relation lead from the target to the source.
async fn leads_back(write: &mut SqliteConnection, new: &NewLink) -> Result<bool> {
    let found = sqlx::query(
        "with recursive reached (id) as (select ?1 union \
         select l.target_id from entry_links l join reached r on l.source_id = r.id \
         where l.relation_type = ?2) select 1 from reached where id = ?3",
    )
    .bind(new.target.to_string())
    .bind(new.relation.as_str())
    .bind(new.source.to_string())
    .fetch_optional(write)
    .await?;
    Ok(found.is_some())
}

/// Reads the links that start or end at one of some entries, oldest first.
pub(super) async fn of(readers: &SqlitePool, ids: &[ulid::Ulid]) -> Result<Vec<Link>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select l.id, l.source_id, s.title as source_title, l.target_id, t.title as target_title, \
         l.relation_type from entry_links l \
         join entries s on s.id = l.source_id join entries t on t.id = l.target_id \
         where l.source_id in (select value from json_each(?1)) \
         or l.target_id in (select value from json_each(?1)) order by l.created_at, l.id",
    )
    .bind(json_of(ids))
    .fetch_all(readers)
    .await?;
    rows.iter().map(link_of).collect()
}

/// Reads every link, oldest first.
pub(super) async fn edges(readers: &SqlitePool) -> Result<Vec<Edge>> {
    let rows = sqlx::query(
        "select id, source_id, target_id, relation_type from entry_links order by created_at, id",
    )
    .fetch_all(readers)
    .await?;
    let edge = |row: &SqliteRow| {
        Ok(Edge {
            source: ulid_of(row.try_get("source_id")?)?,
            target: ulid_of(row.try_get("target_id")?)?,
            relation: word_of(
                row.try_get("relation_type")?,
                "relation",
                row.try_get("id")?,
            )?,
        })
    };
    rows.iter().map(edge).collect()
}

fn link_of(row: &SqliteRow) -> Result<Link> {
    let id: &str = row.try_get("id")?;
    Ok(Link {
        id: ulid_of(id)?,
        source: (
            ulid_of(row.try_get("source_id")?)?,
            row.try_get("source_title")?,
        ),
        target: (
            ulid_of(row.try_get("target_id")?)?,
            row.try_get("target_title")?,
        ),
        relation: word_of(row.try_get("relation_type")?, "relation", id)?,
    })
}
