//! Reading around records that a damaged database does not give any more: the others are still of use.

use std::sync::Arc;

use uuid::Uuid;

use super::BATCH;
use crate::{
    app::App,
    search::{Row, Text},
    service::family::Family,
    store::StoreError,
};

/// Reads a batch of records after one `seq`; `head` is the last one.
pub(in crate::service) async fn records_after(
    app: &App,
    family: Family,
    (after, head): (u64, u64),
    batch: u32,
) -> Result<Vec<(Row, Text)>, StoreError> {
    match family.records_after(app, after, batch).await {
        Err(error) if error.is_damage() => {
            let up_to = head.min(after + u64::from(batch));
            let mut records = Vec::new();
            let mut seq = after;
            while seq < up_to {
                match family.records_after(app, seq, 1).await {
                    Ok(mut one) => match one.pop() {
                        Some(record) => {
                            seq = record.0.seq;
                            records.push(record);
                        }
                        None => break,
                    },
                    Err(error) if error.is_damage() => {
                        seq += 1;
                        tell(family, seq);
                    }
                    Err(error) => return Err(error),
                }
            }
            // The index has come so far, whatever it could not read; nobody finds what has no words.
            if records.last().is_none_or(|(row, _)| row.seq < seq) {
                records.push((unreadable(seq), Text::default()));
            }
            Ok(records)
        }
        other => other,
    }
}

/// Reads a batch of rows after one `seq` and up to another.
pub(in crate::service) async fn rows(
    app: &Arc<App>,
    family: Family,
    (after, up_to): (u64, u64),
) -> Result<Vec<Row>, StoreError> {
    match family.rows(app, (after, up_to), BATCH).await {
        Err(error) if error.is_damage() => {
            let mut rows = Vec::new();
            for seq in after..up_to.min(after + u64::from(BATCH)) {
                match family.rows(app, (seq, seq + 1), 1).await {
                    Ok(one) => rows.extend(one),
                    Err(error) if error.is_damage() => rows.push(unreadable(seq + 1)),
                    Err(error) => return Err(error),
                }
            }
            Ok(rows)
        }
        other => other,
    }
}

fn unreadable(seq: u64) -> Row {
    Row {
        seq,
        id: Uuid::nil(),
        created_at: 0,
        query_count: 0,
        vector: None,
    }
}

fn tell(family: Family, seq: u64) {
    tracing::error!(
        ?family,
        seq,
        "the database is damaged: a record cannot be read; the others are served. Restore a backup, \
         `recall-kit-server doctor` says more"
    );
}
