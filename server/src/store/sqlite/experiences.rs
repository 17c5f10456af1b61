//! Experience records: insert, read by id, read in commit order.

use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use uuid::Uuid;

use super::{idempotency::forget_keys, next_seq};
use crate::store::{
    Experience, ExperienceContent, IdempotencyKey, IndexRow, IndexedExperience, NewExperience,
    Result, StoreError,
    columns::{count_of, damaged, id_of, integer_of, timestamp_of},
};

/// Writes a record, its vector and its idempotency key inside a write transaction. What the key
/// refuses has written nothing.
pub(super) async fn insert(write: &mut SqliteConnection, new: &NewExperience) -> Result<Uuid> {
    if let Some(idempotency) = &new.idempotency
        && let Some(earlier) = earlier_submission(&mut *write, idempotency).await?
    {
        return Ok(earlier);
    }
    insert_row(&mut *write, new).await?;
    if let Some((model, vector)) = &new.vector {
        sqlx::query(
            "insert into experience_vectors (experience_id, model, vector) values (?, ?, ?)",
        )
        .bind(new.id.to_string())
        .bind(model)
        .bind(vector)
        .execute(&mut *write)
        .await?;
    }
    if let Some(idempotency) = &new.idempotency {
        remember_key(write, new, idempotency).await?;
    }
    Ok(new.id)
}

/// Returns the id that a key stored before, if it did.
async fn earlier_submission(
    write: &mut SqliteConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<Uuid>> {
    let row = sqlx::query("select fingerprint, experience_id from idempotency_keys where key = ?")
        .bind(&idempotency.key)
        .fetch_optional(&mut *write)
        .await?;
    if let Some(row) = row {
        if row.try_get::<&[u8], _>(0)? != idempotency.fingerprint {
            return Err(StoreError::KeyReused);
        }
        return id_of(row.try_get(1)?).map(Some);
    }
    let row =
        sqlx::query("select experience_id from idempotency_keys where key = ? and fingerprint = ?")
            .bind(idempotency.unscoped())
            .bind(idempotency.fingerprint.as_slice())
            .fetch_optional(write)
            .await?;
    row.map(|row| id_of(row.try_get(0)?)).transpose()
}

/// Writes the record itself, at the next `seq`.
async fn insert_row(write: &mut SqliteConnection, new: &NewExperience) -> Result<()> {
    let seq = next_seq(&mut *write).await?;
    let created_at = new.created_at.as_microsecond();
    sqlx::query(
        "insert into experiences (seq, id, title, problem_description, root_cause, solution, context, \
         keywords, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(seq)
    .bind(new.id.to_string())
    .bind(&new.content.title)
    .bind(&new.content.problem_description)
    .bind(&new.content.root_cause)
    .bind(&new.content.solution)
    .bind(&new.content.context)
    .bind(serde_json::Value::from(new.content.keywords.clone()).to_string())
    .bind(created_at)
    .bind(created_at)
    .execute(write)
    .await?;
    Ok(())
}

/// Remembers the key, and forgets some past their lifetime so that the table stays bounded.
async fn remember_key(
    write: &mut SqliteConnection,
    new: &NewExperience,
    key: &IdempotencyKey,
) -> Result<()> {
    forget_keys(&mut *write, "idempotency_keys", new.created_at).await?;
    sqlx::query("insert into idempotency_keys (key, fingerprint, experience_id, created_at) values (?, ?, ?, ?)")
        .bind(&key.key)
        .bind(key.fingerprint.as_slice())
        .bind(new.id.to_string())
        .bind(new.created_at.as_microsecond())
        .execute(write)
        .await?;
    Ok(())
}

/// Reads those records by id that are to be found.
pub(super) async fn by_ids(readers: &SqlitePool, ids: &[Uuid]) -> Result<Vec<Experience>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let list: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    let rows = sqlx::query(
        "select id, title, problem_description, root_cause, solution, context, keywords, query_count, \
         popularity, created_at from experiences where id in (select value from json_each(?)) \
         and hidden_at is null and deleted_at is null",
    )
    .bind(serde_json::Value::from(list).to_string())
    .fetch_all(readers)
    .await?;
    rows.iter().map(experience_of).collect()
}

/// Reads ids that begin alike, as a range of the index on ids.
pub(super) async fn with_prefix(
    readers: &SqlitePool,
    prefix: &str,
    (limit, all): (u32, bool),
) -> Result<Vec<Uuid>> {
    // Every character of an id comes before `~`.
    let rows = sqlx::query(
        "select id from experiences where id >= ? and id < ? \
             and (? or (hidden_at is null and deleted_at is null)) order by id limit ?",
    )
    .bind(prefix)
    .bind(format!("{prefix}~"))
    .bind(all)
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(|row| id_of(row.try_get(0)?)).collect()
}

/// Reads records in commit order.
pub(super) async fn after(
    readers: &SqlitePool,
    seq: u64,
    limit: u32,
) -> Result<Vec<IndexedExperience>> {
    let rows = sqlx::query(
        "select e.seq, e.id, e.title, e.problem_description, e.root_cause, e.solution, e.context, e.keywords, \
         e.query_count, e.popularity, e.created_at, v.vector, \
         (e.hidden_at is not null or e.deleted_at is not null) as is_gone from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > ? order by e.seq limit ?",
    )
    .bind(integer_of(seq))
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter()
        .map(|row| {
            let index_row = index_row_of(row)?;
            Ok(IndexedExperience {
                content: match index_row.is_gone {
                    true => None,
                    false => Some(content_of(row)?),
                },
                row: index_row,
            })
        })
        .collect()
}

/// Reads what the index needs besides the text.
pub(super) async fn index_rows(
    readers: &SqlitePool,
    after: u64,
    up_to: u64,
    limit: u32,
) -> Result<Vec<IndexRow>> {
    let rows = sqlx::query(
        "select e.seq, e.id, e.query_count, e.popularity, e.created_at, v.vector, \
         (e.hidden_at is not null or e.deleted_at is not null) as is_gone from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > ? and e.seq <= ? order by e.seq limit ?",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(index_row_of).collect()
}

/// Reads a whole record from a row with the columns of [`by_ids`].
pub(super) fn experience_of(row: &SqliteRow) -> Result<Experience> {
    let id: &str = row.try_get("id")?;
    Ok(Experience {
        id: id_of(id)?,
        content: content_of(row)?,
        query_count: count_of(row.try_get("query_count")?),
        popularity: count_of(row.try_get("popularity")?),
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
    })
}

fn content_of(row: &SqliteRow) -> Result<ExperienceContent> {
    Ok(ExperienceContent {
        title: row.try_get("title")?,
        problem_description: row.try_get("problem_description")?,
        root_cause: row.try_get("root_cause")?,
        solution: row.try_get("solution")?,
        context: row.try_get("context")?,
        keywords: keywords_of(row)?,
    })
}

pub(super) fn keywords_of(row: &SqliteRow) -> Result<Vec<String>> {
    let keywords: &str = row.try_get("keywords")?;
    match serde_json::from_str(keywords) {
        Ok(keywords) => Ok(keywords),
        Err(_) => Err(damaged("keywords", row.try_get("id")?)),
    }
}

fn index_row_of(row: &SqliteRow) -> Result<IndexRow> {
    let id: &str = row.try_get("id")?;
    Ok(IndexRow {
        seq: count_of(row.try_get("seq")?),
        id: id_of(id)?,
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        query_count: count_of(row.try_get("query_count")?),
        popularity: count_of(row.try_get("popularity")?),
        vector: row.try_get("vector")?,
        is_gone: row.try_get("is_gone")?,
    })
}
