//! Vectors of experiences.

use sqlx::FromRow;
use uuid::Uuid;

use super::ExperienceWrites;
use crate::{
    Experience, ExperienceVector, Result, Unembedded,
    database::columns::count_of,
    sql::{
        Columns, Family, SqlConnection,
        models::{self, check_model},
        query,
    },
};

/// Reads records without a vector of a model, ordered by id.
pub(crate) async fn missing(
    connection: &mut impl SqlConnection,
    model: &str,
    after: Uuid,
    limit: u32,
) -> Result<Vec<Unembedded>> {
    query(
        "select id, title, problem_description, root_cause, solution, context, keywords, applies, query_count, \
         popularity, created_at, version from experiences e where id > $1 and not exists \
         (select 1 from experience_vectors v where v.experience_id = e.id and v.model = $2) \
         order by id limit $3",
    )
    .bind(after)
    .bind(model)
    .bind(limit)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for Unembedded {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            experience: Experience::from_row(row)?,
            version: count_of(row.read("version")?),
        })
    }
}

/// Counts the records without a vector of a model.
pub(crate) async fn count_missing(connection: &mut impl SqlConnection, model: &str) -> Result<u64> {
    query(
        "select (select count(*) from experiences) \
         - (select count(*) from experience_vectors where model = $1)",
    )
    .bind(model)
    .fetch_count(connection)
    .await
}

/// Reads an arbitrary vector of a model.
pub(crate) async fn any(
    connection: &mut impl SqlConnection,
    model: &str,
) -> Result<Option<Vec<u8>>> {
    let vector: Option<(Vec<u8>,)> =
        query("select vector from experience_vectors where model = $1 limit 1")
            .bind(model)
            .fetch_optional(connection)
            .await?;
    Ok(vector.map(|(vector,)| vector))
}

/// Stores vectors of the database's model for records that have none; returns how many.
pub(crate) async fn put(
    connection: &mut impl ExperienceWrites,
    model: &str,
    vectors: &[ExperienceVector],
) -> Result<u64> {
    connection.lock_family(Family::Experiences).await?;
    check_model(connection, model).await?;
    connection.write_vectors(model, vectors).await
}

/// Replaces all vectors and the model; returns how many vectors were written.
pub(crate) async fn replace(
    connection: &mut impl ExperienceWrites,
    model: &str,
    vectors: &[ExperienceVector],
) -> Result<u64> {
    connection.lock_family(Family::Experiences).await?;
    models::replace(connection, model).await?;
    query("delete from experience_vectors")
        .execute(connection)
        .await?;
    connection.write_vectors(model, vectors).await
}
