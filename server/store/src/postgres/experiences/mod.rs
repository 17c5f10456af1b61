//! Experience records: insert, read by id, read in commit order.

pub(crate) mod batches;
pub(crate) mod changes;
pub(crate) mod content_hashes;
pub(crate) mod counts;

use sqlx::{
    PgConnection, Postgres, Row,
    postgres::{PgArguments, PgRow},
    query::Query,
};
use uuid::Uuid;

use super::text::{decoded, encoded};
use crate::{
    Experience, ExperienceContent, IdempotencyKey, IndexRow, IndexedExperience, NewExperience,
    Result, StoreError, SubmittedExperience,
    database::columns::{count_of, damaged, id_of, integer_of, rounded_time, timestamp_of},
    experiences::{
        content_hash::{HASHED_PER_SUBMIT, content_hash},
        idempotency::{KEPT_KEYS, REMOVED_PER_SUBMIT, expired_before},
    },
};

/// One statement, so that a submission is one round trip. It locks the head, then writes the key (if
/// there is one), the next `seq`, the record and its vector, and deletes some keys past their lifetime, so
/// that the table stays bounded. It writes nothing if the id or the key exists already, if a visible record
/// has the same content, or, unless `$18` is true, if records without a content hash may exist.
/// `on conflict` and `experience_with_hash` also see what was committed while the statement waited.
macro_rules! insert {
    () => {
        "with alone as (\
            select hashed >= seq as is_hashed from heads where family = 'experiences' for update), \
         known as materialized (select experience_with_hash($17) as id from alone), \
         fresh as (\
            select 1 from alone where (is_hashed or $18) \
            and not exists (select 1 from experiences where id = $1) \
            and not exists (select 1 from known where id is not null) \
            and not exists (\
                select 1 from idempotency_keys where key = $14 and fingerprint = $3)), \
         key as (\
            insert into idempotency_keys (key, fingerprint, experience_id, created_at) \
            select $2, $3, $1, $4 from fresh where $2::text is not null \
            on conflict (key) do nothing returning 1), \
         go as (select 1 from fresh where $2::text is null or exists (select 1 from key)), \
         head as (\
            update heads set hashed = case when hashed >= seq then seq + 1 else hashed end, \
            seq = seq + 1 from go where family = 'experiences' returning seq), \
         record as (\
            insert into experiences (seq, id, title, problem_description, root_cause, solution, \
            context, keywords, created_at, updated_at, content_hash) \
            select seq, $1, $6, $7, $8, $9, $10, $11, $4, $4, $17 from head returning seq), \
         embedding as (\
            insert into experience_vectors (experience_id, model, vector) \
            select $1, $12, $13 from record where $12::text is not null), \
         forgotten as (\
            delete from idempotency_keys where key in (\
                select key from idempotency_keys \
                where $2::text is not null and created_at < $5 and key not in ($2, coalesce($14, $2)) \
                and created_at < (\
                    select created_at from idempotency_keys \
                    order by created_at desc limit 1 offset $15) \
                order by created_at limit $16 for update skip locked)) "
    };
}

/// Writes a record, its vector and its idempotency key inside a transaction that has locked the head. If
/// a visible record has the same content, writes only the key.
pub(super) async fn insert(
    transaction: &mut PgConnection,
    new: &NewExperience,
) -> Result<SubmittedExperience> {
    const INSERT: &str = concat!(insert!(), "select seq from record");
    let hash = content_hash(&new.content);
    let written = bound(INSERT, new, &hash).bind(false);
    if written.fetch_optional(&mut *transaction).await?.is_some() {
        return Ok(SubmittedExperience::new(new.id));
    }
    if let Some(key) = &new.idempotency
        && let Some(earlier) = earlier_submission(&mut *transaction, key).await?
    {
        return Ok(earlier);
    }
    if is_stored(&mut *transaction, new).await? {
        return Ok(SubmittedExperience::new(new.id));
    }
    content_hashes::hash_next(&mut *transaction, HASHED_PER_SUBMIT).await?;
    if let Some(id) = content_hashes::record_with(&mut *transaction, &hash).await? {
        insert_key(transaction, new, id).await?;
        return Ok(SubmittedExperience { id, is_known: true });
    }
    let written = bound(INSERT, new, &hash).bind(true);
    written.fetch_one(transaction).await?;
    Ok(SubmittedExperience::new(new.id))
}

/// Writes a new record in one statement without a transaction, and notifies the listeners of a channel;
/// `false` if nothing was written, because the submission needs more than one statement.
pub(super) async fn insert_single(
    connection: &mut PgConnection,
    new: &NewExperience,
    (channel, server): (&str, &str),
) -> Result<bool> {
    const INSERT: &str = concat!(insert!(), "select seq, pg_notify($19, $20) from record");
    let hash = content_hash(&new.content);
    let insert = bound(INSERT, new, &hash).bind(false);
    let insert = insert.bind(channel).bind(server);
    Ok(insert.fetch_optional(connection).await?.is_some())
}

/// Binds everything but the last parameters.
fn bound(
    insert: &'static str,
    new: &NewExperience,
    hash: &[u8; 32],
) -> Query<'static, Postgres, PgArguments> {
    let content = &new.content;
    let key = new.idempotency.as_ref();
    let vector = new.vector.as_ref();
    sqlx::query(insert)
        .bind(new.id.to_string())
        .bind(key.map(|key| encoded(&key.key)))
        .bind(key.map(|key| key.fingerprint.as_slice()))
        .bind(new.created_at.as_microsecond())
        .bind(expired_before(new.created_at))
        .bind(encoded(&content.title))
        .bind(encoded(&content.problem_description))
        .bind(content.root_cause.as_deref().map(encoded))
        .bind(encoded(&content.solution))
        .bind(content.context.as_deref().map(encoded))
        .bind(serde_json::Value::from(content.keywords.clone()).to_string())
        .bind(vector.map(|(model, _)| model))
        .bind(vector.map(|(_, vector)| vector))
        .bind(key.and_then(IdempotencyKey::unscoped).map(encoded))
        .bind(i64::from(KEPT_KEYS))
        .bind(i64::from(REMOVED_PER_SUBMIT))
        .bind(hash.as_slice())
}

/// Returns the record that was stored under a key, if there is one. If the key has the same creation time
/// as the record, its submission stored the record; otherwise the record was known before.
async fn earlier_submission(
    transaction: &mut PgConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<SubmittedExperience>> {
    const EARLIER: &str = "select k.experience_id, k.created_at <> e.created_at, k.fingerprint \
        from idempotency_keys k join experiences e on e.id = k.experience_id where k.key = $1";
    let earlier = |row: &PgRow| {
        let (id, is_known) = (id_of(row.try_get(0)?)?, row.try_get(1)?);
        Ok(SubmittedExperience { id, is_known })
    };
    let row = sqlx::query(EARLIER)
        .bind(encoded(&idempotency.key))
        .fetch_optional(&mut *transaction)
        .await?;
    if let Some(row) = row {
        if row.try_get::<&[u8], _>(2)? != idempotency.fingerprint {
            return Err(StoreError::KeyReused);
        }
        return earlier(&row).map(Some);
    }
    let row = sqlx::query(EARLIER)
        .bind(idempotency.unscoped().map(encoded))
        .fetch_optional(transaction)
        .await?;
    match row {
        Some(row) if row.try_get::<&[u8], _>(2)? == idempotency.fingerprint => {
            earlier(&row).map(Some)
        }
        _ => Ok(None),
    }
}

/// Stores the key of a submission whose content a stored record already has.
async fn insert_key(transaction: &mut PgConnection, new: &NewExperience, id: Uuid) -> Result<()> {
    let Some(key) = &new.idempotency else {
        return Ok(());
    };
    sqlx::query(
        "insert into idempotency_keys (key, fingerprint, experience_id, created_at) \
         values ($1, $2, $3, $4)",
    )
    .bind(encoded(&key.key))
    .bind(key.fingerprint.as_slice())
    .bind(id.to_string())
    .bind(new.created_at.as_microsecond())
    .execute(transaction)
    .await?;
    Ok(())
}

/// Whether the record is stored already: by an earlier attempt whose commit succeeded although its
/// answer was lost.
async fn is_stored(transaction: &mut PgConnection, new: &NewExperience) -> Result<bool> {
    let stored = by_ids(transaction, &[new.id]).await?;
    match stored.first() {
        None => Ok(false),
        Some(record)
            if record.content == new.content
                && record.created_at == rounded_time(new.created_at) =>
        {
            Ok(true)
        }
        Some(_) => {
            let message = format!("the id {} belongs to another record", new.id);
            Err(sqlx::Error::InvalidArgument(message).into())
        }
    }
}

/// Reads the `seq` of the last write and the number of visible records in one statement.
pub(super) async fn head_and_size(connection: &mut PgConnection) -> Result<(u64, u64)> {
    let row = sqlx::query(
        "select (select seq from heads where family = 'experiences'), \
         (select count(*) from experiences where hidden_at is null and deleted_at is null)",
    )
    .fetch_one(connection)
    .await?;
    Ok((count_of(row.try_get(0)?), count_of(row.try_get(1)?)))
}

/// Reads records by id, including hidden and deleted ones.
pub(super) async fn by_ids(connection: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Experience>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    let rows = sqlx::query(
        "select id, title, problem_description, root_cause, solution, context, keywords, query_count, \
         popularity, created_at from experiences where id = any($1)",
    )
    .bind(ids)
    .fetch_all(connection)
    .await?;
    rows.iter().map(experience_of).collect()
}

/// Reads visible records by id.
///
/// The condition is deliberately not written as in the partial indexes for lists: as long as the table is
/// not analysed, the planner would scan such an index completely instead of looking up ids.
pub(super) async fn visible(
    connection: &mut PgConnection,
    ids: &[Uuid],
) -> Result<Vec<Experience>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    let rows = sqlx::query(
        "select id, title, problem_description, root_cause, solution, context, keywords, query_count, \
         popularity, created_at from experiences where id = any($1) and coalesce(hidden_at, deleted_at) is null",
    )
    .bind(ids)
    .fetch_all(connection)
    .await?;
    rows.iter().map(experience_of).collect()
}

/// Reads ids with a prefix, as a range of the index on ids; of all records or of visible ones.
pub(super) async fn with_prefix(
    connection: &mut PgConnection,
    prefix: &str,
    (limit, all): (u32, bool),
) -> Result<Vec<Uuid>> {
    // Every character of an id comes before `~`.
    let rows = sqlx::query(
        "select id from experiences where id >= $1 and id < $2 \
             and ($3 or coalesce(hidden_at, deleted_at) is null) order by id limit $4",
    )
    .bind(encoded(prefix))
    .bind(format!("{}~", encoded(prefix)))
    .bind(all)
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| id_of(row.try_get(0)?)).collect()
}

/// Reads records in commit order.
pub(super) async fn after(
    connection: &mut PgConnection,
    seq: u64,
    limit: u32,
) -> Result<Vec<IndexedExperience>> {
    let rows = sqlx::query(
        "select e.seq, e.id, e.title, e.problem_description, e.root_cause, e.solution, e.context, e.keywords, \
         e.query_count, e.popularity, e.created_at, v.vector, \
         (e.hidden_at is not null or e.deleted_at is not null) as is_gone from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > $1 order by e.seq limit $2",
    )
    .bind(integer_of(seq))
    .bind(i64::from(limit))
    .fetch_all(connection)
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
    connection: &mut PgConnection,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>> {
    let rows = sqlx::query(
        "select e.seq, e.id, e.query_count, e.popularity, e.created_at, v.vector, \
         (e.hidden_at is not null or e.deleted_at is not null) as is_gone from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > $1 and e.seq <= $2 order by e.seq limit $3",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(index_row_of).collect()
}

/// Reads a record from a row with the columns of [`by_ids`].
pub(super) fn experience_of(row: &PgRow) -> Result<Experience> {
    let id: &str = row.try_get("id")?;
    Ok(Experience {
        id: id_of(id)?,
        content: content_of(row)?,
        query_count: count_of(row.try_get("query_count")?),
        popularity: count_of(row.try_get("popularity")?),
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
    })
}

pub(super) fn content_of(row: &PgRow) -> Result<ExperienceContent> {
    let root_cause: Option<String> = row.try_get("root_cause")?;
    let context: Option<String> = row.try_get("context")?;
    Ok(ExperienceContent {
        title: decoded(row.try_get("title")?),
        problem_description: decoded(row.try_get("problem_description")?),
        root_cause: root_cause.map(decoded),
        solution: decoded(row.try_get("solution")?),
        context: context.map(decoded),
        keywords: keywords_of(row)?,
    })
}

pub(super) fn keywords_of(row: &PgRow) -> Result<Vec<String>> {
    let keywords: &str = row.try_get("keywords")?;
    match serde_json::from_str(keywords) {
        Ok(keywords) => Ok(keywords),
        Err(_) => Err(damaged("keywords", row.try_get("id")?)),
    }
}

/// Reads an index row from a row with the columns of [`index_rows`].
pub(super) fn index_row_of(row: &PgRow) -> Result<IndexRow> {
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
