//! Links between entries.

use recall_kit_shared_types::knowledge::RelationType;
use sqlx::{PgConnection, Row, postgres::PgRow};
use ulid::Ulid;

use super::{suggestions, texts_of, vectors::move_to_head};
use crate::{
    AuditEvent, Edge, Link, NewLink, Result, StoreError,
    database::columns::{ulid_of, word_of},
    postgres::{Head, access::people::note_change, lock_head, text::decoded},
};

/// Stores a link.
pub(super) async fn insert(
    connection: &mut PgConnection,
    new: &NewLink,
    event: Option<&AuditEvent>,
) -> Result<()> {
    lock_head(&mut *connection, Head::Entries).await?;
    match insert_into(&mut *connection, new).await? {
        true => note_change(connection, event).await,
        false => Err(StoreError::LinkExists),
    }
}

/// Writes a link inside a transaction that has locked the head of entries, so that no other link is written
/// meanwhile; `false` if the link exists already. [`StoreError::EntryGone`] and [`StoreError::Circle`] are
/// returned before anything is written.
pub(super) async fn insert_into(connection: &mut PgConnection, new: &NewLink) -> Result<bool> {
    check(&mut *connection, new).await?;
    let done = sqlx::query(
        "insert into entry_links (id, source_id, target_id, relation_type, created_at) \
         values ($1, $2, $3, $4, $5) on conflict do nothing",
    )
    .bind(new.id.to_string())
    .bind(new.source.to_string())
    .bind(new.target.to_string())
    .bind(new.relation.as_str())
    .bind(new.created_at.as_microsecond())
    .execute(&mut *connection)
    .await?;
    let is_new = done.rows_affected() == 1;
    if is_new {
        suggestions::settle_pair(&mut *connection, new).await?;
    }
    if is_new && new.relation == RelationType::Supersedes {
        let done = sqlx::query(
            "update entries set status = 'obsolete', updated_at = $1 \
             where id = $2 and status = 'active'",
        )
        .bind(new.created_at.as_microsecond())
        .bind(new.target.to_string())
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() == 1 {
            move_to_head(connection, &[new.target]).await?;
        }
    }
    Ok(is_new)
}

/// Checks that both entries exist and, if the relation has a direction, that no links of the same relation
/// lead from the target to the source.
async fn check(connection: &mut PgConnection, new: &NewLink) -> Result<()> {
    let found = sqlx::query(
        "with recursive reached (id) as (select $2::text collate \"C\" union \
         select l.target_id from entry_links l join reached r on l.source_id = r.id \
         where l.relation_type = $3) \
         select exists (select 1 from entries where id = $1), \
         exists (select 1 from entries where id = $2), \
         $4 and exists (select 1 from reached where id = $1)",
    )
    .bind(new.source.to_string())
    .bind(new.target.to_string())
    .bind(new.relation.as_str())
    .bind(!new.relation.is_symmetric())
    .fetch_one(connection)
    .await?;
    for (column, id) in [new.source, new.target].into_iter().enumerate() {
        if !found.try_get::<bool, _>(column)? {
            return Err(StoreError::EntryGone(id));
        }
    }
    match found.try_get(2)? {
        true => Err(StoreError::Circle),
        false => Ok(()),
    }
}

/// Reads the links that start or end at one of some entries, oldest first.
pub(super) async fn of(connection: &mut PgConnection, ids: &[Ulid]) -> Result<Vec<Link>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select l.id, l.source_id, s.title as source_title, l.target_id, t.title as target_title, \
         l.relation_type from entry_links l \
         join entries s on s.id = l.source_id join entries t on t.id = l.target_id \
         where l.source_id = any($1) or l.target_id = any($1) order by l.created_at, l.id",
    )
    .bind(texts_of(ids))
    .fetch_all(connection)
    .await?;
    rows.iter().map(link_of).collect()
}

/// Reads every link, oldest first.
pub(super) async fn edges(connection: &mut PgConnection) -> Result<Vec<Edge>> {
    let rows = sqlx::query(
        "select id, source_id, target_id, relation_type from entry_links order by created_at, id",
    )
    .fetch_all(connection)
    .await?;
    let edge = |row: &PgRow| {
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

fn link_of(row: &PgRow) -> Result<Link> {
    let id: &str = row.try_get("id")?;
    Ok(Link {
        id: ulid_of(id)?,
        source: (
            ulid_of(row.try_get("source_id")?)?,
            decoded(row.try_get("source_title")?),
        ),
        target: (
            ulid_of(row.try_get("target_id")?)?,
            decoded(row.try_get("target_title")?),
        ),
        relation: word_of(row.try_get("relation_type")?, "relation", id)?,
    })
}
