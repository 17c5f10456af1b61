//! Export and import of complete records: read in the order of their ids, stored unchanged.

pub(crate) mod moving;

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use uuid::Uuid;

use super::experiences::experience_of;
use crate::{
    Experience, Import, Result, StoredExperience,
    database::columns::{count_of, integer_of},
    experiences::content_hash::content_hash,
    sqlite::experiences::changes::state_of,
};

/// Counts the visible records up to a `seq`.
pub(super) async fn count(readers: &SqlitePool, up_to: u64) -> Result<u64> {
    let row = sqlx::query(
        "select count(*) from experiences where seq <= ? \
         and hidden_at is null and deleted_at is null",
    )
    .bind(integer_of(up_to))
    .fetch_one(readers)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Reads records with their vectors, ordered by id.
pub(super) async fn by_id(
    readers: &SqlitePool,
    after: Uuid,
    model: Option<&str>,
    limit: u32,
) -> Result<Vec<StoredExperience>> {
    let rows = sqlx::query(
        "select e.id, e.title, e.problem_description, e.root_cause, e.solution, e.context, \
         e.keywords, e.query_count, e.popularity, e.created_at, e.version, e.changed_at, e.hidden_at, \
         e.deleted_at, v.vector from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = ? \
         where e.id > ? order by e.id limit ?",
    )
    .bind(model)
    .bind(after.to_string())
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(stored_of).collect()
}

/// Reads a record with its state and vector from a row with the columns of [`by_id`].
pub(super) fn stored_of(row: &SqliteRow) -> Result<StoredExperience> {
    Ok(StoredExperience {
        experience: experience_of(row)?,
        state: state_of(row)?,
        vector: row.try_get("vector")?,
    })
}

/// Stores the records whose ids are new, all in one transaction.
pub(super) async fn import(
    write: &mut SqliteConnection,
    model: Option<&str>,
    records: &[StoredExperience],
) -> Result<Vec<Import>> {
    let head = sqlx::query("select seq from head")
        .fetch_one(&mut *write)
        .await?;
    // Counted here, so that a record that exists already does not use up a `seq` and leave a gap.
    let mut seq: i64 = head.try_get(0)?;
    let mut imports = Vec::with_capacity(records.len());
    for record in records {
        if insert(&mut *write, seq + 1, record).await? {
            seq += 1;
            if let (Some(model), Some(vector)) = (model, &record.vector) {
                insert_vector(&mut *write, record.experience.id, model, vector).await?;
            }
            imports.push(Import::Stored);
        } else {
            let existing = existing(&mut *write, record.experience.id).await?;
            imports.push(Import::Existing(Box::new(existing)));
        }
    }
    sqlx::query(
        "update head set hashed = case when hashed >= seq then ?1 else hashed end, seq = ?1",
    )
    .bind(seq)
    .execute(&mut *write)
    .await?;
    Ok(imports)
}

/// Writes a record at a `seq`; `false` if its id exists already.
async fn insert(write: &mut SqliteConnection, seq: i64, new: &StoredExperience) -> Result<bool> {
    let (record, state) = (&new.experience, &new.state);
    let created_at = record.created_at.as_microsecond();
    let content = &record.content;
    let micros = |time: Option<Timestamp>| time.map(Timestamp::as_microsecond);
    let done = sqlx::query(
        "insert into experiences (seq, id, title, problem_description, root_cause, solution, context, \
         keywords, query_count, popularity, created_at, updated_at, version, changed_at, hidden_at, deleted_at, \
         content_hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
         on conflict (id) do nothing",
    )
    .bind(seq)
    .bind(record.id.to_string())
    .bind(&content.title)
    .bind(&content.problem_description)
    .bind(&content.root_cause)
    .bind(&content.solution)
    .bind(&content.context)
    .bind(serde_json::Value::from(content.keywords.clone()).to_string())
    .bind(integer_of(record.query_count))
    .bind(integer_of(record.popularity))
    .bind(created_at)
    .bind(created_at)
    .bind(integer_of(state.version))
    .bind(micros(state.changed_at))
    .bind(micros(state.hidden_at))
    .bind(micros(state.deleted_at))
    .bind(content_hash(content).as_slice())
    .execute(write)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn insert_vector(
    write: &mut SqliteConnection,
    id: Uuid,
    model: &str,
    vector: &[u8],
) -> Result<()> {
    sqlx::query("insert into experience_vectors (experience_id, model, vector) values (?, ?, ?)")
        .bind(id.to_string())
        .bind(model)
        .bind(vector)
        .execute(write)
        .await?;
    Ok(())
}

async fn existing(write: &mut SqliteConnection, id: Uuid) -> Result<Experience> {
    let row = sqlx::query(
        "select id, title, problem_description, root_cause, solution, context, keywords, query_count, \
         popularity, created_at from experiences where id = ?",
    )
    .bind(id.to_string())
    .fetch_one(write)
    .await?;
    experience_of(&row)
}
