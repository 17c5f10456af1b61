//! What can still be read from a damaged database.

#![allow(clippy::unwrap_used)]

use recall_kit_store::{IndexRow, StoreError};

use super::{readable_rows, unreadable};

/// Reads a table that has rows with these `seq`, one of which is damaged.
fn read(
    places: &[u64],
    damaged: u64,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>, StoreError> {
    let wanted = places
        .iter()
        .filter(|seq| (after + 1..=up_to).contains(seq));
    let wanted = wanted
        .take(limit as usize)
        .map(|seq| match *seq == damaged {
            true => Err(StoreError::Damaged {
                what: "row",
                id: seq.to_string(),
            }),
            false => Ok(unreadable(*seq)),
        });
    wanted.collect()
}

#[tokio::test]
async fn a_gap_between_rows_does_not_end_the_reading() {
    let places = [1, 2, 5_000, 5_001, 5_002, 9_000];
    let (mut after, mut found) = (0, Vec::new());
    loop {
        let rows = readable_rows((after, 10_000), |window, limit| {
            std::future::ready(read(&places, 5_001, window, limit))
        });
        let rows = rows.await.unwrap();
        let Some(last) = rows.last() else { break };
        after = last.seq;
        found.extend(rows.iter().map(|row| row.seq));
    }
    assert_eq!(found, places, "the damaged row is returned as an empty one");
}
