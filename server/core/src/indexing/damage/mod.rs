//! Reads records from a damaged database, skipping those that cannot be read: the others remain usable.

use std::fmt::Display;

use futures::future::BoxFuture;
use jiff::Timestamp;
use recall_kit_search::{Row, Text};
use recall_kit_store::{IndexRow, StoreError};
use recall_kit_telemetry::chain;
use uuid::Uuid;

use super::{BATCH, Records, family::Family, records::row};

/// What an operator should do.
const REMEDY: &str = "Restore a backup; `recall-kit-server doctor` shows details";

/// Reads records by their ids with one query, or one by one if that query finds damage. Records that
/// cannot be read are left out and logged.
///
/// *Errors*: those of the database other than damage.
pub async fn readable<'a, I: Display, R>(
    ids: &'a [I],
    read: impl Fn(&'a [I]) -> BoxFuture<'a, Result<Vec<R>, StoreError>>,
) -> Result<Vec<R>, StoreError> {
    match read(ids).await {
        Err(error) if error.is_damage() => {
            let mut records = Vec::with_capacity(ids.len());
            for id in ids {
                match read(std::slice::from_ref(id)).await {
                    Ok(one) => records.extend(one),
                    Err(error) if error.is_damage() => tracing::error!(
                        record.id = %id,
                        error = chain(&error),
                        "the database is damaged: a record cannot be read; the others are served. {REMEDY}"
                    ),
                    Err(error) => return Err(error),
                }
            }
            Ok(records)
        }
        other => other,
    }
}

/// Loads the labels by which searches filter entries, for all entries that can be read.
///
/// *Errors*: those of the database other than damage.
pub(crate) async fn load_labels(entries: &Records) -> Result<(), StoreError> {
    let store = entries.source.store.as_ref();
    match entries.labels().load(store).await {
        Err(error) if error.is_damage() => {
            let head = entries.head_seq().await?;
            let mut after = 0;
            while after < head {
                // Reading an entry stores its labels.
                let read = records_after(entries, (after, head), BATCH).await?;
                let Some((last, _)) = read.last() else { break };
                after = last.seq;
            }
            Ok(())
        }
        loaded => loaded,
    }
}

/// Reads a batch of records after a `seq`; `head` is the last one.
pub(super) async fn records_after(
    of: &Records,
    (after, head): (u64, u64),
    batch: u32,
) -> Result<Vec<(Row, Text)>, StoreError> {
    match of.records_after(after, batch).await {
        Err(error) if error.is_damage() => {
            let up_to = head.min(after + u64::from(batch));
            let mut records = Vec::new();
            let (mut seq, mut lost) = (after, 0);
            while seq < up_to {
                match of.records_after(seq, 1).await {
                    Ok(mut one) => match one.pop() {
                        Some(record) => {
                            seq = record.0.seq;
                            records.push(record);
                        }
                        None => break,
                    },
                    // The next existing record may have a later `seq`.
                    Err(error) if error.is_damage() => {
                        seq += 1;
                        lost += 1;
                    }
                    Err(error) => return Err(error),
                }
            }
            if lost > 0 {
                log_damage(of.family, (after, seq), lost);
            }
            // Advances the index past unreadable records; a record without words is never found.
            if records.last().is_none_or(|(row, _)| row.seq < seq) {
                records.push((row(&of.source.embedding, unreadable(seq)), Text::default()));
            }
            Ok(records)
        }
        other => other,
    }
}

/// Reads a batch of stored rows after one `seq` and up to another; empty only at the end.
pub(super) async fn rows(
    records: &Records,
    window: (u64, u64),
) -> Result<Vec<IndexRow>, StoreError> {
    readable_rows(window, |window, limit| records.stored_rows(window, limit)).await
}

/// Reads a batch of rows, or one by one if that finds damage.
async fn readable_rows<Read: Future<Output = Result<Vec<IndexRow>, StoreError>>>(
    (mut after, up_to): (u64, u64),
    read: impl Fn((u64, u64), u32) -> Read,
) -> Result<Vec<IndexRow>, StoreError> {
    loop {
        match read((after, up_to), BATCH).await {
            Err(error) if error.is_damage() => {}
            other => return other,
        }
        let end = up_to.min(after + u64::from(BATCH));
        let mut rows = Vec::new();
        for seq in after..end {
            match read((seq, seq + 1), 1).await {
                Ok(one) => rows.extend(one),
                Err(error) if error.is_damage() => rows.push(unreadable(seq + 1)),
                Err(error) => return Err(error),
            }
        }
        // An empty range is not the end: records that were rewritten have later positions.
        if !rows.is_empty() || end >= up_to {
            return Ok(rows);
        }
        after = end;
    }
}

fn unreadable(seq: u64) -> IndexRow {
    IndexRow {
        seq,
        id: Uuid::nil(),
        created_at: Timestamp::UNIX_EPOCH,
        query_count: 0,
        popularity: 0,
        vector: None,
        is_gone: false,
    }
}

fn log_damage(family: Family, (after, up_to): (u64, u64), lost: u64) {
    tracing::error!(
        ?family,
        after,
        up_to,
        writes = lost,
        "the database is damaged: records of these writes cannot be read; the others are served. {REMEDY}"
    );
}

#[cfg(test)]
mod tests;
