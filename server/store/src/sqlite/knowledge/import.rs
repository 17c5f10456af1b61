//! Import of records of the knowledge base; they are stored unchanged.

use jiff::Timestamp;
use sqlx::SqliteConnection;

use super::{entries, links, next_seq, suggestions, vectors};
use crate::{
    KnowledgeImport, KnowledgeRecord, NewLink, Result, StoreError, StoredEntry,
    database::columns::integer_of,
};

/// Stores new records in their order, all in one transaction.
pub(super) async fn import(
    write: &mut SqliteConnection,
    model: Option<&str>,
    records: &[KnowledgeRecord],
) -> Result<Vec<KnowledgeImport>> {
    let mut imports = Vec::with_capacity(records.len());
    for record in records {
        imports.push(match record {
            KnowledgeRecord::Entry(record) => entry(&mut *write, model, record).await?,
            KnowledgeRecord::Link(new) => link(&mut *write, new).await?,
            KnowledgeRecord::Suggestion(new) => {
                stored_if(suggestions::import(&mut *write, new).await?)
            }
        });
    }
    Ok(imports)
}

fn stored_if(is_new: bool) -> KnowledgeImport {
    match is_new {
        true => KnowledgeImport::Stored,
        false => KnowledgeImport::Existing,
    }
}

async fn link(write: &mut SqliteConnection, new: &NewLink) -> Result<KnowledgeImport> {
    match links::insert_into(write, new).await {
        Ok(is_new) => Ok(stored_if(is_new)),
        Err(StoreError::EntryGone(_)) => Ok(KnowledgeImport::EntryMissing),
        Err(StoreError::Circle) => Ok(KnowledgeImport::Circle),
        Err(error) => Err(error),
    }
}

async fn entry(
    write: &mut SqliteConnection,
    model: Option<&str>,
    record: &StoredEntry,
) -> Result<KnowledgeImport> {
    let id = record.entry.id.to_string();
    if let Some(existing) = entries::in_transaction(&mut *write, record.entry.id).await? {
        return Ok(KnowledgeImport::ExistingEntry(Box::new(existing)));
    }
    insert(&mut *write, record).await?;
    if let (Some(model), Some(vectors)) = (model, &record.vectors) {
        vectors::insert(&mut *write, model, record.entry.id, vectors).await?;
    }
    if let Some(note) = &record.note {
        sqlx::query(
            "insert into entry_notes (entry_id, path, head, entry_updated_at) values (?, ?, ?, ?)",
        )
        .bind(&id)
        .bind(&note.path)
        .bind(&note.head)
        .bind(note.updated_at.as_microsecond())
        .execute(&mut *write)
        .await?;
    }
    // Skips experiences that do not exist or were promoted to another entry.
    if let Some(experience) = record.experience {
        sqlx::query(
            "insert into entry_experiences (entry_id, experience_id) \
             select ?, id from experiences where id = ? on conflict do nothing",
        )
        .bind(&id)
        .bind(experience.to_string())
        .execute(write)
        .await?;
    }
    Ok(KnowledgeImport::Stored)
}

/// Writes the entry itself, at the next `seq`.
async fn insert(write: &mut SqliteConnection, record: &StoredEntry) -> Result<()> {
    let (entry, content) = (&record.entry, &record.entry.content);
    let seq = next_seq(&mut *write).await?;
    sqlx::query(
        "insert into entries (seq, id, type, title, content, tags, project, context, confidence, \
         memory_type, status, access_count, popularity, last_accessed, created_at, updated_at) \
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(seq)
    .bind(entry.id.to_string())
    .bind(content.kind.as_str())
    .bind(&content.title)
    .bind(&content.content)
    .bind(serde_json::Value::from(content.tags.clone()).to_string())
    .bind(&content.project)
    .bind(&content.context)
    .bind(content.confidence)
    .bind(content.memory_type.as_str())
    .bind(entry.status.as_str())
    .bind(integer_of(entry.access_count))
    .bind(integer_of(entry.popularity))
    .bind(entry.last_accessed.map(Timestamp::as_microsecond))
    .bind(entry.created_at.as_microsecond())
    .bind(entry.updated_at.as_microsecond())
    .execute(write)
    .await?;
    Ok(())
}
