//! What a damaged database still gives.

#![allow(clippy::unwrap_used)]

use recall_kit_store::{IndexRow, StoreError};

use super::{readable_rows, unreadable};

/// Reads a table with rows at these places, of which one is damaged.
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
async fn places_without_rows_are_not_taken_for_the_end() {
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
    assert_eq!(found, places, "the damaged one as a record without words");
}
