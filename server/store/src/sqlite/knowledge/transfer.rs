//! Reads of the knowledge base for exports, and counts.

use sqlx::{Row, SqlitePool, sqlite::SqliteRow};
use ulid::Ulid;

use super::entries::entry_of;
use crate::{
    EntryVectors, KnowledgeCounts, NewLink, Result, StoreError, StoredEntry, StoredNote,
    database::columns::{count_of, id_of, integer_of, timestamp_of, ulid_of, word_of},
};

/// Counts the entries up to a `seq`.
pub(super) async fn count(readers: &SqlitePool, up_to: u64) -> Result<u64> {
    let row = sqlx::query("select count(*) from entries where seq <= ?")
        .bind(integer_of(up_to))
        .fetch_one(readers)
        .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Counts entries, links and suggestions.
pub(super) async fn counts(readers: &SqlitePool) -> Result<KnowledgeCounts> {
    let row = sqlx::query(
        "select (select count(*) from entries), (select count(*) from entry_links), \
         (select count(*) from suggestions), \
         (select count(*) from suggestions where status = 'pending')",
    )
    .fetch_one(readers)
    .await?;
    Ok(KnowledgeCounts {
        entries: count_of(row.try_get(0)?),
        links: count_of(row.try_get(1)?),
        suggestions: count_of(row.try_get(2)?),
        pending: count_of(row.try_get(3)?),
    })
}

/// Counts links with a missing entry.
pub(super) async fn broken_links(readers: &SqlitePool) -> Result<u64> {
    let row = sqlx::query(
        "select count(*) from entry_links where source_id not in (select id from entries) \
         or target_id not in (select id from entries)",
    )
    .fetch_one(readers)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Reads entries with vectors, notes and promotions, ordered by id.
pub(super) async fn entries(
    readers: &SqlitePool,
    after: Ulid,
    model: Option<&str>,
    limit: u32,
) -> Result<Vec<StoredEntry>> {
    let rows = sqlx::query(
        "select e.id, e.type, e.title, e.content, e.tags, e.project, e.context, e.confidence, \
         e.status, e.memory_type, e.access_count, e.popularity, e.last_accessed, e.created_at, e.updated_at, \
         v.summary, v.context as context_vector, n.path, n.head, \
         n.entry_updated_at, p.experience_id from entries e \
         left join entry_vectors v on v.entry_id = e.id and v.model = ? \
         left join entry_notes n on n.entry_id = e.id \
         left join entry_experiences p on p.entry_id = e.id \
         where e.id > ? order by e.id limit ?",
    )
    .bind(model)
    .bind(after.to_string())
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(stored_entry_of).collect()
}

fn stored_entry_of(row: &SqliteRow) -> Result<StoredEntry> {
    let summary: Option<Vec<u8>> = row.try_get("summary")?;
    let context = row.try_get("context_vector")?;
    let path: Option<String> = row.try_get("path")?;
    let note = path.map(|path| {
        Ok::<_, StoreError>(StoredNote {
            path,
            head: row.try_get("head")?,
            updated_at: timestamp_of(row.try_get("entry_updated_at")?, row.try_get("id")?)?,
        })
    });
    let experience: Option<&str> = row.try_get("experience_id")?;
    Ok(StoredEntry {
        entry: entry_of(row)?,
        vectors: summary.map(|summary| EntryVectors { summary, context }),
        note: note.transpose()?,
        experience: experience.map(id_of).transpose()?,
    })
}

/// Reads links, ordered by id.
pub(super) async fn links(readers: &SqlitePool, after: Ulid, limit: u32) -> Result<Vec<NewLink>> {
    let rows = sqlx::query(
        "select id, source_id, target_id, relation_type, created_at from entry_links \
         where id > ? order by id limit ?",
    )
    .bind(after.to_string())
    .bind(limit)
    .fetch_all(readers)
    .await?;
    let link = |row: &SqliteRow| {
        let id: &str = row.try_get("id")?;
        Ok(NewLink {
            id: ulid_of(id)?,
            source: ulid_of(row.try_get("source_id")?)?,
            target: ulid_of(row.try_get("target_id")?)?,
            relation: word_of(row.try_get("relation_type")?, "relation", id)?,
            created_at: timestamp_of(row.try_get("created_at")?, id)?,
        })
    };
    rows.iter().map(link).collect()
}
