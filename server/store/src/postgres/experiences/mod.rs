//! Experience records: insertion in one statement.

pub(crate) mod batches;
mod changes;
mod rows;

use sqlx::{PgConnection, Postgres, postgres::PgArguments, query::Query};

use super::text::encoded;
use crate::{
    IdempotencyKey, NewExperience, Result, SubmittedExperience,
    database::columns::{json_of, rounded_time},
    experiences::{
        content_hash::{HASHED_PER_SUBMIT, content_hash},
        idempotency::{KEPT_KEYS, REMOVED_PER_SUBMIT, expired_before},
    },
    sql::experiences::{by_ids, content_hashes, submissions},
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
            context, keywords, created_at, updated_at, content_hash, author, applies) \
            select seq, $1, $6, $7, $8, $9, $10, $11, $4, $4, $17, $19, $20 from head returning seq), \
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
    let written = bound(INSERT, new, &hash, false);
    if written.fetch_optional(&mut *transaction).await?.is_some() {
        return Ok(SubmittedExperience::new(new.id));
    }
    if let Some(key) = &new.idempotency
        && let Some(earlier) = submissions::earlier(transaction, key).await?
    {
        return Ok(earlier);
    }
    if is_stored(&mut *transaction, new).await? {
        return Ok(SubmittedExperience::new(new.id));
    }
    content_hashes::hash_next(transaction, HASHED_PER_SUBMIT).await?;
    if let Some(id) = content_hashes::record_with(transaction, &hash).await? {
        if let Some(key) = &new.idempotency {
            submissions::insert_key(transaction, key, id, new.created_at).await?;
        }
        return Ok(SubmittedExperience { id, is_known: true });
    }
    let written = bound(INSERT, new, &hash, true);
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
    const INSERT: &str = concat!(insert!(), "select seq, pg_notify($21, $22) from record");
    let hash = content_hash(&new.content);
    let insert = bound(INSERT, new, &hash, false);
    let insert = insert.bind(channel).bind(server);
    Ok(insert.fetch_optional(connection).await?.is_some())
}

/// Binds everything but the parameters of the notification.
fn bound(
    insert: &'static str,
    new: &NewExperience,
    hash: &[u8; 32],
    may_lack_hashes: bool,
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
        .bind(json_of(&content.keywords))
        .bind(vector.map(|(model, _)| model))
        .bind(vector.map(|(_, vector)| vector))
        .bind(key.and_then(IdempotencyKey::unscoped).map(encoded))
        .bind(i64::from(KEPT_KEYS))
        .bind(i64::from(REMOVED_PER_SUBMIT))
        .bind(hash.as_slice())
        .bind(may_lack_hashes)
        .bind(new.author.map(|author| author.to_string()))
        .bind(content.applies.as_deref().map(json_of))
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
