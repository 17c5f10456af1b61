//! Removes rows permanently that were deleted or replaced long ago, a bounded number at a time.

use jiff::{Timestamp, ToSpan as _};
use recall_kit_store::StoreError;

/// Days after which deleted and replaced records are removed permanently.
const KEPT_DELETED_DAYS: i64 = 30;
/// Transactions in one round, at most.
const BATCHES: u32 = 10;

/// Removes rows in transactions of at most `batch` rows and returns how many were removed. `remove` removes
/// up to so many rows that were deleted before a time.
///
/// *Errors*: those of the database.
pub async fn purge<Removed: Future<Output = Result<u64, StoreError>>>(
    now: Timestamp,
    batch: u32,
    remove: impl Fn(Timestamp, u32) -> Removed,
) -> Result<u64, StoreError> {
    let mut purged = 0;
    // The time is out of range only if the clock is far off.
    let Ok(before) = now.checked_sub((KEPT_DELETED_DAYS * 24).hours()) else {
        return Ok(purged);
    };
    for _ in 0..BATCHES {
        let removed = remove(before, batch).await?;
        purged += removed;
        if removed < u64::from(batch) {
            break;
        }
    }
    Ok(purged)
}
