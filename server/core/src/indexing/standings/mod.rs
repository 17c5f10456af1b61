//! What the outcomes of experiences add up to, in memory, for ranking: read once at start, and updated when an outcome
//! is reported here or by another process.

pub mod formula;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError, RwLock, RwLockReadGuard},
};

use jiff::{Timestamp, ToSpan as _};
use recall_kit_store::{HALF_LIFE_DAYS, OutcomeStanding, Store, StoreError};
use uuid::Uuid;

use self::formula::{FACTORS, Formula, Voices};

/// Standings read from the database at once.
const BATCH: u32 = 5_000;
/// How far back other processes' standings are read again, to allow for differing clocks and late commits.
const OVERLAP_SECONDS: i64 = 30;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// The standings of all experiences that have outcomes.
#[derive(Default)]
pub struct Standings {
    known: RwLock<Known>,
    /// The time up to which the standings of all processes are known.
    read_up_to: Mutex<Option<Timestamp>>,
}

#[derive(Default)]
struct Known {
    weights: HashMap<Uuid, Weights>,
    formula: Formula,
}

/// The weight of an experience's voices.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Weights {
    for_it: f32,
    against: f32,
    voices: u32,
    /// Seconds since 1970.
    as_of: i64,
}

impl From<&OutcomeStanding> for Weights {
    fn from(standing: &OutcomeStanding) -> Self {
        let (for_it, against) = standing.weights.limited();
        Self {
            for_it: for_it as f32,
            against: against as f32,
            voices: u32::try_from(standing.voices).unwrap_or(u32::MAX),
            as_of: standing.weights.as_of.as_second(),
        }
    }
}

impl Known {
    fn put(&mut self, standings: &[OutcomeStanding]) {
        let new = standings.iter().map(|one| (one.experience, one.into()));
        self.weights.extend(new);
    }

    /// Fits the formula to all standings.
    fn fit(&mut self) {
        self.formula = Formula::fitted(self.weights.values().map(|one| Voices {
            voices: one.voices.into(),
            for_it: one.for_it.into(),
            against: one.against.into(),
        }));
    }

    /// Returns the factor of an experience at a time in seconds since 1970.
    fn factor(&self, id: Uuid, now: i64) -> f32 {
        let Some(weights) = self.weights.get(&id) else {
            return 1.0;
        };
        let days = now.saturating_sub(weights.as_of).max(0) as f64 / SECONDS_PER_DAY;
        let left = (-days / HALF_LIFE_DAYS).exp2();
        let (for_it, against) = (f64::from(weights.for_it), f64::from(weights.against));
        self.formula.factor(left * for_it, left * against) as f32
    }
}

impl Standings {
    /// Reads all standings.
    pub(crate) async fn load(&self, store: &dyn Store, now: Timestamp) -> Result<(), StoreError> {
        let mut after = Uuid::nil();
        loop {
            let batch = store.standings_by_id(after, BATCH).await?;
            let Some(last) = batch.last() else { break };
            after = last.experience;
            self.write(|known| known.put(&batch));
        }
        self.write(Known::fit);
        self.set_read_up_to(now);
        Ok(())
    }

    /// Reads the standings that changed since the last time.
    pub(crate) async fn refresh(
        &self,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        // `min`: after a clock was set back, changes must not be ignored until it reaches the old time again.
        let from = self.read_up_to().unwrap_or(now).min(now);
        let from = from
            .checked_sub(OVERLAP_SECONDS.seconds())
            .unwrap_or(Timestamp::UNIX_EPOCH);
        let changed = store.standings_since(from).await?;
        self.set_read_up_to(now);
        if changed.is_empty() {
            return Ok(());
        }
        self.write(|known| {
            known.put(&changed);
            known.fit();
        });
        Ok(())
    }

    /// Adds a standing, or replaces the one of its experience.
    pub(crate) fn put(&self, standing: &OutcomeStanding) {
        self.write(|known| known.put(std::slice::from_ref(standing)));
    }

    /// Returns the factor on the relevance of an experience in the rank.
    pub(crate) fn factor(&self, id: Uuid, now: Timestamp) -> f32 {
        self.read().factor(id, now.as_second())
    }

    /// Runs a search with the factors at a time in seconds since 1970; with none if no experience has outcomes.
    pub(crate) fn within<T>(
        &self,
        now: i64,
        search: impl FnOnce(Option<recall_kit_search::Standings<'_>>) -> T,
    ) -> T {
        let known = self.read();
        if known.weights.is_empty() {
            drop(known);
            return search(None);
        }
        let factor = |id| known.factor(id, now);
        search(Some(recall_kit_search::Standings {
            factor: &factor,
            most: FACTORS.1 as f32,
        }))
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn read_up_to(&self) -> Option<Timestamp> {
        *self
            .read_up_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn set_read_up_to(&self, time: Timestamp) {
        *self
            .read_up_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(time);
    }
}
