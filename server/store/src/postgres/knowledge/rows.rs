//! Writes of many rows of the knowledge base, each in one statement.

use jiff::Timestamp;
use sqlx::PgConnection;
use ulid::Ulid;
use uuid::Uuid;

use crate::{
    EntryVectors, NewCount, NewEntryVectors, Note, Result, StoredNote,
    database::columns::{count_of, integer_of, json_of, ulid_of},
    postgres::{Head, each, take_seqs, text::encoded},
    sql::knowledge::{
        EntryWrites,
        rows::{NewRow, citations_column},
        suggestions::Pair,
    },
};

impl EntryWrites for PgConnection {
    async fn insert_entries(&mut self, rows: &[NewRow<'_>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let before = take_seqs(self, Head::Entries, rows.len()).await?;
        sqlx::query(
            "insert into entries (seq, id, type, title, content, tags, project, context, confidence, \
             memory_type, status, access_count, popularity, last_accessed, created_at, updated_at, \
             citations) \
             select $1 + n.place, n.id, n.type, n.title, n.content, n.tags, n.project, n.context, \
             n.confidence, n.memory_type, n.status, n.access_count, n.popularity, n.last_accessed, \
             n.created_at, n.updated_at, n.citations \
             from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], \
             $8::text[], $9::smallint[], $10::text[], $11::text[], $12::bigint[], $13::bigint[], \
             $14::bigint[], $15::bigint[], $16::bigint[], $17::text[]) with ordinality \
             as n (id, type, title, content, tags, project, context, confidence, memory_type, status, \
             access_count, popularity, last_accessed, created_at, updated_at, citations, place)",
        )
        .bind(before)
        .bind(each(rows, |row| row.id.to_string()))
        .bind(each(rows, |row| row.content.kind.as_str()))
        .bind(each(rows, |row| encoded(&row.content.title)))
        .bind(each(rows, |row| encoded(&row.content.content)))
        .bind(each(rows, |row| json_of(&row.content.tags)))
        .bind(each(rows, |row| row.content.project.as_deref().map(encoded)))
        .bind(each(rows, |row| row.content.context.as_deref().map(encoded)))
        .bind(each(rows, |row| i16::from(row.content.confidence)))
        .bind(each(rows, |row| row.content.memory_type.as_str()))
        .bind(each(rows, |row| row.status.as_str()))
        .bind(each(rows, |row| integer_of(row.access_count)))
        .bind(each(rows, |row| integer_of(row.popularity)))
        .bind(each(rows, |row| {
            row.last_accessed.map(Timestamp::as_microsecond)
        }))
        .bind(each(rows, |row| row.created_at.as_microsecond()))
        .bind(each(rows, |row| row.updated_at.as_microsecond()))
        .bind(each(rows, |row| citations_column(row.content)))
        .execute(self)
        .await?;
        Ok(())
    }

    async fn insert_vectors(&mut self, new: &[(&str, Ulid, &EntryVectors)]) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "insert into entry_vectors (entry_id, model, summary, context) \
             select id, model, summary, context \
             from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) \
             as n (id, model, summary, context)",
        )
        .bind(each(new, |(_, id, _)| id.to_string()))
        .bind(each(new, |(model, ..)| *model))
        .bind(each(new, |(.., vectors)| vectors.summary.as_slice()))
        .bind(each(new, |(.., vectors)| vectors.context.as_deref()))
        .execute(self)
        .await?;
        Ok(())
    }

    async fn put_vectors(&mut self, model: &str, vectors: &[NewEntryVectors]) -> Result<Vec<Ulid>> {
        // Meanwhile an entry may have been changed, or another server may have stored its vectors.
        let written: Vec<(String,)> = sqlx::query_as(
            "insert into entry_vectors (entry_id, model, summary, context) \
             select distinct on (e.id) e.id, $1, n.summary, n.context \
             from unnest($2::text[], $3::bytea[], $4::bytea[], $5::bigint[]) with ordinality \
             as n (id, summary, context, version, place) \
             join entries e on e.id = n.id and e.updated_at = n.version order by e.id, n.place \
             on conflict (entry_id) do update set model = excluded.model, \
             summary = excluded.summary, context = excluded.context \
             where entry_vectors.model <> excluded.model returning entry_id",
        )
        .bind(model)
        .bind(each(vectors, |new| new.id.to_string()))
        .bind(each(vectors, |new| new.vectors.summary.as_slice()))
        .bind(each(vectors, |new| new.vectors.context.as_deref()))
        .bind(each(vectors, |new| new.version))
        .fetch_all(self)
        .await?;
        written.iter().map(|(id,)| ulid_of(id)).collect()
    }

    async fn set_updated(&mut self, updated: &[(Ulid, Timestamp)]) -> Result<()> {
        sqlx::query(
            "update entries e set updated_at = n.moment \
             from unnest($1::text[], $2::bigint[]) as n (id, moment) where e.id = n.id",
        )
        .bind(each(updated, |(id, _)| id.to_string()))
        .bind(each(updated, |(_, moment)| moment.as_microsecond()))
        .execute(self)
        .await?;
        Ok(())
    }

    async fn put_notes(&mut self, notes: &[Note]) -> Result<()> {
        sqlx::query(
            "insert into entry_notes (entry_id, path, head, entry_updated_at) \
             select distinct on (e.id) e.id, n.path, n.head, e.updated_at \
             from unnest($1::text[], $2::text[], $3::text[]) with ordinality \
             as n (id, path, head, place) join entries e on e.id = n.id order by e.id, n.place desc \
             on conflict (entry_id) do update set path = excluded.path, head = excluded.head, \
             entry_updated_at = excluded.entry_updated_at",
        )
        .bind(each(notes, |note| note.entry.to_string()))
        .bind(each(notes, |note| encoded(&note.path)))
        .bind(each(notes, |note| encoded(&note.head)))
        .execute(self)
        .await?;
        Ok(())
    }

    async fn insert_notes(&mut self, notes: &[(Ulid, &StoredNote)]) -> Result<()> {
        if notes.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "insert into entry_notes (entry_id, path, head, entry_updated_at) \
             select id, path, head, moment \
             from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as n (id, path, head, moment)",
        )
        .bind(each(notes, |(id, _)| id.to_string()))
        .bind(each(notes, |(_, note)| encoded(&note.path)))
        .bind(each(notes, |(_, note)| encoded(&note.head)))
        .bind(each(notes, |(_, note)| note.updated_at.as_microsecond()))
        .execute(self)
        .await?;
        Ok(())
    }

    async fn insert_promotions(&mut self, promotions: &[(Ulid, Uuid)]) -> Result<()> {
        if promotions.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "insert into entry_experiences (entry_id, experience_id) select n.entry, e.id \
             from unnest($1::text[], $2::text[]) with ordinality as n (entry, experience, place) \
             join experiences e on e.id = n.experience order by n.place on conflict do nothing",
        )
        .bind(each(promotions, |(entry, _)| entry.to_string()))
        .bind(each(promotions, |(_, experience)| experience.to_string()))
        .execute(self)
        .await?;
        Ok(())
    }

    async fn insert_pairs(&mut self, pairs: &[Pair<'_>]) -> Result<u64> {
        if pairs.is_empty() {
            return Ok(0);
        }
        let (count,) = sqlx::query_as(
            "with made as (insert into suggestions (id, type, pair, score, reason, created_at) \
             select n.id, 'link', n.lower || ' ' || n.upper, n.score, n.reason, n.moment \
             from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::bigint[]) \
             with ordinality as n (id, lower, upper, score, reason, moment, place) \
             where not exists (select 1 from entry_links \
             where (source_id = n.lower and target_id = n.upper) \
             or (source_id = n.upper and target_id = n.lower)) \
             order by n.place on conflict (pair) do nothing returning id, pair), \
             placed as (insert into suggestion_entries (suggestion_id, entry_id) \
             select id, unnest(string_to_array(pair, ' ')) from made on conflict do nothing) \
             select count(*) from made",
        )
        .bind(each(pairs, |pair| pair.new.id.to_string()))
        .bind(each(pairs, |pair| pair.lower.to_string()))
        .bind(each(pairs, |pair| pair.upper.to_string()))
        .bind(each(pairs, |pair| pair.new.score))
        .bind(each(pairs, |pair| encoded(&pair.new.reason)))
        .bind(each(pairs, |pair| pair.new.created_at.as_microsecond()))
        .fetch_one(self)
        .await?;
        Ok(count_of(count))
    }

    async fn add_counts(&mut self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        sqlx::query(
            "update entries e set access_count = e.access_count + n.added, \
             popularity = e.popularity + n.popularity, last_accessed = $4 \
             from (select id, sum(added)::bigint as added, sum(popularity)::bigint as popularity \
             from unnest($1::text[], $2::bigint[], $3::bigint[]) as n (id, added, popularity) \
             group by id) n where e.id = n.id",
        )
        .bind(each(counts, |new| Ulid::from(new.id).to_string()))
        .bind(each(counts, |new| integer_of(new.count)))
        .bind(each(counts, |new| integer_of(new.popularity)))
        .bind(now.as_microsecond())
        .execute(self)
        .await?;
        Ok(())
    }
}
