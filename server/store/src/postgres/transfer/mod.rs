//! Export and import of complete records: read in the order of their ids, stored unchanged.

pub(crate) mod moving;

use std::collections::HashMap;

use jiff::Timestamp;
use sqlx::{PgConnection, Row, postgres::PgRow};
use uuid::Uuid;

use super::{
    Head,
    experiences::{by_ids, experience_of},
    lock_head, take_seqs,
    text::encoded,
};
use crate::{
    Experience, ExperienceState, Import, Result, StoredExperience,
    database::columns::{count_of, integer_of},
    experiences::content_hash::content_hash,
    postgres::experiences::changes::state_of,
};

/// Counts the visible records up to a `seq`.
pub(super) async fn count(connection: &mut PgConnection, up_to: u64) -> Result<u64> {
    let row = sqlx::query(
        "select count(*) from experiences where seq <= $1 \
         and hidden_at is null and deleted_at is null",
    )
    .bind(integer_of(up_to))
    .fetch_one(connection)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Reads records with their vectors, ordered by id.
pub(super) async fn by_id(
    connection: &mut PgConnection,
    after: Uuid,
    model: Option<&str>,
    limit: u32,
) -> Result<Vec<StoredExperience>> {
    let rows = sqlx::query(
        "select e.id, e.title, e.problem_description, e.root_cause, e.solution, e.context, \
         e.keywords, e.query_count, e.popularity, e.created_at, e.version, e.changed_at, e.hidden_at, \
         e.deleted_at, v.vector from experiences e \
         left join experience_vectors v on v.experience_id = e.id and v.model = $1 \
         where e.id > $2 order by e.id limit $3",
    )
    .bind(model)
    .bind(after.to_string())
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(stored_of).collect()
}

/// Reads a record with its state and vector from a row with the columns of [`by_id`].
pub(super) fn stored_of(row: &PgRow) -> Result<StoredExperience> {
    Ok(StoredExperience {
        experience: experience_of(row)?,
        state: state_of(row)?,
        vector: row.try_get("vector")?,
    })
}

/// Stores the records whose ids are new.
pub(super) async fn import(
    transaction: &mut PgConnection,
    model: Option<&str>,
    records: &[StoredExperience],
) -> Result<Vec<Import>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    // The lock keeps others from storing records, so an id that is new now stays new.
    lock_head(transaction, Head::Experiences).await?;
    let ids: Vec<Uuid> = records.iter().map(|record| record.experience.id).collect();
    let existing = by_ids(transaction, &ids).await?;
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
    insert(transaction, &new).await?;
    if let Some(model) = model {
        insert_vectors(transaction, model, &new).await?;
    }
    Ok(imports)
}

/// Writes records at the next `seq`s.
async fn insert(transaction: &mut PgConnection, new: &[&StoredExperience]) -> Result<()> {
    let before = take_seqs(&mut *transaction, Head::Experiences, new.len()).await?;
    let records = || new.iter().map(|record| &record.experience);
    let texts = |text: fn(&Experience) -> &str| -> Vec<String> {
        records()
            .map(|record| encoded(text(record)).into_owned())
            .collect()
    };
    let optional = |text: fn(&Experience) -> Option<&str>| -> Vec<Option<String>> {
        let texts = records().map(text);
        texts
            .map(|text| text.map(|text| encoded(text).into_owned()))
            .collect()
    };
    let keywords: Vec<String> = records()
        .map(|record| serde_json::Value::from(record.content.keywords.clone()).to_string())
        .collect();
    let numbers = |number: fn(&Experience) -> u64| -> Vec<i64> {
        records().map(|record| integer_of(number(record))).collect()
    };
    let times: Vec<i64> = records()
        .map(|record| record.created_at.as_microsecond())
        .collect();
    let state_times = |time: fn(&ExperienceState) -> Option<Timestamp>| -> Vec<Option<i64>> {
        let times = new.iter().map(|record| time(&record.state));
        times
            .map(|time| time.map(Timestamp::as_microsecond))
            .collect()
    };
    sqlx::query(
        "insert into experiences (seq, id, title, problem_description, root_cause, solution, context, \
         keywords, query_count, popularity, created_at, updated_at, version, changed_at, hidden_at, \
         deleted_at, content_hash) \
         select $1 + new.place, new.id, new.title, new.problem, new.cause, new.solution, new.context, \
         new.keywords, new.counted, new.popularity, new.created, new.created, new.version, \
         new.changed, new.hidden, new.deleted, new.hash \
         from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], \
         $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], \
         $14::bigint[], $15::bigint[], $16::bytea[]) with ordinality as new(id, title, problem, cause, \
         solution, context, keywords, counted, popularity, created, version, changed, hidden, deleted, \
         hash, place)",
    )
    .bind(before)
    .bind(records().map(|record| record.id.to_string()).collect::<Vec<_>>())
    .bind(texts(|record| &record.content.title))
    .bind(texts(|record| &record.content.problem_description))
    .bind(optional(|record| record.content.root_cause.as_deref()))
    .bind(texts(|record| &record.content.solution))
    .bind(optional(|record| record.content.context.as_deref()))
    .bind(keywords)
    .bind(numbers(|record| record.query_count))
    .bind(numbers(|record| record.popularity))
    .bind(times)
    .bind(new.iter().map(|record| integer_of(record.state.version)).collect::<Vec<_>>())
    .bind(state_times(|state| state.changed_at))
    .bind(state_times(|state| state.hidden_at))
    .bind(state_times(|state| state.deleted_at))
    .bind(records().map(|record| content_hash(&record.content)).collect::<Vec<_>>())
    .execute(transaction)
    .await?;
    Ok(())
}

async fn insert_vectors(
    transaction: &mut PgConnection,
    model: &str,
    new: &[&StoredExperience],
) -> Result<()> {
    let with_vectors = new.iter().filter_map(|record| {
        let vector = record.vector.as_deref()?;
        Some((record.experience.id.to_string(), vector))
    });
    let (ids, vectors): (Vec<String>, Vec<&[u8]>) = with_vectors.unzip();
    sqlx::query(
        "insert into experience_vectors (experience_id, model, vector) \
         select new.id, $1, new.vector from unnest($2::text[], $3::bytea[]) as new(id, vector)",
    )
    .bind(model)
    .bind(ids)
    .bind(vectors)
    .execute(transaction)
    .await?;
    Ok(())
}
