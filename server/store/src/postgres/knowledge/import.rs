//! Import of records of the knowledge base; they are stored unchanged.

use std::collections::{HashMap, HashSet};

use sqlx::PgConnection;
use ulid::Ulid;

use super::{entries, links, rows, suggestions, vectors};
use crate::{
    Entry, KnowledgeImport, KnowledgeRecord, NewLink, Result, StoreError, StoredEntry,
    postgres::{Head, lock_head, text::encoded},
};

/// Stores new records in their order.
pub(super) async fn import(
    connection: &mut PgConnection,
    model: Option<&str>,
    records: &[KnowledgeRecord],
) -> Result<Vec<KnowledgeImport>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    lock_head(&mut *connection, Head::Entries).await?;
    let mut imports = Vec::with_capacity(records.len());
    // Consecutive entries are written together.
    for run in records.chunk_by(|one, next| is_entry(one) && is_entry(next)) {
        match run {
            [KnowledgeRecord::Link(new)] => imports.push(link(&mut *connection, new).await?),
            [KnowledgeRecord::Suggestion(new)] => {
                imports.push(stored_if(suggestions::import(&mut *connection, new).await?));
            }
            entries => {
                let entries: Vec<_> = entries.iter().filter_map(entry_of).collect();
                imports.extend(import_entries(&mut *connection, model, &entries).await?);
            }
        }
    }
    Ok(imports)
}

fn is_entry(record: &KnowledgeRecord) -> bool {
    entry_of(record).is_some()
}

fn entry_of(record: &KnowledgeRecord) -> Option<&StoredEntry> {
    match record {
        KnowledgeRecord::Entry(entry) => Some(entry),
        _ => None,
    }
}

fn stored_if(is_new: bool) -> KnowledgeImport {
    match is_new {
        true => KnowledgeImport::Stored,
        false => KnowledgeImport::Existing,
    }
}

async fn link(connection: &mut PgConnection, new: &NewLink) -> Result<KnowledgeImport> {
    match links::insert_into(connection, new).await {
        Ok(is_new) => Ok(stored_if(is_new)),
        Err(StoreError::EntryGone(_)) => Ok(KnowledgeImport::EntryMissing),
        Err(StoreError::Circle) => Ok(KnowledgeImport::Circle),
        Err(error) => Err(error),
    }
}

/// Stores new entries; of several with the same id the first.
async fn import_entries(
    connection: &mut PgConnection,
    model: Option<&str>,
    records: &[&StoredEntry],
) -> Result<Vec<KnowledgeImport>> {
    let ids: Vec<Ulid> = records.iter().map(|record| record.entry.id).collect();
    let mut taken: HashSet<Ulid> = entries::by_ids(&mut *connection, &ids)
        .await?
        .iter()
        .map(|entry| entry.id)
        .collect();
    let is_new: Vec<bool> = ids.iter().map(|id| taken.insert(*id)).collect();
    let marked = records.iter().zip(&is_new);
    let new: Vec<_> = marked
        .filter_map(|(record, is_new)| is_new.then_some(*record))
        .collect();
    insert(&mut *connection, model, &new).await?;

    let marked = ids.iter().zip(&is_new);
    let others: Vec<Ulid> = marked
        .filter_map(|(id, is_new)| (!is_new).then_some(*id))
        .collect();
    let existing = entries::by_ids(connection, &others).await?;
    let existing: HashMap<Ulid, Entry> = existing.into_iter().map(|one| (one.id, one)).collect();
    let import = |(id, is_new): (&Ulid, &bool)| match existing.get(id) {
        Some(existing) if !is_new => Ok(KnowledgeImport::ExistingEntry(Box::new(existing.clone()))),
        None if !is_new => Err(StoreError::EntryGone(*id)),
        _ => Ok(KnowledgeImport::Stored),
    };
    ids.iter().zip(&is_new).map(import).collect()
}

/// Writes entries with their vectors, notes and promotions.
async fn insert(
    connection: &mut PgConnection,
    model: Option<&str>,
    new: &[&StoredEntry],
) -> Result<()> {
    let entries: Vec<_> = new
        .iter()
        .map(|record| rows::NewRow::copy_of(&record.entry))
        .collect();
    rows::insert(&mut *connection, &entries).await?;
    if let Some(model) = model {
        let made = new
            .iter()
            .filter_map(|record| Some((model, record.entry.id, record.vectors.as_ref()?)));
        vectors::insert(&mut *connection, &made.collect::<Vec<_>>()).await?;
    }
    insert_notes(&mut *connection, new).await?;
    insert_promotions(connection, new).await
}

async fn insert_notes(connection: &mut PgConnection, new: &[&StoredEntry]) -> Result<()> {
    let notes: Vec<_> = new
        .iter()
        .filter_map(|record| Some((record.entry.id, record.note.as_ref()?)))
        .collect();
    if notes.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = notes.iter().map(|(id, _)| id.to_string()).collect();
    let paths: Vec<_> = notes.iter().map(|(_, note)| encoded(&note.path)).collect();
    let heads: Vec<_> = notes.iter().map(|(_, note)| encoded(&note.head)).collect();
    let moments: Vec<i64> = notes
        .iter()
        .map(|(_, note)| note.updated_at.as_microsecond())
        .collect();
    sqlx::query(
        "insert into entry_notes (entry_id, path, head, entry_updated_at) \
         select id, path, head, moment \
         from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as n (id, path, head, moment)",
    )
    .bind(ids)
    .bind(paths)
    .bind(heads)
    .bind(moments)
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes the experiences from which entries were promoted.
async fn insert_promotions(connection: &mut PgConnection, new: &[&StoredEntry]) -> Result<()> {
    let promoted = new
        .iter()
        .filter_map(|record| Some((record.entry.id.to_string(), record.experience?.to_string())));
    let (entries, experiences): (Vec<String>, Vec<String>) = promoted.unzip();
    if entries.is_empty() {
        return Ok(());
    }
    // Skips experiences that do not exist or were promoted to another entry.
    sqlx::query(
        "insert into entry_experiences (entry_id, experience_id) select n.entry, e.id \
         from unnest($1::text[], $2::text[]) with ordinality as n (entry, experience, place) \
         join experiences e on e.id = n.experience order by n.place on conflict do nothing",
    )
    .bind(entries)
    .bind(experiences)
    .execute(connection)
    .await?;
    Ok(())
}
