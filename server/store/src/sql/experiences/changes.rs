//! Changes of experiences, and their lists.

use jiff::Timestamp;
use recall_kit_shared_types::applicability::Applies;
use sqlx::{AssertSqlSafe, FromRow};
use uuid::Uuid;

use super::keywords_of;
use crate::{
    ChangedExperience, ExperienceBrief, ExperienceChange, ExperienceContent, ExperienceListing,
    ExperienceState, Result, StoreError, StoredExperience,
    database::columns::{count_of, id_of, integer_of, json_of, time_of, timestamp_of},
    experiences::content_hash::{content_hash, normalised},
    sql::{Columns, Family, SqlConnection, access::audit::note_change, outcomes, query},
};

/// Changes a record inside a transaction.
pub(crate) async fn change(
    connection: &mut impl SqlConnection,
    changed: &ChangedExperience,
) -> Result<ExperienceState> {
    let id = changed.id.to_string();
    let state = locked_state(connection, changed.id).await?;
    let Some(next) = state.changed(changed)? else {
        return Ok(state);
    };
    // Reports lock the standings before experiences; an edit must do the same.
    let revision = match &changed.change {
        ExperienceChange::Edit { content, .. }
            if has_other_solution(connection, &id, content).await? =>
        {
            Some(outcomes::next_revision(connection).await?)
        }
        _ => None,
    };
    write_state(connection, &id, &next).await?;
    if let ExperienceChange::Edit { content, vector } = &changed.change {
        replace_texts(connection, &id, content).await?;
        replace_applies(connection, &id, content.applies.as_deref()).await?;
        replace_vector(connection, &id, vector.as_ref()).await?;
    }
    if let Some(revision) = revision {
        outcomes::solution_changed(connection, (changed.id, changed.now), revision).await?;
    }
    note_change(connection, changed.event.as_ref()).await?;
    Ok(next)
}

/// Replaces a record by a later version of it, inside a transaction.
pub(crate) async fn overtake(
    connection: &mut impl SqlConnection,
    model: Option<&str>,
    later: &StoredExperience,
) -> Result<bool> {
    let id = later.experience.id;
    if later.state.version <= locked_state(connection, id).await?.version {
        return Ok(false);
    }
    let id = id.to_string();
    write_state(connection, &id, &later.state).await?;
    let content = &later.experience.content;
    replace_texts(connection, &id, content).await?;
    replace_applies(connection, &id, content.applies.as_deref()).await?;
    let vector = model.map(str::to_owned).zip(later.vector.clone());
    replace_vector(connection, &id, vector.as_ref()).await?;
    Ok(true)
}

/// Reads the state of a record; the lock on the head keeps it unchanged until the commit.
async fn locked_state(connection: &mut impl SqlConnection, id: Uuid) -> Result<ExperienceState> {
    connection.lock_family(Family::Experiences).await?;
    let state = query(
        "select id, version, changed_at, hidden_at, deleted_at from experiences where id = $1",
    )
    .bind(id)
    .fetch_optional(connection)
    .await?;
    state.ok_or(StoreError::NoExperience(id))
}

/// Writes the state of a record and moves it to the next `seq`.
async fn write_state(
    connection: &mut impl SqlConnection,
    id: &str,
    next: &ExperienceState,
) -> Result<()> {
    let before = connection.take_seqs(Family::Experiences, 1).await?;
    query(
        "update experiences set seq = $2, version = $3, changed_at = $4, hidden_at = $5, \
         deleted_at = $6 where id = $1",
    )
    .bind(id)
    .bind(before + 1)
    .bind(integer_of(next.version))
    .bind(next.changed_at)
    .bind(next.hidden_at)
    .bind(next.deleted_at)
    .execute(connection)
    .await?;
    Ok(())
}

/// Whether new texts have another solution than the stored ones, not only other white space.
async fn has_other_solution(
    connection: &mut impl SqlConnection,
    id: &str,
    content: &ExperienceContent,
) -> Result<bool> {
    let stored: Solution = query("select solution from experiences where id = $1")
        .bind(id)
        .fetch_one(connection)
        .await?;
    Ok(normalised(&stored.0) != normalised(&content.solution))
}

struct Solution(String);

impl<'r, R: Columns> FromRow<'r, R> for Solution {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        row.text("solution").map(Self)
    }
}

async fn replace_texts(
    connection: &mut impl SqlConnection,
    id: &str,
    content: &ExperienceContent,
) -> Result<()> {
    let hash = content_hash(content);
    query(
        "update experiences set title = $2, problem_description = $3, root_cause = $4, \
         solution = $5, context = $6, keywords = $7, content_hash = $8 \
         where id = $1",
    )
    .bind(id)
    .bind(&content.title)
    .bind(&content.problem_description)
    .bind(&content.root_cause)
    .bind(&content.solution)
    .bind(&content.context)
    .bind(json_of(&content.keywords))
    .bind(&hash)
    .execute(connection)
    .await?;
    Ok(())
}

/// Replaces where a record applies; `None` if that is read from its texts.
async fn replace_applies(
    connection: &mut impl SqlConnection,
    id: &str,
    applies: Option<&[Applies]>,
) -> Result<()> {
    query("update experiences set applies = $2 where id = $1")
        .bind(id)
        .bind(applies.map(json_of))
        .execute(connection)
        .await?;
    Ok(())
}

/// Replaces the vector; without a new one removes it, since it does not belong to the new texts.
async fn replace_vector(
    connection: &mut impl SqlConnection,
    id: &str,
    vector: Option<&(String, Vec<u8>)>,
) -> Result<()> {
    query("delete from experience_vectors where experience_id = $1")
        .bind(id)
        .execute(connection)
        .await?;
    if let Some((model, vector)) = vector {
        query("insert into experience_vectors (experience_id, model, vector) values ($1, $2, $3)")
            .bind(id)
            .bind(model)
            .bind(vector.as_slice())
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Reads a page of the records of a list, and counts all of them.
pub(crate) async fn list(
    connection: &mut impl SqlConnection,
    listing: &ExperienceListing,
) -> Result<(Vec<ExperienceBrief>, u64)> {
    let (condition, order) = (listing.condition(), listing.order());
    let count = format!("select count(*) from experiences where {condition}");
    let total = query(AssertSqlSafe(count)).fetch_count(connection).await?;
    let page = format!(
        "select id, title, keywords, query_count, created_at, version, changed_at, hidden_at, \
         deleted_at from experiences where {condition} order by {order} limit $1 offset $2"
    );
    let page = query(AssertSqlSafe(page))
        .bind(listing.page.limit)
        .bind(integer_of(listing.page.offset))
        .fetch_all(connection)
        .await?;
    Ok((page, total))
}

/// Whether records were deleted before a point in time.
pub(crate) async fn is_purge_due(
    connection: &mut impl SqlConnection,
    before: Timestamp,
) -> Result<bool> {
    let due: Option<(i32,)> = query("select 1 from experiences where deleted_at < $1 limit 1")
        .bind(before)
        .fetch_optional(connection)
        .await?;
    Ok(due.is_some())
}

/// Removes records that were deleted before a point in time.
pub(crate) async fn purge(
    connection: &mut impl SqlConnection,
    before: Timestamp,
    limit: u32,
) -> Result<u64> {
    // The lock keeps others from restoring one of these records meanwhile. Outcomes, standings and where
    // they apply are removed with them, and their writers lock these heads first.
    connection.lock_family(Family::Experiences).await?;
    outcomes::next_revision(connection).await?;
    outcomes::applicability::next_revision(connection).await?;
    query(
        "delete from experiences where seq in (select seq from experiences \
         where deleted_at < $1 order by deleted_at limit $2)",
    )
    .bind(before)
    .bind(limit)
    .execute(connection)
    .await
}

/// Counts all records.
pub(crate) async fn count(connection: &mut impl SqlConnection) -> Result<u64> {
    query("select count(*) from experiences")
        .fetch_count(connection)
        .await
}

impl<'r, R: Columns> FromRow<'r, R> for ExperienceBrief {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: id_of(id)?,
            title: row.text("title")?,
            keywords: keywords_of(row)?,
            query_count: count_of(row.read("query_count")?),
            created_at: timestamp_of(row.read("created_at")?, id)?,
            state: ExperienceState::from_row(row)?,
        })
    }
}

impl<'r, R: Columns> FromRow<'r, R> for ExperienceState {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            version: count_of(row.read("version")?),
            changed_at: time_of(row.read("changed_at")?, id)?,
            hidden_at: time_of(row.read("hidden_at")?, id)?,
            deleted_at: time_of(row.read("deleted_at")?, id)?,
        })
    }
}
