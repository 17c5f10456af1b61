//! Writes of many rows of the knowledge base, one after the other.

use jiff::Timestamp;
use sqlx::SqliteConnection;
use ulid::Ulid;
use uuid::Uuid;

use crate::{
    EntryVectors, NewCount, NewEntryVectors, Note, Result, StoredNote,
    database::columns::{integer_of, json_of},
    sql::{
        Family, SqlConnection,
        knowledge::{
            EntryWrites,
            rows::{NewRow, citations_column},
            suggestions::{Pair, insert_entries},
        },
        query,
    },
};

impl EntryWrites for SqliteConnection {
    async fn insert_entries(&mut self, rows: &[NewRow<'_>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let before = self.take_seqs(Family::Entries, rows.len()).await?;
        for (seq, row) in (before + 1..).zip(rows) {
            query(
                "insert into entries (seq, id, type, title, content, tags, project, context, \
                 confidence, memory_type, status, access_count, popularity, last_accessed, \
                 created_at, updated_at, citations) \
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
            )
            .bind(seq)
            .bind(row.id)
            .bind(row.content.kind.as_str())
            .bind(&row.content.title)
            .bind(&row.content.content)
            .bind(json_of(&row.content.tags))
            .bind(&row.content.project)
            .bind(&row.content.context)
            .bind(u32::from(row.content.confidence))
            .bind(row.content.memory_type.as_str())
            .bind(row.status.as_str())
            .bind(integer_of(row.access_count))
            .bind(integer_of(row.popularity))
            .bind(row.last_accessed)
            .bind(row.created_at)
            .bind(row.updated_at)
            .bind(citations_column(row.content))
            .execute(self)
            .await?;
        }
        Ok(())
    }

    async fn insert_vectors(&mut self, new: &[(&str, Ulid, &EntryVectors)]) -> Result<()> {
        for (model, id, vectors) in new {
            query(
                "insert into entry_vectors (entry_id, model, summary, context) \
                 values ($1, $2, $3, $4)",
            )
            .bind(*id)
            .bind(*model)
            .bind(vectors.summary.as_slice())
            .bind(vectors.context.as_deref())
            .execute(self)
            .await?;
        }
        Ok(())
    }

    async fn put_vectors(&mut self, model: &str, vectors: &[NewEntryVectors]) -> Result<Vec<Ulid>> {
        let mut ids = Vec::with_capacity(vectors.len());
        for new in vectors {
            // Meanwhile the entry may have been changed, or another process may have stored its vectors.
            let written = query(
                "insert into entry_vectors (entry_id, model, summary, context) \
                 select id, $1, $2, $3 from entries where id = $4 and updated_at = $5 \
                 on conflict (entry_id) do update set model = excluded.model, \
                 summary = excluded.summary, context = excluded.context \
                 where entry_vectors.model <> excluded.model",
            )
            .bind(model)
            .bind(new.vectors.summary.as_slice())
            .bind(new.vectors.context.as_deref())
            .bind(new.id)
            .bind(new.version)
            .execute(self)
            .await?;
            if written == 1 {
                ids.push(new.id);
            }
        }
        Ok(ids)
    }

    async fn set_updated(&mut self, updated: &[(Ulid, Timestamp)]) -> Result<()> {
        for (id, moment) in updated {
            query("update entries set updated_at = $1 where id = $2")
                .bind(*moment)
                .bind(*id)
                .execute(self)
                .await?;
        }
        Ok(())
    }

    async fn put_notes(&mut self, notes: &[Note]) -> Result<()> {
        for note in notes {
            query(
                "insert into entry_notes (entry_id, path, head, entry_updated_at) \
                 select id, $2, $3, updated_at from entries where id = $1 \
                 on conflict (entry_id) do update set path = excluded.path, head = excluded.head, \
                 entry_updated_at = excluded.entry_updated_at",
            )
            .bind(note.entry)
            .bind(&note.path)
            .bind(&note.head)
            .execute(self)
            .await?;
        }
        Ok(())
    }

    async fn insert_notes(&mut self, notes: &[(Ulid, &StoredNote)]) -> Result<()> {
        for (id, note) in notes {
            query(
                "insert into entry_notes (entry_id, path, head, entry_updated_at) \
                 values ($1, $2, $3, $4)",
            )
            .bind(*id)
            .bind(&note.path)
            .bind(&note.head)
            .bind(note.updated_at)
            .execute(self)
            .await?;
        }
        Ok(())
    }

    async fn insert_promotions(&mut self, promotions: &[(Ulid, Uuid)]) -> Result<()> {
        for (entry, experience) in promotions {
            query(
                "insert into entry_experiences (entry_id, experience_id) \
                 select $1, id from experiences where id = $2 on conflict do nothing",
            )
            .bind(*entry)
            .bind(*experience)
            .execute(self)
            .await?;
        }
        Ok(())
    }

    async fn insert_pairs(&mut self, pairs: &[Pair<'_>]) -> Result<u64> {
        let mut stored = 0;
        for pair in pairs {
            let written = query(
                "insert into suggestions (id, type, pair, score, reason, created_at) \
                 select $1, 'link', $2, $3, $4, $5 where not exists (select 1 from entry_links \
                 where (source_id = $6 and target_id = $7) or (source_id = $7 and target_id = $6)) \
                 on conflict (pair) do nothing",
            )
            .bind(pair.new.id)
            .bind(pair.text())
            .bind(pair.new.score)
            .bind(&pair.new.reason)
            .bind(pair.new.created_at)
            .bind(pair.lower)
            .bind(pair.upper)
            .execute(self)
            .await?;
            if written == 1 {
                insert_entries(self, pair.new).await?;
                stored += 1;
            }
        }
        Ok(stored)
    }

    async fn add_counts(&mut self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        for new in counts {
            query(
                "update entries set access_count = access_count + $1, popularity = popularity + $2, \
                 last_accessed = $3 where id = $4",
            )
            .bind(integer_of(new.count))
            .bind(integer_of(new.popularity))
            .bind(now)
            .bind(Ulid::from(new.id))
            .execute(self)
            .await?;
        }
        Ok(())
    }
}
