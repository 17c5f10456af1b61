//! Writes of many experiences, each in one statement.

use std::collections::HashSet;

use jiff::Timestamp;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    ExperienceVector, NewCount, Result, StoredExperience,
    database::columns::{id_of, integer_of, json_of},
    experiences::content_hash::content_hash,
    postgres::{Head, each, take_seqs, text::encoded},
    sql::experiences::ExperienceWrites,
};

impl ExperienceWrites for PgConnection {
    async fn insert_records(
        &mut self,
        model: Option<&str>,
        new: &[&StoredExperience],
    ) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let micros = |time: Option<Timestamp>| time.map(Timestamp::as_microsecond);
        let experiences = each(new, |new| &new.experience);
        let contents = each(new, |new| &new.experience.content);
        let states = each(new, |new| &new.state);
        let before = take_seqs(self, Head::Experiences, new.len()).await?;
        sqlx::query(
            "insert into experiences (seq, id, title, problem_description, root_cause, solution, context, \
             keywords, query_count, popularity, created_at, updated_at, version, changed_at, hidden_at, \
             deleted_at, content_hash, author, applies) \
             select $1 + new.place, new.id, new.title, new.problem, new.cause, new.solution, new.context, \
             new.keywords, new.counted, new.popularity, new.created, new.created, new.version, \
             new.changed, new.hidden, new.deleted, new.hash, new.author, new.applies \
             from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], \
             $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], \
             $14::bigint[], $15::bigint[], $16::bytea[], $17::text[], $18::text[]) with ordinality as new(id, title, \
             problem, cause, solution, context, keywords, counted, popularity, created, version, changed, \
             hidden, deleted, hash, author, applies, place)",
        )
        .bind(before)
        .bind(each(&experiences, |record| record.id.to_string()))
        .bind(each(&contents, |content| encoded(&content.title)))
        .bind(each(&contents, |content| encoded(&content.problem_description)))
        .bind(each(&contents, |content| content.root_cause.as_deref().map(encoded)))
        .bind(each(&contents, |content| encoded(&content.solution)))
        .bind(each(&contents, |content| content.context.as_deref().map(encoded)))
        .bind(each(&contents, |content| json_of(&content.keywords)))
        .bind(each(&experiences, |record| integer_of(record.query_count)))
        .bind(each(&experiences, |record| integer_of(record.popularity)))
        .bind(each(&experiences, |record| record.created_at.as_microsecond()))
        .bind(each(&states, |state| integer_of(state.version)))
        .bind(each(&states, |state| micros(state.changed_at)))
        .bind(each(&states, |state| micros(state.hidden_at)))
        .bind(each(&states, |state| micros(state.deleted_at)))
        .bind(each(&contents, |content| content_hash(content)))
        .bind(each(new, |new| new.author.map(|author| author.to_string())))
        .bind(each(&contents, |content| content.applies.as_deref().map(json_of)))
        .execute(&mut *self)
        .await?;
        match model {
            Some(model) => insert_vectors(self, model, new).await,
            None => Ok(()),
        }
    }

    async fn write_vectors(&mut self, model: &str, vectors: &[ExperienceVector]) -> Result<u64> {
        let new = current(self, model, vectors).await?;
        if new.is_empty() {
            return Ok(0);
        }
        let before = take_seqs(self, Head::Experiences, new.len()).await?;
        let ids = each(&new, |new| new.id.to_string());
        sqlx::query(
            "update experiences e set seq = $1 + new.place \
             from unnest($2::text[]) with ordinality as new(id, place) where e.id = new.id",
        )
        .bind(before)
        .bind(&ids)
        .execute(&mut *self)
        .await?;
        let vectors = each(&new, |new| new.vector.as_slice());
        sqlx::query(
            "insert into experience_vectors (experience_id, model, vector) \
             select new.id, $1, new.vector from unnest($2::text[], $3::bytea[]) as new(id, vector) \
             on conflict (experience_id) do update set model = excluded.model, vector = excluded.vector",
        )
        .bind(model)
        .bind(&ids)
        .bind(vectors)
        .execute(self)
        .await?;
        Ok(new.len() as u64)
    }

    async fn put_hashes(&mut self, hashes: &[(Uuid, [u8; 32])]) -> Result<()> {
        sqlx::query(
            "update experiences e set content_hash = new.hash \
             from unnest($1::text[], $2::bytea[]) as new(id, hash) where e.id = new.id",
        )
        .bind(each(hashes, |(id, _)| id.to_string()))
        .bind(each(hashes, |(_, hash)| hash.as_slice()))
        .execute(self)
        .await?;
        Ok(())
    }

    async fn add_query_counts(&mut self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        // All servers lock rows in the same order, so that they cannot deadlock.
        sqlx::query(
            "with counted as (select id, sum(count)::bigint as count, \
             sum(popularity)::bigint as popularity \
             from unnest($1::text[], $2::bigint[], $3::bigint[]) as c(id, count, popularity) \
             group by id), \
             locked as (select e.id from experiences e join counted c on c.id = e.id \
             order by e.id for update of e) \
             update experiences e set query_count = e.query_count + c.count, \
             popularity = e.popularity + c.popularity, updated_at = $4 \
             from counted c join locked l on l.id = c.id where e.id = c.id",
        )
        .bind(each(counts, |new| new.id.to_string()))
        .bind(each(counts, |new| integer_of(new.count)))
        .bind(each(counts, |new| integer_of(new.popularity)))
        .bind(now.as_microsecond())
        .execute(self)
        .await?;
        Ok(())
    }
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

/// Returns the vectors whose records still have the embedded version and no vector of the model; at most
/// one for each record.
async fn current<'v>(
    transaction: &mut PgConnection,
    model: &str,
    vectors: &'v [ExperienceVector],
) -> Result<Vec<&'v ExperienceVector>> {
    // Meanwhile a record may have been changed or removed, or another server may have stored its vector.
    let ids: Vec<(String,)> = sqlx::query_as(
        "select e.id from unnest($1::text[], $2::bigint[]) as n (id, version) \
         join experiences e on e.id = n.id and e.version = n.version where not exists \
         (select 1 from experience_vectors v where v.experience_id = e.id and v.model = $3)",
    )
    .bind(each(vectors, |new| new.id.to_string()))
    .bind(each(vectors, |new| integer_of(new.version)))
    .bind(model)
    .fetch_all(transaction)
    .await?;
    let ids = ids.iter().map(|(id,)| id_of(id));
    let mut ids = ids.collect::<Result<HashSet<Uuid>>>()?;
    let is_current = |new: &&ExperienceVector| ids.remove(&new.id);
    Ok(vectors.iter().filter(is_current).collect())
}
