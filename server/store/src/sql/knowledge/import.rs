//! Import of records of the knowledge base; they are stored unchanged.

use std::collections::{HashMap, HashSet};

use ulid::Ulid;

use super::{EntryWrites, entries, links, rows::NewRow, suggestions};
use crate::{
    Entry, KnowledgeImport, KnowledgeRecord, NewLink, Result, StoreError, StoredEntry, sql::Family,
};

/// Stores new records in their order.
pub(crate) async fn import(
    connection: &mut impl EntryWrites,
    model: Option<&str>,
    records: &[KnowledgeRecord],
) -> Result<Vec<KnowledgeImport>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    connection.lock_family(Family::Entries).await?;
    let mut imports = Vec::with_capacity(records.len());
    // Consecutive entries are written together.
    for run in records.chunk_by(|one, next| is_entry(one) && is_entry(next)) {
        match run {
            [KnowledgeRecord::Link(new)] => imports.push(link(connection, new).await?),
            [KnowledgeRecord::Suggestion(new)] => {
                imports.push(stored_if(suggestions::import(connection, new).await?));
            }
            entries => {
                let entries: Vec<_> = entries.iter().filter_map(entry_of).collect();
                imports.extend(import_entries(connection, model, &entries).await?);
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

async fn link(connection: &mut impl EntryWrites, new: &NewLink) -> Result<KnowledgeImport> {
    match links::insert_into(connection, new).await {
        Ok(is_new) => Ok(stored_if(is_new)),
        Err(StoreError::EntryGone(_)) => Ok(KnowledgeImport::EntryMissing),
        Err(StoreError::LinkCycle) => Ok(KnowledgeImport::LinkCycle),
        Err(error) => Err(error),
    }
}

/// Stores new entries; of several with the same id the first.
async fn import_entries(
    connection: &mut impl EntryWrites,
    model: Option<&str>,
    records: &[&StoredEntry],
) -> Result<Vec<KnowledgeImport>> {
    let ids: Vec<Ulid> = records.iter().map(|record| record.entry.id).collect();
    let mut taken: HashSet<Ulid> = entries::by_ids(connection, &ids)
        .await?
        .iter()
        .map(|entry| entry.id)
        .collect();
    let is_new: Vec<bool> = ids.iter().map(|id| taken.insert(*id)).collect();
    let marked = records.iter().zip(&is_new);
    let new: Vec<_> = marked
        .filter_map(|(record, is_new)| is_new.then_some(*record))
        .collect();
    insert(connection, model, &new).await?;
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
    connection: &mut impl EntryWrites,
    model: Option<&str>,
    new: &[&StoredEntry],
) -> Result<()> {
    let entries: Vec<_> = new
        .iter()
        .map(|record| NewRow::copy_of(&record.entry))
        .collect();
    connection.insert_entries(&entries).await?;
    if let Some(model) = model {
        let vectors = new
            .iter()
            .filter_map(|record| Some((model, record.entry.id, record.vectors.as_ref()?)));
        let vectors: Vec<_> = vectors.collect();
        connection.insert_vectors(&vectors).await?;
    }
    let notes = new
        .iter()
        .filter_map(|record| Some((record.entry.id, record.note.as_ref()?)));
    let notes: Vec<_> = notes.collect();
    connection.insert_notes(&notes).await?;
    let promotions = new
        .iter()
        .filter_map(|record| Some((record.entry.id, record.experience?)));
    let promotions: Vec<_> = promotions.collect();
    connection.insert_promotions(&promotions).await
}
