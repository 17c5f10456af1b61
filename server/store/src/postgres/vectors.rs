//! Vectors of experiences, and the database's model.

use std::collections::HashSet;

use sqlx::{PgConnection, Row, postgres::PgRow};
use uuid::Uuid;

use super::{Head, experiences::experience_of, lock_head, take_seqs};
use crate::{
    ExperienceVector, Result, StoreError, Unembedded,
    database::columns::{count_of, id_of, integer_of},
};

/// Reads the database's model.
pub(super) async fn model(connection: &mut PgConnection) -> Result<Option<String>> {
    let row = sqlx::query("select value from database_facts where name = 'embedding_model'")
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// Makes a model the database's model if it has none ([`StoreError::OtherModel`] if it has another).
pub(super) async fn claim(transaction: &mut PgConnection, configured: &str) -> Result<()> {
    sqlx::query(
        "insert into database_facts (name, value) values ('embedding_model', $1) \
         on conflict (name) do nothing",
    )
    .bind(configured)
    .execute(&mut *transaction)
    .await?;
    // Written by this server or by one that was faster.
    let stored = model(transaction).await?.unwrap_or_default();
    if stored == configured {
        Ok(())
    } else {
        Err(StoreError::OtherModel {
            stored,
            configured: configured.to_owned(),
        })
    }
}

/// Reads records without a vector of a model, ordered by id.
pub(super) async fn missing(
    connection: &mut PgConnection,
    model: &str,
    after: Uuid,
    limit: u32,
) -> Result<Vec<Unembedded>> {
    let rows = sqlx::query(
        "select id, title, problem_description, root_cause, solution, context, keywords, query_count, \
         popularity, created_at, version from experiences e where id > $1 and not exists \
         (select 1 from experience_vectors v where v.experience_id = e.id and v.model = $2) \
         order by id limit $3",
    )
    .bind(after.to_string())
    .bind(model)
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    let unembedded = |row: &PgRow| {
        Ok(Unembedded {
            experience: experience_of(row)?,
            version: count_of(row.try_get("version")?),
        })
    };
    rows.iter().map(unembedded).collect()
}

/// Counts the records without a vector of a model.
pub(super) async fn count_missing(connection: &mut PgConnection, model: &str) -> Result<u64> {
    let row = sqlx::query(
        "select (select count(*) from experiences) \
         - (select count(*) from experience_vectors where model = $1)",
    )
    .bind(model)
    .fetch_one(connection)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Reads an arbitrary vector of a model.
pub(super) async fn any(connection: &mut PgConnection, model: &str) -> Result<Option<Vec<u8>>> {
    let row = sqlx::query("select vector from experience_vectors where model = $1 limit 1")
        .bind(model)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// Checks, inside a transaction, that a model is still the database's model.
///
/// *Errors*: [`StoreError::ModelReplaced`].
pub(super) async fn check_model(transaction: &mut PgConnection, model: &str) -> Result<()> {
    // The lock keeps other servers from replacing the model before the commit.
    let current = sqlx::query(
        "select 1 from database_facts where name = 'embedding_model' and value = $1 for share",
    )
    .bind(model)
    .fetch_optional(transaction)
    .await?;
    current.map(|_| ()).ok_or(StoreError::ModelReplaced)
}

/// Stores vectors of the database's model for records that have none; returns how many.
pub(super) async fn put(
    transaction: &mut PgConnection,
    model: &str,
    vectors: &[ExperienceVector],
) -> Result<u64> {
    lock_head(transaction, Head::Experiences).await?;
    check_model(transaction, model).await?;
    write(transaction, model, vectors).await
}

/// Replaces all vectors and the model; returns how many vectors were written.
pub(super) async fn replace(
    transaction: &mut PgConnection,
    model: &str,
    vectors: &[ExperienceVector],
) -> Result<u64> {
    lock_head(transaction, Head::Experiences).await?;
    sqlx::query(
        "insert into database_facts (name, value) values ('embedding_model', $1) \
         on conflict (name) do update set value = excluded.value",
    )
    .bind(model)
    .execute(&mut *transaction)
    .await?;
    sqlx::query("delete from experience_vectors")
        .execute(&mut *transaction)
        .await?;
    write(transaction, model, vectors).await
}

/// Returns the vectors whose records still have the embedded version and no vector of the model; at most
/// one for each record.
async fn current<'v>(
    transaction: &mut PgConnection,
    model: &str,
    vectors: &'v [ExperienceVector],
) -> Result<Vec<&'v ExperienceVector>> {
    let ids: Vec<String> = vectors.iter().map(|new| new.id.to_string()).collect();
    let versions: Vec<i64> = vectors.iter().map(|new| integer_of(new.version)).collect();
    // Meanwhile a record may have been changed or removed, or another server may have stored its vector.
    let rows = sqlx::query(
        "select e.id from unnest($1::text[], $2::bigint[]) as n (id, version) \
         join experiences e on e.id = n.id and e.version = n.version where not exists \
         (select 1 from experience_vectors v where v.experience_id = e.id and v.model = $3)",
    )
    .bind(ids)
    .bind(versions)
    .bind(model)
    .fetch_all(transaction)
    .await?;
    let ids = rows.iter().map(|row| id_of(row.try_get(0)?));
    let mut ids = ids.collect::<Result<HashSet<Uuid>>>()?;
    let is_current = |new: &&ExperienceVector| ids.remove(&new.id);
    Ok(vectors.iter().filter(is_current).collect())
}

/// Writes the vectors whose records have not changed, and moves these records to the next `seq`s, so that
/// every index reads them again; returns how many vectors were written.
async fn write(
    transaction: &mut PgConnection,
    model: &str,
    vectors: &[ExperienceVector],
) -> Result<u64> {
    let new = current(&mut *transaction, model, vectors).await?;
    if new.is_empty() {
        return Ok(0);
    }
    let before = take_seqs(&mut *transaction, Head::Experiences, new.len()).await?;
    let ids: Vec<String> = new.iter().map(|new| new.id.to_string()).collect();
    sqlx::query(
        "update experiences e set seq = $1 + new.place \
         from unnest($2::text[]) with ordinality as new(id, place) where e.id = new.id",
    )
    .bind(before)
    .bind(&ids)
    .execute(&mut *transaction)
    .await?;
    let vectors: Vec<&[u8]> = new.iter().map(|new| new.vector.as_slice()).collect();
    sqlx::query(
        "insert into experience_vectors (experience_id, model, vector) \
         select new.id, $1, new.vector from unnest($2::text[], $3::bytea[]) as new(id, vector) \
         on conflict (experience_id) do update set model = excluded.model, vector = excluded.vector",
    )
    .bind(model)
    .bind(&ids)
    .bind(vectors)
    .execute(transaction)
    .await?;
    Ok(new.len() as u64)
}
