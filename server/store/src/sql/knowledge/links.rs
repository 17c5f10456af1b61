//! Links between entries.

use recall_kit_shared_types::knowledge::RelationType;
use sqlx::FromRow;
use ulid::Ulid;

use super::{suggestions, vectors::move_to_head};
use crate::{
    AuditEvent, Edge, Link, NewLink, Result, StoreError,
    database::columns::{ulid_of, word_of},
    sql::{Columns, Dialects, Family, SqlConnection, access::audit::note_change, query},
};

/// Stores a link.
pub(crate) async fn insert(
    connection: &mut impl SqlConnection,
    new: &NewLink,
    event: Option<&AuditEvent>,
) -> Result<()> {
    connection.lock_family(Family::Entries).await?;
    match insert_into(connection, new).await? {
        true => note_change(connection, event).await,
        false => Err(StoreError::LinkExists),
    }
}

/// Writes a link inside a transaction that has locked the family of entries, so that no other link is
/// written meanwhile; `false` if the link exists already. [`StoreError::EntryGone`] and
/// [`StoreError::LinkCycle`] are returned before anything is written.
pub(super) async fn insert_into(
    connection: &mut impl SqlConnection,
    new: &NewLink,
) -> Result<bool> {
    check(connection, new).await?;
    let written = query(
        "insert into entry_links (id, source_id, target_id, relation_type, created_at) \
         values ($1, $2, $3, $4, $5) on conflict do nothing",
    )
    .bind(new.id)
    .bind(new.source)
    .bind(new.target)
    .bind(new.relation.as_str())
    .bind(new.created_at)
    .execute(connection)
    .await?;
    let is_new = written == 1;
    if is_new {
        suggestions::settle_pair(connection, new).await?;
    }
    if is_new && new.relation == RelationType::Supersedes {
        let superseded = query(
            "update entries set status = 'obsolete', updated_at = $1 \
             where id = $2 and status = 'active'",
        )
        .bind(new.created_at)
        .bind(new.target)
        .execute(connection)
        .await?;
        if superseded == 1 {
            move_to_head(connection, &[new.target]).await?;
        }
    }
    Ok(is_new)
}

/// The check of a link, with the text of its target as an id.
macro_rules! check_link {
    ($target:literal) => {
        concat!(
            "with recursive reached (id) as (select ",
            $target,
            " union select l.target_id from entry_links l join reached r on l.source_id = r.id \
             where l.relation_type = $3) \
             select exists (select 1 from entries where id = $1), \
             exists (select 1 from entries where id = $2), \
             $4 and exists (select 1 from reached where id = $1)"
        )
    };
}

/// Checks that both entries exist and, if the relation has a direction, that no links of the same relation
/// lead from the target to the source.
async fn check(connection: &mut impl SqlConnection, new: &NewLink) -> Result<()> {
    let check = connection.dialect(Dialects {
        sqlite: check_link!("$2"),
        postgres: check_link!("$2 collate \"C\""),
    });
    let (source_exists, target_exists, leads_back): (bool, bool, bool) = query(check)
        .bind(new.source)
        .bind(new.target)
        .bind(new.relation.as_str())
        .bind(!new.relation.is_symmetric())
        .fetch_one(connection)
        .await?;
    match (source_exists, target_exists, leads_back) {
        (false, ..) => Err(StoreError::EntryGone(new.source)),
        (_, false, _) => Err(StoreError::EntryGone(new.target)),
        (.., true) => Err(StoreError::LinkCycle),
        (true, true, false) => Ok(()),
    }
}

/// Reads the links that start or end at one of some entries, oldest first.
pub(crate) async fn of(connection: &mut impl SqlConnection, ids: &[Ulid]) -> Result<Vec<Link>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    query(
        "select l.id, l.source_id, s.title as source_title, l.target_id, t.title as target_title, \
         l.relation_type from entry_links l \
         join entries s on s.id = l.source_id join entries t on t.id = l.target_id \
         where l.source_id = any($1) or l.target_id = any($1) order by l.created_at, l.id",
    )
    .bind(ids)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for Link {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: ulid_of(id)?,
            source: (ulid_of(row.read("source_id")?)?, row.text("source_title")?),
            target: (ulid_of(row.read("target_id")?)?, row.text("target_title")?),
            relation: word_of(row.read("relation_type")?, "relation", id)?,
        })
    }
}

/// Reads every link, oldest first.
pub(crate) async fn edges(connection: &mut impl SqlConnection) -> Result<Vec<Edge>> {
    query("select id, source_id, target_id, relation_type from entry_links order by created_at, id")
        .fetch_all(connection)
        .await
}

impl<'r, R: Columns> FromRow<'r, R> for Edge {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            source: ulid_of(row.read("source_id")?)?,
            target: ulid_of(row.read("target_id")?)?,
            relation: word_of(row.read("relation_type")?, "relation", id)?,
        })
    }
}
