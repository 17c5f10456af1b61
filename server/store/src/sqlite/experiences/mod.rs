//! Experience records: insertion.

pub(crate) mod batches;
mod changes;
mod rows;

use sqlx::SqliteConnection;

use crate::{
    NewExperience, Result, SubmittedExperience,
    database::columns::json_of,
    experiences::content_hash::{HASHED_PER_SUBMIT, content_hash},
    sql::{
        Family, SqlConnection,
        experiences::{content_hashes, submissions},
        idempotency::remove_expired_keys,
        query,
    },
};

/// Writes a record, its vector and its idempotency key inside a write transaction. If the key is refused,
/// nothing was written; if a visible record has the same content, only the key is stored.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    new: &NewExperience,
) -> Result<SubmittedExperience> {
    if let Some(key) = &new.idempotency
        && let Some(earlier) = submissions::earlier(write, key).await?
    {
        return Ok(earlier);
    }
    let hash = content_hash(&new.content);
    content_hashes::hash_next(write, HASHED_PER_SUBMIT).await?;
    let known = content_hashes::record_with(write, &hash).await?;
    if known.is_none() {
        insert_row(write, new, &hash).await?;
        insert_vector(write, new).await?;
    }
    let id = known.unwrap_or(new.id);
    if let Some(key) = &new.idempotency {
        remove_expired_keys(write, "idempotency_keys", new.created_at).await?;
        submissions::insert_key(write, key, id, new.created_at).await?;
    }
    let is_known = known.is_some();
    Ok(SubmittedExperience { id, is_known })
}

/// Writes the record itself, at the next `seq`.
async fn insert_row(
    write: &mut SqliteConnection,
    new: &NewExperience,
    hash: &[u8; 32],
) -> Result<()> {
    let before = write.take_seqs(Family::Experiences, 1).await?;
    query(
        "insert into experiences (seq, id, title, problem_description, root_cause, solution, context, \
         keywords, created_at, updated_at, content_hash, author, applies) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12)",
    )
    .bind(before + 1)
    .bind(new.id)
    .bind(&new.content.title)
    .bind(&new.content.problem_description)
    .bind(&new.content.root_cause)
    .bind(&new.content.solution)
    .bind(&new.content.context)
    .bind(json_of(&new.content.keywords))
    .bind(new.created_at)
    .bind(hash)
    .bind(new.author.map(|author| author.to_string()))
    .bind(new.content.applies.as_deref().map(json_of))
    .execute(write)
    .await?;
    Ok(())
}

async fn insert_vector(write: &mut SqliteConnection, new: &NewExperience) -> Result<()> {
    if let Some((model, vector)) = &new.vector {
        query("insert into experience_vectors (experience_id, model, vector) values ($1, $2, $3)")
            .bind(new.id)
            .bind(model)
            .bind(vector.as_slice())
            .execute(write)
            .await?;
    }
    Ok(())
}
