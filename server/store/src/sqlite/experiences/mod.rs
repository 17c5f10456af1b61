//! Experience records: insert, read by id, read in commit order.

pub(crate) mod batches;
pub(crate) mod changes;
pub(crate) mod content_hashes;
pub(crate) mod counts;
pub(crate) mod idempotency;

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use uuid::Uuid;

use super::next_seq;
use crate::{
    Experience, ExperienceContent, IdempotencyKey, IndexRow, IndexedExperience, NewExperience,
    Result, StoreError, SubmittedExperience,
    database::columns::{count_of, damaged, id_of, integer_of, timestamp_of},
    experiences::content_hash::{HASHED_PER_SUBMIT, content_hash},
    sqlite::experiences::idempotency::remove_expired_keys,
};

/// Writes a record, its vector and its idempotency key inside a write transaction. If the key is refused,
/// nothing was written; if a visible record has the same content, only the key is stored.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    new: &NewExperience,
) -> Result<SubmittedExperience> {
    if let Some(idempotency) = &new.idempotency
        && let Some(earlier) = earlier_submission(&mut *write, idempotency).await?
    {
        return Ok(earlier);
    }
    let hash = content_hash(&new.content);
    content_hashes::hash_next(&mut *write, HASHED_PER_SUBMIT).await?;
    let known = content_hashes::record_with(&mut *write, &hash).await?;
    if known.is_none() {
        insert_row(&mut *write, new, &hash).await?;
        insert_vector(&mut *write, new).await?;
    }
    let id = known.unwrap_or(new.id);
    if let Some(idempotency) = &new.idempotency {
        insert_key(write, idempotency, id, new.created_at).await?;
    }
    let is_known = known.is_some();
    Ok(SubmittedExperience { id, is_known })
}

async fn insert_vector(write: &mut SqliteConnection, new: &NewExperience) -> Result<()> {
    if let Some((model, vector)) = &new.vector {
        sqlx::query(
            "insert into experience_vectors (experience_id, model, vector) values (?, ?, ?)",
        )
        .bind(new.id.to_string())
        .bind(model)
        .bind(vector)
        .execute(write)
        .await?;
    }
    Ok(())
}

/// Returns the record that was stored under a key, if there is one. If the key has the same creation time
/// as the record, its submission stored the record; otherwise the record was known before.
async fn earlier_submission(
    write: &mut SqliteConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<SubmittedExperience>> {
    const EARLIER: &str = "select k.experience_id, k.created_at <> e.created_at, k.fingerprint \
        from idempotency_keys k join experiences e on e.id = k.experience_id where k.key = ?";
    let earlier = |row: &SqliteRow| {
        let (id, is_known) = (id_of(row.try_get(0)?)?, row.try_get(1)?);
        Ok(SubmittedExperience { id, is_known })
    };
    let row = sqlx::query(EARLIER)
        .bind(&idempotency.key)
        .fetch_optional(&mut *write)
        .await?;
    if let Some(row) = row {
        if row.try_get::<&[u8], _>(2)? != idempotency.fingerprint {
            return Err(StoreError::KeyReused);
        }
        return earlier(&row).map(Some);
    }
    let row = sqlx::query(EARLIER)
        .bind(idempotency.unscoped())
        .fetch_optional(write)
        .await?;
    match row {
        Some(row) if row.try_get::<&[u8], _>(2)? == idempotency.fingerprint => {
            earlier(&row).map(Some)
        }
        _ => Ok(None),
    }
}

/// Writes the record itself, at the next `seq`.
async fn insert_row(
    write: &mut SqliteConnection,
    new: &NewExperience,
    hash: &[u8; 32],
) -> Result<()> {
    let seq = next_seq(&mut *write).await?;
    let created_at = new.created_at.as_microsecond();
    sqlx::query(
        "insert into experiences (seq, id, title, problem_description, root_cause, solution, context, \
         keywords, created_at, updated_at, content_hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
    .bind(hash.as_slice())
    .execute(write)
    .await?;
    Ok(())
}

/// Stores the key, and removes some that are past their lifetime.
async fn insert_key(
    write: &mut SqliteConnection,
    key: &IdempotencyKey,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    remove_expired_keys(&mut *write, "idempotency_keys", now).await?;
    sqlx::query("insert into idempotency_keys (key, fingerprint, experience_id, created_at) values (?, ?, ?, ?)")
        .bind(&key.key)
        .bind(key.fingerprint.as_slice())
        .bind(id.to_string())
        .bind(now.as_microsecond())
        .execute(write)
        .await?;
    Ok(())
}

/// Reads visible records by id.
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

/// Reads ids with a prefix, as a range of the index on ids; of all records or of visible ones.
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

/// Reads the index rows, without texts, of records after one `seq` and up to another.
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

/// Reads a record from a row with the columns of [`by_ids`].
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

pub(super) fn content_of(row: &SqliteRow) -> Result<ExperienceContent> {
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
