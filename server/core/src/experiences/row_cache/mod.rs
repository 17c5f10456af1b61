//! Cache of the rows that queries returned recently.
//!
//! The key of a row is its record's id and `seq`: a record that changes gets a new `seq`, so a hit
//! never gets an older row than the index knows. Counts and relevance come from the hit.

use std::{collections::HashMap, sync::Arc};

use quick_cache::{Weighter, sync::Cache};
use recall_kit_search::Hit;
use recall_kit_shared_types::ExperienceRecord;
use recall_kit_store::{Experience, StoreError};
use recall_kit_telemetry::metrics::Metrics;
use uuid::Uuid;

use super::{Experiences, relevance};
use crate::indexing::damage;

/// The most memory of all rows, in bytes.
const CAPACITY: u64 = 32 * 1024 * 1024;
/// The estimated size of a row, in bytes; only sets the initial size of the tables.
const AVERAGE_ROW: u64 = 4 * 1024;
/// Size of a row without its texts, in bytes.
const OVERHEAD: usize = 400;

type Key = (Uuid, u64);

/// Rows by id and `seq`; the least recently and most rarely used ones are evicted.
pub(super) struct RowCache {
    rows: Cache<Key, Arc<ExperienceRecord>, Size>,
    /// Counts how often the cache has a row.
    metrics: Arc<Metrics>,
}

impl RowCache {
    /// Creates an empty cache.
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        let expected = usize::try_from(CAPACITY / AVERAGE_ROW).unwrap_or(usize::MAX);
        Self {
            rows: Cache::with_weighter(expected, CAPACITY, Size),
            metrics,
        }
    }

    fn get(&self, hit: &Hit) -> Option<Arc<ExperienceRecord>> {
        let row = self.rows.get(&key(hit));
        self.metrics.looked_up("rows", row.is_some());
        row
    }
}

/// The rows of a page, each with its hit.
#[derive(Debug, Default)]
pub(super) struct Rows(Vec<(Arc<ExperienceRecord>, Hit)>);

impl Rows {
    /// Returns the approximate size of their texts, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(row, _)| weight(row)).sum()
    }

    /// Returns how many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the ids.
    pub(super) fn ids(&self) -> impl Iterator<Item = Uuid> {
        self.0.iter().map(|(_, hit)| hit.id)
    }

    /// Copies them into records of the wire contract.
    pub(super) fn records(&self) -> Vec<ExperienceRecord> {
        let rows = self.0.iter();
        let records = rows.map(|(row, hit)| ExperienceRecord {
            query_count: hit.query_count,
            relevance_score: relevance::shown(hit.relevance),
            ..ExperienceRecord::clone(row)
        });
        records.collect()
    }
}

/// Returns the rows of a page in the order of its hits; rows that are not cached are read with one
/// query. A record that was deleted or is damaged is left out.
///
/// *Errors*: those of the database.
pub(super) async fn rows(experiences: &Experiences, hits: &[Hit]) -> Result<Rows, StoreError> {
    let cache = &experiences.rows;
    let cached: Vec<_> = hits.iter().map(|hit| cache.get(hit)).collect();
    let missing: Vec<Uuid> = hits
        .iter()
        .zip(&cached)
        .filter_map(|(hit, row)| row.is_none().then_some(hit.id))
        .collect();
    let mut read = read(experiences, &missing).await?;
    let rows = hits.iter().zip(cached).filter_map(|(hit, row)| {
        let row = row.or_else(|| {
            let row = Arc::new(read.remove(&hit.id)?);
            cache.rows.insert(key(hit), Arc::clone(&row));
            Some(row)
        })?;
        Some((row, *hit))
    });
    Ok(Rows(rows.collect()))
}

async fn read(
    experiences: &Experiences,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, ExperienceRecord>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = damage::readable(ids, |ids| experiences.store.experiences(ids)).await?;
    Ok(rows.into_iter().map(|row| (row.id, record(row))).collect())
}

fn key(hit: &Hit) -> Key {
    (hit.id, hit.seq)
}

/// Converts a row to a record of the wire contract; count and relevance are set for each hit.
fn record(row: Experience) -> ExperienceRecord {
    ExperienceRecord {
        id: row.id.to_string(),
        title: row.content.title,
        problem_description: row.content.problem_description,
        root_cause: row.content.root_cause,
        solution: row.content.solution,
        context: row.content.context,
        keywords: row.content.keywords,
        query_count: row.query_count,
        created_at: format!("{:.0}", row.created_at),
        relevance_score: 0.0,
    }
}

/// Weighs a row by its texts.
#[derive(Clone)]
struct Size;

impl Weighter<Key, Arc<ExperienceRecord>> for Size {
    fn weight(&self, _: &Key, row: &Arc<ExperienceRecord>) -> u64 {
        weight(row) as u64
    }
}

/// Returns the size of a row in memory, in bytes.
fn weight(row: &ExperienceRecord) -> usize {
    OVERHEAD + row.text_bytes() + row.keywords.len() * size_of::<String>()
}

#[cfg(test)]
mod tests;
