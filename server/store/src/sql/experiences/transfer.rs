//! Export and import of complete records: read in the order of their ids, stored unchanged.

use std::collections::HashMap;

use sqlx::FromRow;
use uuid::Uuid;

use super::{ExperienceWrites, by_ids};
use crate::{
    Experience, ExperienceState, Import, Result, StoredExperience,
    database::columns::{id_of, integer_of},
    sql::{Columns, Family, SqlConnection, query},
};

/// Counts the visible records up to a `seq`.
pub(crate) async fn count(connection: &mut impl SqlConnection, up_to: u64) -> Result<u64> {
    query(
        "select count(*) from experiences where seq <= $1 \
         and hidden_at is null and deleted_at is null",
    )
    .bind(integer_of(up_to))
    .fetch_count(connection)
    .await
}

/// Selects what [`StoredExperience`] is read from, up to the model of the vectors.
macro_rules! select_stored {
    () => {
        "select e.id, e.title, e.problem_description, e.root_cause, e.solution, e.context, \
         e.keywords, e.applies, e.query_count, e.popularity, e.created_at, e.version, e.changed_at, e.hidden_at, \
         e.deleted_at, e.author, v.vector from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = "
    };
}

/// Reads records with their vectors, ordered by id.
pub(crate) async fn by_page(
    connection: &mut impl SqlConnection,
    after: Uuid,
    model: Option<&str>,
    limit: u32,
) -> Result<Vec<StoredExperience>> {
    query(concat!(
        select_stored!(),
        "$1 where e.id > $2 order by e.id limit $3"
    ))
    .bind(model)
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads a record with its vector of the database's model.
pub(crate) async fn by_id(
    connection: &mut impl SqlConnection,
    id: Uuid,
) -> Result<Option<StoredExperience>> {
    query(concat!(
        select_stored!(),
        "(select value from database_facts where name = 'embedding_model') where e.id = $1"
    ))
    .bind(id)
    .fetch_optional(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for StoredExperience {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            experience: Experience::from_row(row)?,
            state: ExperienceState::from_row(row)?,
            vector: row.read("vector")?,
            author: row.read::<Option<&str>>("author")?.map(id_of).transpose()?,
        })
    }
}

/// Stores the records whose ids are new.
pub(crate) async fn import(
    connection: &mut impl ExperienceWrites,
    model: Option<&str>,
    records: &[StoredExperience],
) -> Result<Vec<Import>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    // The lock keeps others from storing records, so an id that is new now stays new.
    connection.lock_family(Family::Experiences).await?;
    let ids: Vec<Uuid> = records.iter().map(|record| record.experience.id).collect();
    let existing = by_ids(connection, &ids).await?;
    let mut known: HashMap<Uuid, Experience> = existing
        .into_iter()
        .map(|record| (record.id, record))
        .collect();
    let mut new = Vec::new();
    let mut imports = Vec::with_capacity(records.len());
    for record in records {
        match known.get(&record.experience.id) {
            Some(existing) => imports.push(Import::Existing(Box::new(existing.clone()))),
            None => {
                // A second record with the same id is then recognised as existing.
                known.insert(record.experience.id, record.experience.clone());
                new.push(record);
                imports.push(Import::Stored);
            }
        }
    }
    connection.insert_records(model, &new).await?;
    Ok(imports)
}
