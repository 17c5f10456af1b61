//! Vectors of experiences, and the database's model.

use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use uuid::Uuid;

use super::{experiences::experience_of, next_seq};
use crate::{
    ExperienceVector, Result, StoreError, Unembedded,
    database::columns::{count_of, integer_of},
};

/// Reads the database's model.
pub(super) async fn model(readers: &SqlitePool) -> Result<Option<String>> {
    let row = sqlx::query("select value from database_facts where name = 'embedding_model'")
        .fetch_optional(readers)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// Makes a model the database's model if it has none; returns the database's model.
pub(super) async fn claim(write: &mut SqliteConnection, model: &str) -> Result<String> {
    let row = sqlx::query(
        "insert into database_facts (name, value) values ('embedding_model', ?) \
         on conflict (name) do update set value = value returning value",
    )
    .bind(model)
    .fetch_one(write)
    .await?;
    Ok(row.try_get(0)?)
}

/// Reads records without a vector of a model, ordered by id.
pub(super) async fn missing(
    readers: &SqlitePool,
    model: &str,
    after: Uuid,
    limit: u32,
) -> Result<Vec<Unembedded>> {
    let rows = sqlx::query(
        "select id, title, problem_description, root_cause, solution, context, keywords, query_count, \
         popularity, created_at, version from experiences e where id > ? and not exists \
         (select 1 from experience_vectors v where v.experience_id = e.id and v.model = ?) \
         order by id limit ?",
    )
    .bind(after.to_string())
    .bind(model)
    .bind(limit)
    .fetch_all(readers)
    .await?;
    let unembedded = |row: &SqliteRow| {
        Ok(Unembedded {
            experience: experience_of(row)?,
            version: count_of(row.try_get("version")?),
        })
    };
    rows.iter().map(unembedded).collect()
}

/// Counts the records without a vector of a model.
pub(super) async fn count_missing(readers: &SqlitePool, model: &str) -> Result<u64> {
    let row = sqlx::query(
        "select (select count(*) from experiences) \
         - (select count(*) from experience_vectors where model = ?)",
    )
    .bind(model)
    .fetch_one(readers)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Reads an arbitrary vector of a model.
pub(super) async fn any(readers: &SqlitePool, model: &str) -> Result<Option<Vec<u8>>> {
    let row = sqlx::query("select vector from experience_vectors where model = ? limit 1")
        .bind(model)
        .fetch_optional(readers)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// Checks, inside a write transaction, that a model is still the database's model.
///
/// *Errors*: [`StoreError::ModelReplaced`].
pub(super) async fn check_model(write: &mut SqliteConnection, model: &str) -> Result<()> {
    let current =
        sqlx::query("select 1 from database_facts where name = 'embedding_model' and value = ?")
            .bind(model)
            .fetch_optional(write)
            .await?;
    current.map(|_| ()).ok_or(StoreError::ModelReplaced)
}

/// Stores vectors of the database's model for records that have none; returns how many.
pub(super) async fn put(
    write: &mut SqliteConnection,
    model: &str,
    vectors: &[ExperienceVector],
) -> Result<u64> {
    check_model(&mut *write, model).await?;
    write_vectors(write, model, vectors).await
}

/// Replaces all vectors and the model; returns how many vectors were written.
pub(super) async fn replace(
    write: &mut SqliteConnection,
    model: &str,
    vectors: &[ExperienceVector],
) -> Result<u64> {
    sqlx::query("delete from experience_vectors")
        .execute(&mut *write)
        .await?;
    sqlx::query(
        "insert into database_facts (name, value) values ('embedding_model', ?) \
         on conflict (name) do update set value = excluded.value",
    )
    .bind(model)
    .execute(&mut *write)
    .await?;
    write_vectors(write, model, vectors).await
}

/// Writes the vectors whose records still have the embedded version and no vector of the model; returns
/// how many were written.
async fn write_vectors(
    write: &mut SqliteConnection,
    model: &str,
    vectors: &[ExperienceVector],
) -> Result<u64> {
    let mut written = 0;
    for new in vectors {
        // Meanwhile the record may have been changed or removed, or another process may have stored its
        // vector.
        let needs_vector = sqlx::query(
            "select 1 from experiences e where id = ? and version = ? and not exists \
             (select 1 from experience_vectors v where v.experience_id = e.id and v.model = ?)",
        )
        .bind(new.id.to_string())
        .bind(integer_of(new.version))
        .bind(model)
        .fetch_optional(&mut *write)
        .await?;
        if needs_vector.is_some() {
            write_vector(&mut *write, model, new).await?;
            written += 1;
        }
    }
    Ok(written)
}

/// Writes one vector and moves its record to the next `seq`, so that every index reads it again.
async fn write_vector(
    write: &mut SqliteConnection,
    model: &str,
    new: &ExperienceVector,
) -> Result<()> {
    let seq = next_seq(&mut *write).await?;
    let id = new.id.to_string();
    sqlx::query("update experiences set seq = ? where id = ?")
        .bind(seq)
        .bind(&id)
        .execute(&mut *write)
        .await?;
    sqlx::query(
        "insert into experience_vectors (experience_id, model, vector) values (?, ?, ?) \
         on conflict (experience_id) do update set model = excluded.model, vector = excluded.vector",
    )
    .bind(&id)
    .bind(model)
    .bind(&new.vector)
    .execute(write)
    .await?;
    Ok(())
}
