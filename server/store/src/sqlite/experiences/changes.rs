//! The administration of experiences; see [`ExperienceStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Row, SqliteConnection, sqlite::SqliteRow};
use uuid::Uuid;

use super::content_hashes;
use crate::{
    ChangedExperience, ExperienceBrief, ExperienceChange, ExperienceContent, ExperienceListing,
    ExperienceState, ExperienceStore, Result, StoreError, StoredExperience,
    database::columns::{count_of, id_of, integer_of, time_of, timestamp_of},
    experiences::content_hash::content_hash,
    sqlite::{
        SqliteStore, access::people::note_change, connection::writer::write,
        experiences::keywords_of, next_seq, transfer::stored_of,
    },
};

#[async_trait]
impl ExperienceStore for SqliteStore {
    async fn stored_experience(&self, id: Uuid) -> Result<Option<StoredExperience>> {
        let row = sqlx::query(
            "select e.id, e.title, e.problem_description, e.root_cause, e.solution, e.context, \
             e.keywords, e.query_count, e.popularity, e.created_at, e.version, e.changed_at, e.hidden_at, \
             e.deleted_at, v.vector from experiences e \
             left join experience_vectors v on v.experience_id = e.id and v.model = \
             (select value from database_facts where name = 'embedding_model') where e.id = ?",
        )
        .bind(id.to_string())
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(stored_of).transpose()
    }

    async fn change_experience(&self, changed: &ChangedExperience) -> Result<ExperienceState> {
        write!(self, write, [changed] => change(write, &changed))
    }

    async fn overtake_experience(
        &self,
        model: Option<&str>,
        later: &StoredExperience,
    ) -> Result<bool> {
        let model = model.map(str::to_owned);
        write!(self, write, [later] => overtake(write, model.as_deref(), &later))
    }

    async fn list_experiences(
        &self,
        listing: &ExperienceListing,
    ) -> Result<(Vec<ExperienceBrief>, u64)> {
        let (condition, order) = (listing.condition(), listing.order());
        let count = format!("select count(*) from experiences where {condition}");
        let total = sqlx::query(AssertSqlSafe(count))
            .fetch_one(&self.readers)
            .await?;
        let page = format!(
            "select id, title, keywords, query_count, created_at, version, changed_at, hidden_at, \
             deleted_at from experiences where {condition} order by {order} limit ? offset ?"
        );
        let rows = sqlx::query(AssertSqlSafe(page))
            .bind(listing.page.limit)
            .bind(integer_of(listing.page.offset))
            .fetch_all(&self.readers)
            .await?;
        let page = rows.iter().map(brief_of).collect::<Result<_>>()?;
        Ok((page, count_of(total.try_get(0)?)))
    }

    async fn purge_experiences(&self, before: Timestamp, limit: u32) -> Result<u64> {
        // A read first: it does not block writers.
        let due = sqlx::query("select 1 from experiences where deleted_at < ? limit 1")
            .bind(before.as_microsecond())
            .fetch_optional(&self.readers)
            .await?;
        if due.is_none() {
            return Ok(0);
        }
        write!(self, write, [] => purge(write, before, limit))
    }

    async fn hash_experiences(&self, limit: u32) -> Result<u64> {
        // A read first: it does not block writers.
        if !content_hashes::lag(&self.readers).await? {
            return Ok(0);
        }
        write!(self, write, [] => content_hashes::hash_next(write, limit))
    }

    async fn stored_experience_count(&self) -> Result<u64> {
        let row = sqlx::query("select count(*) from experiences")
            .fetch_one(&self.readers)
            .await?;
        Ok(count_of(row.try_get(0)?))
    }
}

async fn purge(write: &mut SqliteConnection, before: Timestamp, limit: u32) -> Result<u64> {
    let purged = sqlx::query(
        "delete from experiences where seq in (select seq from experiences \
         where deleted_at < ? order by deleted_at limit ?)",
    )
    .bind(before.as_microsecond())
    .bind(limit)
    .execute(write)
    .await?;
    Ok(purged.rows_affected())
}

/// Changes a record inside a write transaction.
async fn change(
    write: &mut SqliteConnection,
    changed: &ChangedExperience,
) -> Result<ExperienceState> {
    let id = changed.id.to_string();
    let state = current_state(&mut *write, changed.id).await?;
    let Some(next) = state.changed(changed)? else {
        return Ok(state);
    };
    write_state(&mut *write, &id, &next).await?;
    if let ExperienceChange::Edit { content, vector } = &changed.change {
        replace_texts(&mut *write, &id, content).await?;
        replace_vector(&mut *write, &id, vector.as_ref()).await?;
    }
    note_change(write, changed.event.as_ref()).await?;
    Ok(next)
}

/// Replaces a record by a later version of it, inside a write transaction.
async fn overtake(
    write: &mut SqliteConnection,
    model: Option<&str>,
    later: &StoredExperience,
) -> Result<bool> {
    let id = later.experience.id;
    if later.state.version <= current_state(&mut *write, id).await?.version {
        return Ok(false);
    }
    let id = id.to_string();
    write_state(&mut *write, &id, &later.state).await?;
    replace_texts(&mut *write, &id, &later.experience.content).await?;
    let vector = model.map(str::to_owned).zip(later.vector.clone());
    replace_vector(write, &id, vector.as_ref()).await?;
    Ok(true)
}

async fn current_state(write: &mut SqliteConnection, id: Uuid) -> Result<ExperienceState> {
    let row = sqlx::query(
        "select id, version, changed_at, hidden_at, deleted_at from experiences where id = ?",
    )
    .bind(id.to_string())
    .fetch_optional(write)
    .await?;
    state_of(&row.ok_or(StoreError::NoExperience(id))?)
}

/// Writes the state of a record and moves it to the next `seq`.
async fn write_state(write: &mut SqliteConnection, id: &str, next: &ExperienceState) -> Result<()> {
    let micros = |time: Option<Timestamp>| time.map(Timestamp::as_microsecond);
    let seq = next_seq(&mut *write).await?;
    sqlx::query(
        "update experiences set seq = ?, version = ?, changed_at = ?, hidden_at = ?, deleted_at = ? \
         where id = ?",
    )
    .bind(seq)
    .bind(integer_of(next.version))
    .bind(micros(next.changed_at))
    .bind(micros(next.hidden_at))
    .bind(micros(next.deleted_at))
    .bind(id)
    .execute(&mut *write)
    .await?;
    Ok(())
}

async fn replace_texts(
    write: &mut SqliteConnection,
    id: &str,
    content: &ExperienceContent,
) -> Result<()> {
    sqlx::query(
        "update experiences set title = ?, problem_description = ?, root_cause = ?, solution = ?, \
         context = ?, keywords = ?, content_hash = ? where id = ?",
    )
    .bind(&content.title)
    .bind(&content.problem_description)
    .bind(&content.root_cause)
    .bind(&content.solution)
    .bind(&content.context)
    .bind(serde_json::Value::from(content.keywords.clone()).to_string())
    .bind(content_hash(content).as_slice())
    .bind(id)
    .execute(write)
    .await?;
    Ok(())
}

/// Replaces the vector; without a new one removes it, since it does not belong to the new texts.
async fn replace_vector(
    write: &mut SqliteConnection,
    id: &str,
    vector: Option<&(String, Vec<u8>)>,
) -> Result<()> {
    sqlx::query("delete from experience_vectors where experience_id = ?")
        .bind(id)
        .execute(&mut *write)
        .await?;
    if let Some((model, vector)) = vector {
        sqlx::query(
            "insert into experience_vectors (experience_id, model, vector) values (?, ?, ?)",
        )
        .bind(id)
        .bind(model)
        .bind(vector)
        .execute(write)
        .await?;
    }
    Ok(())
}

fn brief_of(row: &SqliteRow) -> Result<ExperienceBrief> {
    let id: &str = row.try_get("id")?;
    Ok(ExperienceBrief {
        id: id_of(id)?,
        title: row.try_get("title")?,
        keywords: keywords_of(row)?,
        query_count: count_of(row.try_get("query_count")?),
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        state: state_of(row)?,
    })
}

/// Reads the state of a record.
pub(crate) fn state_of(row: &SqliteRow) -> Result<ExperienceState> {
    let id: &str = row.try_get("id")?;
    let time = |column| time_of(row.try_get(column)?, id);
    Ok(ExperienceState {
        version: count_of(row.try_get("version")?),
        changed_at: time("changed_at")?,
        hidden_at: time("hidden_at")?,
        deleted_at: time("deleted_at")?,
    })
}
