//! The administration of experiences; see [`ExperienceStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, PgConnection, Row, postgres::PgRow};
use uuid::Uuid;

use super::content_hashes;
use crate::{
    ChangedExperience, ExperienceBrief, ExperienceChange, ExperienceContent, ExperienceListing,
    ExperienceState, ExperienceStore, Result, StoreError, StoredExperience,
    database::columns::{count_of, id_of, integer_of, time_of, timestamp_of},
    experiences::content_hash::content_hash,
    postgres::{
        Head, PostgresStore,
        access::people::note_change,
        experiences::keywords_of,
        fresh, lock_head, read, take_seqs,
        text::{decoded, encoded},
        transfer::stored_of,
        write,
    },
};

#[async_trait]
impl ExperienceStore for PostgresStore {
    async fn stored_experience(&self, id: Uuid) -> Result<Option<StoredExperience>> {
        fresh!(self, connection => stored(connection, id))
    }

    async fn change_experience(&self, changed: &ChangedExperience) -> Result<ExperienceState> {
        write!(self, transaction => change(transaction, changed))
    }

    async fn overtake_experience(
        &self,
        model: Option<&str>,
        later: &StoredExperience,
    ) -> Result<bool> {
        write!(self, transaction => overtake(transaction, model, later))
    }

    async fn list_experiences(
        &self,
        listing: &ExperienceListing,
    ) -> Result<(Vec<ExperienceBrief>, u64)> {
        fresh!(self, connection => list(connection, listing))
    }

    async fn purge_experiences(&self, before: Timestamp, limit: u32) -> Result<u64> {
        write!(self, transaction => purge(transaction, before, limit))
    }

    async fn hash_experiences(&self, limit: u32) -> Result<u64> {
        // A read first: it does not block writers.
        if !fresh!(self, connection => content_hashes::lag(connection))? {
            return Ok(0);
        }
        write!(self, transaction => content_hashes::hash_next(transaction, limit))
    }

    async fn stored_experience_count(&self) -> Result<u64> {
        read!(self, connection => count(connection))
    }
}

async fn stored(connection: &mut PgConnection, id: Uuid) -> Result<Option<StoredExperience>> {
    let row = sqlx::query(
        "select e.id, e.title, e.problem_description, e.root_cause, e.solution, e.context, \
         e.keywords, e.query_count, e.popularity, e.created_at, e.version, e.changed_at, e.hidden_at, \
         e.deleted_at, v.vector from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') where e.id = $1",
    )
    .bind(id.to_string())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(stored_of).transpose()
}

/// Changes a record inside a transaction.
async fn change(
    transaction: &mut PgConnection,
    changed: &ChangedExperience,
) -> Result<ExperienceState> {
    let id = changed.id.to_string();
    let state = locked_state(&mut *transaction, changed.id).await?;
    let Some(next) = state.changed(changed)? else {
        return Ok(state);
    };
    write_state(&mut *transaction, &id, &next).await?;
    if let ExperienceChange::Edit { content, vector } = &changed.change {
        replace_texts(&mut *transaction, &id, content).await?;
        replace_vector(&mut *transaction, &id, vector.as_ref()).await?;
    }
    note_change(transaction, changed.event.as_ref()).await?;
    Ok(next)
}

/// Replaces a record by a later version of it, inside a transaction.
async fn overtake(
    transaction: &mut PgConnection,
    model: Option<&str>,
    later: &StoredExperience,
) -> Result<bool> {
    let id = later.experience.id;
    if later.state.version <= locked_state(&mut *transaction, id).await?.version {
        return Ok(false);
    }
    let id = id.to_string();
    write_state(&mut *transaction, &id, &later.state).await?;
    replace_texts(&mut *transaction, &id, &later.experience.content).await?;
    let vector = model.map(str::to_owned).zip(later.vector.clone());
    replace_vector(transaction, &id, vector.as_ref()).await?;
    Ok(true)
}

/// Reads the state of a record; the lock on the head keeps it unchanged until the commit.
async fn locked_state(transaction: &mut PgConnection, id: Uuid) -> Result<ExperienceState> {
    lock_head(transaction, Head::Experiences).await?;
    let row = sqlx::query(
        "select id, version, changed_at, hidden_at, deleted_at from experiences where id = $1",
    )
    .bind(id.to_string())
    .fetch_optional(transaction)
    .await?;
    state_of(&row.ok_or(StoreError::NoExperience(id))?)
}

/// Writes the state of a record and moves it to the next `seq`.
async fn write_state(
    transaction: &mut PgConnection,
    id: &str,
    next: &ExperienceState,
) -> Result<()> {
    let micros = |time: Option<Timestamp>| time.map(Timestamp::as_microsecond);
    let before = take_seqs(&mut *transaction, Head::Experiences, 1).await?;
    sqlx::query(
        "update experiences set seq = $2, version = $3, changed_at = $4, hidden_at = $5, \
         deleted_at = $6 where id = $1",
    )
    .bind(id)
    .bind(before + 1)
    .bind(integer_of(next.version))
    .bind(micros(next.changed_at))
    .bind(micros(next.hidden_at))
    .bind(micros(next.deleted_at))
    .execute(transaction)
    .await?;
    Ok(())
}

async fn replace_texts(
    transaction: &mut PgConnection,
    id: &str,
    content: &ExperienceContent,
) -> Result<()> {
    sqlx::query(
        "update experiences set title = $2, problem_description = $3, root_cause = $4, \
         solution = $5, context = $6, keywords = $7, content_hash = $8 where id = $1",
    )
    .bind(id)
    .bind(encoded(&content.title))
    .bind(encoded(&content.problem_description))
    .bind(content.root_cause.as_deref().map(encoded))
    .bind(encoded(&content.solution))
    .bind(content.context.as_deref().map(encoded))
    .bind(serde_json::Value::from(content.keywords.clone()).to_string())
    .bind(content_hash(content).as_slice())
    .execute(transaction)
    .await?;
    Ok(())
}

/// Replaces the vector; without a new one removes it, since it does not belong to the new texts.
async fn replace_vector(
    transaction: &mut PgConnection,
    id: &str,
    vector: Option<&(String, Vec<u8>)>,
) -> Result<()> {
    sqlx::query("delete from experience_vectors where experience_id = $1")
        .bind(id)
        .execute(&mut *transaction)
        .await?;
    if let Some((model, vector)) = vector {
        sqlx::query(
            "insert into experience_vectors (experience_id, model, vector) values ($1, $2, $3)",
        )
        .bind(id)
        .bind(model)
        .bind(vector)
        .execute(transaction)
        .await?;
    }
    Ok(())
}

async fn list(
    connection: &mut PgConnection,
    listing: &ExperienceListing,
) -> Result<(Vec<ExperienceBrief>, u64)> {
    let (condition, order) = (listing.condition(), listing.order());
    let count = format!("select count(*) from experiences where {condition}");
    let total = sqlx::query(AssertSqlSafe(count))
        .fetch_one(&mut *connection)
        .await?;
    let page = format!(
        "select id, title, keywords, query_count, created_at, version, changed_at, hidden_at, \
         deleted_at from experiences where {condition} order by {order} limit $1 offset $2"
    );
    let rows = sqlx::query(AssertSqlSafe(page))
        .bind(i64::from(listing.page.limit))
        .bind(integer_of(listing.page.offset))
        .fetch_all(connection)
        .await?;
    let page = rows.iter().map(brief_of).collect::<Result<_>>()?;
    Ok((page, count_of(total.try_get(0)?)))
}

async fn purge(transaction: &mut PgConnection, before: Timestamp, limit: u32) -> Result<u64> {
    let due = sqlx::query("select 1 from experiences where deleted_at < $1 limit 1")
        .bind(before.as_microsecond())
        .fetch_optional(&mut *transaction)
        .await?;
    if due.is_none() {
        return Ok(0);
    }
    // The lock keeps others from restoring one of these records meanwhile.
    lock_head(transaction, Head::Experiences).await?;
    let purged = sqlx::query(
        "delete from experiences where seq in (select seq from experiences \
         where deleted_at < $1 order by deleted_at limit $2)",
    )
    .bind(before.as_microsecond())
    .bind(i64::from(limit))
    .execute(transaction)
    .await?;
    Ok(purged.rows_affected())
}

async fn count(connection: &mut PgConnection) -> Result<u64> {
    let row = sqlx::query("select count(*) from experiences")
        .fetch_one(connection)
        .await?;
    Ok(count_of(row.try_get(0)?))
}

fn brief_of(row: &PgRow) -> Result<ExperienceBrief> {
    let id: &str = row.try_get("id")?;
    Ok(ExperienceBrief {
        id: id_of(id)?,
        title: decoded(row.try_get("title")?),
        keywords: keywords_of(row)?,
        query_count: count_of(row.try_get("query_count")?),
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        state: state_of(row)?,
    })
}

/// Reads the state of a record.
pub(crate) fn state_of(row: &PgRow) -> Result<ExperienceState> {
    let id: &str = row.try_get("id")?;
    let time = |column| time_of(row.try_get(column)?, id);
    Ok(ExperienceState {
        version: count_of(row.try_get("version")?),
        changed_at: time("changed_at")?,
        hidden_at: time("hidden_at")?,
        deleted_at: time("deleted_at")?,
    })
}
