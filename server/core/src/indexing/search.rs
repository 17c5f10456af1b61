//! Searches experiences, with the index of this process or in the database, after bringing it up to date; and
//! runs searches of every family on blocking threads.

use std::{collections::HashSet, sync::Arc};

use recall_kit_applicability::Surroundings;
use recall_kit_search::{Allowed, Factors, Hits, IndexError, Parts, Query};
use uuid::Uuid;

use super::{Engine, Records, Source, applicability, catch_up};
use crate::{error::ServiceError, vectors::query_vectors::EmbeddedQuery};

/// The range of all factors of an experience together.
const LEAST_FACTOR: f32 = 0.45;
const MOST_FACTOR: f32 = 1.2;

/// A search that owns everything, so that a blocking thread can run it.
pub(crate) struct ExperienceSearch {
    /// The search text.
    pub(crate) text: String,
    /// Its embedding; without one, only words are compared.
    pub(crate) query: Option<Arc<EmbeddedQuery>>,
    /// The embedding of the conversation in which the query was made.
    pub(crate) context: Option<Arc<EmbeddedQuery>>,
    /// Records to skip.
    pub(crate) offset: u32,
    /// The most records to return.
    pub(crate) limit: u32,
    /// The environment of the one who asks, if it matters.
    pub(crate) surroundings: Option<Arc<Surroundings>>,
    /// Records that must not be returned.
    pub(crate) left_out: HashSet<Uuid>,
}

/// Searches and ranks; also returns the parts of each hit's rank if `with_parts` is set.
///
/// *Errors*: those of the database or the index.
pub(crate) async fn search(
    records: &Arc<Records>,
    search: ExperienceSearch,
    with_parts: bool,
) -> Result<(Hits, Vec<Parts>), ServiceError> {
    catch_up(records).await?;
    let now = records.source.clock.now().as_second();
    let source = records.source.clone();
    if search.surroundings.is_some() {
        // Those of the last submissions; the others are read in the background.
        // The database's own search does not say what it has; what is left is read in the background.
        if let Engine::Memory(index) = &records.engine {
            applicability::reading::catch_up(&source, index.last_seq()).await;
        }
    }
    match &records.engine {
        Engine::Memory(index) => {
            // A large index takes milliseconds, in which it would block other tasks.
            let quick = match with_parts {
                true => None,
                false => search.run(now, &source, |query| index.search_if_quick(query)),
            };
            if let Some(hits) = quick {
                return Ok((hits?, Vec::new()));
            }
            let index = Arc::clone(index);
            spawn_search(move || {
                search.run(now, &source, |query| match with_parts {
                    true => index.search_with_parts(query),
                    false => Ok((index.search(query)?, Vec::new())),
                })
            })
            .await
        }
        Engine::Database(database) => {
            let query = search.query(now, Allowed::Everything, None);
            let found = database.found(&records.source, &query).await?;
            spawn_search(move || search.run(now, &source, |query| found.ranked(query, with_parts)))
                .await
        }
    }
}

/// Searches an index on a thread for blocking work, since ranking keeps a processor busy.
///
/// *Errors*: those of the search; [`ServiceError::Broken`] when it panicked.
pub async fn spawn_search<T: Send + 'static>(
    search: impl FnOnce() -> Result<T, IndexError> + Send + 'static,
) -> Result<T, ServiceError> {
    let searched = tokio::task::spawn_blocking(search).await;
    Ok(searched.map_err(|_| ServiceError::Broken("the search"))??)
}

impl ExperienceSearch {
    /// Runs a function with the query in the index's type, limited to the allowed records.
    fn run<T>(&self, now: i64, source: &Source, search: impl FnOnce(&Query<'_>) -> T) -> T {
        let allows = |id| !self.left_out.contains(&id);
        // If nothing is left out, the search need not check each record.
        let allowed = match self.left_out.is_empty() {
            true => Allowed::Everything,
            false => Allowed::Filter(&allows),
        };
        source.standings.within(now, |standings| {
            let Some(surroundings) = self.surroundings.as_deref() else {
                return search(&self.query(now, allowed, standings));
            };
            let factor = |id| {
                let outcomes = standings.map_or(1.0, |standings| (standings.factor)(id));
                let applies = source.applicability.factor(id, surroundings);
                (outcomes * applies).clamp(LEAST_FACTOR, MOST_FACTOR)
            };
            let fit = |id| source.applicability.fit(id, surroundings);
            let factors = Factors {
                factor: &factor,
                most: MOST_FACTOR,
                fit: Some(&fit),
            };
            search(&self.query(now, allowed, Some(factors)))
        })
    }

    fn query<'a>(
        &'a self,
        now: i64,
        allowed: Allowed<'a>,
        factors: Option<Factors<'a>>,
    ) -> Query<'a> {
        let query = self.query.as_deref();
        let context = self.context.as_deref();
        Query {
            text: &self.text,
            embedding: query.map(|embedded| embedded.vector.as_slice()),
            everyday: query.map_or(0.0, |embedded| embedded.everyday),
            turns: None,
            factors,
            language: query.map(|embedded| embedded.language).unwrap_or_default(),
            now,
            offset: self.offset as usize,
            limit: self.limit as usize,
            context: context.map(|embedded| embedded.vector.as_slice()),
            allowed,
        }
    }
}
