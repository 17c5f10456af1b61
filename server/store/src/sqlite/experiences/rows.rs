//! Writes of many experiences, one after the other.

use jiff::Timestamp;
use sqlx::SqliteConnection;
use uuid::Uuid;

use crate::{
    ExperienceVector, NewCount, Result, StoredExperience,
    database::columns::{integer_of, json_of},
    experiences::content_hash::content_hash,
    sql::{Family, SqlConnection, experiences::ExperienceWrites, query},
};

impl ExperienceWrites for SqliteConnection {
    async fn insert_records(
        &mut self,
        model: Option<&str>,
        new: &[&StoredExperience],
    ) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let before = self.take_seqs(Family::Experiences, new.len()).await?;
        for (seq, new) in (before + 1..).zip(new) {
            insert_record(self, seq, new).await?;
            if let (Some(model), Some(vector)) = (model, &new.vector) {
                put_vector(self, new.experience.id, model, vector).await?;
            }
        }
        Ok(())
    }

    async fn write_vectors(&mut self, model: &str, vectors: &[ExperienceVector]) -> Result<u64> {
        let mut written = 0;
        for new in vectors {
            // Meanwhile the record may have been changed or removed, or another process may have stored its
            // vector.
            let needs_vector: Option<(i32,)> = query(
                "select 1 from experiences e where id = $1 and version = $2 and not exists \
                 (select 1 from experience_vectors v where v.experience_id = e.id and v.model = $3)",
            )
            .bind(new.id)
            .bind(integer_of(new.version))
            .bind(model)
            .fetch_optional(self)
            .await?;
            if needs_vector.is_some() {
                let before = self.take_seqs(Family::Experiences, 1).await?;
                query("update experiences set seq = $1 where id = $2")
                    .bind(before + 1)
                    .bind(new.id)
                    .execute(self)
                    .await?;
                put_vector(self, new.id, model, &new.vector).await?;
                written += 1;
            }
        }
        Ok(written)
    }

    async fn put_hashes(&mut self, hashes: &[(Uuid, [u8; 32])]) -> Result<()> {
        for (id, hash) in hashes {
            query("update experiences set content_hash = $1 where id = $2")
                .bind(hash)
                .bind(*id)
                .execute(self)
                .await?;
        }
        Ok(())
    }

    async fn add_query_counts(&mut self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        for new in counts {
            query(
                "update experiences set query_count = query_count + $1, popularity = popularity + $2, \
                 updated_at = $3 where id = $4",
            )
            .bind(integer_of(new.count))
            .bind(integer_of(new.popularity))
            .bind(now)
            .bind(new.id)
            .execute(self)
            .await?;
        }
        Ok(())
    }
}

/// Writes a record at a `seq`.
async fn insert_record(
    write: &mut SqliteConnection,
    seq: i64,
    new: &StoredExperience,
) -> Result<()> {
    let (record, state) = (&new.experience, &new.state);
    let content = &record.content;
    let hash = content_hash(content);
    query(
        "insert into experiences (seq, id, title, problem_description, root_cause, solution, context, \
         keywords, query_count, popularity, created_at, updated_at, version, changed_at, hidden_at, \
         deleted_at, content_hash, author, applies) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
    .bind(seq)
    .bind(record.id)
    .bind(&content.title)
    .bind(&content.problem_description)
    .bind(&content.root_cause)
    .bind(&content.solution)
    .bind(&content.context)
    .bind(json_of(&content.keywords))
    .bind(integer_of(record.query_count))
    .bind(integer_of(record.popularity))
    .bind(record.created_at)
    .bind(integer_of(state.version))
    .bind(state.changed_at)
    .bind(state.hidden_at)
    .bind(state.deleted_at)
    .bind(&hash)
    .bind(new.author.map(|author| author.to_string()))
    .bind(content.applies.as_deref().map(json_of))
    .execute(write)
    .await?;
    Ok(())
}

async fn put_vector(
    write: &mut SqliteConnection,
    id: Uuid,
    model: &str,
    vector: &[u8],
) -> Result<()> {
    query(
        "insert into experience_vectors (experience_id, model, vector) values ($1, $2, $3) \
         on conflict (experience_id) do update set model = excluded.model, vector = excluded.vector",
    )
    .bind(id)
    .bind(model)
    .bind(vector)
    .execute(write)
    .await?;
    Ok(())
}
