//! Reads of the knowledge base for exports, and counts.

use sqlx::FromRow;
use ulid::Ulid;

use crate::{
    Entry, EntryVectors, KnowledgeCounts, NewLink, Result, StoredEntry, StoredNote,
    database::columns::{count_of, id_of, integer_of, timestamp_of, ulid_of, word_of},
    sql::{Columns, SqlConnection, query},
};

/// Counts the entries up to a `seq`.
pub(crate) async fn count(connection: &mut impl SqlConnection, up_to: u64) -> Result<u64> {
    query("select count(*) from entries where seq <= $1")
        .bind(integer_of(up_to))
        .fetch_count(connection)
        .await
}

/// Counts entries, links and suggestions.
pub(crate) async fn counts(connection: &mut impl SqlConnection) -> Result<KnowledgeCounts> {
    query(
        "select (select count(*) from entries) as entries, \
         (select count(*) from entry_links) as links, \
         (select count(*) from suggestions) as suggestions, \
         (select count(*) from suggestions where status = 'pending') as pending",
    )
    .fetch_one(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for KnowledgeCounts {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            entries: count_of(row.read("entries")?),
            links: count_of(row.read("links")?),
            suggestions: count_of(row.read("suggestions")?),
            pending: count_of(row.read("pending")?),
        })
    }
}

/// Counts links with a missing entry.
pub(crate) async fn broken_links(connection: &mut impl SqlConnection) -> Result<u64> {
    query(
        "select count(*) from entry_links l \
         where not exists (select 1 from entries where id = l.source_id) \
         or not exists (select 1 from entries where id = l.target_id)",
    )
    .fetch_count(connection)
    .await
}

/// Reads entries with vectors, notes and promotions, ordered by id.
pub(crate) async fn entries(
    connection: &mut impl SqlConnection,
    after: Ulid,
    model: Option<&str>,
    limit: u32,
) -> Result<Vec<StoredEntry>> {
    query(
        "select e.id, e.type, e.title, e.content, e.tags, e.project, e.context, e.confidence, \
         e.status, e.memory_type, e.citations, e.access_count, e.popularity, e.last_accessed, \
         e.created_at, e.updated_at, \
         v.summary, v.context as context_vector, n.path, n.head, \
         n.entry_updated_at, p.experience_id from entries e \
         left join entry_vectors v on v.entry_id = e.id and v.model = $1 \
         left join entry_notes n on n.entry_id = e.id \
         left join entry_experiences p on p.entry_id = e.id \
         where e.id > $2 order by e.id limit $3",
    )
    .bind(model)
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for StoredEntry {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let summary: Option<Vec<u8>> = row.read("summary")?;
        let context = row.read("context_vector")?;
        let note = row.optional_text("path")?.map(|path| {
            Ok::<_, sqlx::Error>(StoredNote {
                path,
                head: row.text("head")?,
                updated_at: timestamp_of(row.read("entry_updated_at")?, row.read("id")?)?,
            })
        });
        let experience: Option<&str> = row.read("experience_id")?;
        Ok(Self {
            entry: Entry::from_row(row)?,
            vectors: summary.map(|summary| EntryVectors { summary, context }),
            note: note.transpose()?,
            experience: experience.map(id_of).transpose()?,
        })
    }
}

/// Reads links, ordered by id.
pub(crate) async fn links(
    connection: &mut impl SqlConnection,
    after: Ulid,
    limit: u32,
) -> Result<Vec<NewLink>> {
    query(
        "select id, source_id, target_id, relation_type, created_at from entry_links \
         where id > $1 order by id limit $2",
    )
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for NewLink {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: ulid_of(id)?,
            source: ulid_of(row.read("source_id")?)?,
            target: ulid_of(row.read("target_id")?)?,
            relation: word_of(row.read("relation_type")?, "relation", id)?,
            created_at: timestamp_of(row.read("created_at")?, id)?,
        })
    }
}
