//! What the outcomes of experiences add up to, in memory, for ranking: read once at start, and updated when an outcome
//! is reported here or by another process.
//!
//! Weights are kept as they were at the last report, and age with the time at which they are used.

pub mod formula;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError, RwLock, RwLockReadGuard},
};

use jiff::Timestamp;
use recall_kit_search::Factors;
use recall_kit_shared_types::outcomes::StandingState;
use recall_kit_store::{
    GroupWeights, LastVerdicts, OutcomeStanding, Store, StoreError, VoiceWeights,
};
use uuid::Uuid;

use self::formula::{FACTORS, Formula, Voices};

/// Standings read from the database at once.
const BATCH: u32 = 5_000;
/// How often the formula is fitted anew while standings change, in seconds.
const FIT_INTERVAL_SECONDS: i64 = 60;
/// How often it is fitted anew while none changes, in seconds: weights age.
const AGED_INTERVAL_SECONDS: i64 = 60 * 60;

/// The standings of all experiences that have outcomes.
#[derive(Default)]
pub struct Standings {
    known: RwLock<Known>,
    /// The revision up to which the standings of all processes are known.
    read_up_to: Mutex<u64>,
}

#[derive(Default)]
struct Known {
    weights: HashMap<Uuid, Weights>,
    formula: Formula,
    /// When the formula was fitted, in seconds since 1970.
    fitted_at: i64,
}

/// The weight of an experience's voices, and when it last worked. Times are seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Weights {
    /// Of strong voices, for and against it.
    strong: (f32, f32),
    /// Of weak voices, not limited yet.
    weak: (f32, f32),
    as_of: i64,
    strong_voices: u32,
    revision: u64,
    /// According to strong voices.
    worked_at: Option<i64>,
    failed_at: Option<i64>,
}

impl From<&OutcomeStanding> for Weights {
    fn from(standing: &OutcomeStanding) -> Self {
        let pair = |group: GroupWeights| (group.for_it as f32, group.against as f32);
        let LastVerdicts {
            worked_at,
            failed_at,
        } = standing.last_strong;
        Self {
            strong: pair(standing.weights.strong),
            weak: pair(standing.weights.weak),
            as_of: standing.weights.as_of.as_second(),
            strong_voices: u32::try_from(standing.strong_voices).unwrap_or(u32::MAX),
            revision: standing.revision,
            worked_at: worked_at.map(Timestamp::as_second),
            failed_at: failed_at.map(Timestamp::as_second),
        }
    }
}

impl Weights {
    /// Returns the weights as the store computes with them.
    fn weights(&self) -> VoiceWeights {
        let group = |(for_it, against): (f32, f32)| GroupWeights {
            for_it: for_it.into(),
            against: against.into(),
            no: 0.0,
        };
        VoiceWeights {
            strong: group(self.strong),
            weak: group(self.weak),
            as_of: time(self.as_of),
        }
    }

    /// Returns the weights of the strong voices at a time, for fitting.
    fn strong(&self, now: Timestamp) -> Voices {
        let strong = VoiceWeights {
            weak: GroupWeights::default(),
            ..self.weights()
        };
        let (for_it, against) = strong.at(now);
        Voices {
            voices: self.strong_voices.into(),
            for_it,
            against,
        }
    }

    /// Returns what the last verdicts of strong voices say at a time; weak ones could make anything old.
    fn state(&self, now: Timestamp) -> StandingState {
        let last = LastVerdicts {
            worked_at: self.worked_at.map(time),
            failed_at: self.failed_at.map(time),
        };
        last.state(now)
    }
}

fn time(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Returns the formula that fits strong voices at a time.
fn fitted(weights: &[Weights], now: Timestamp) -> Formula {
    Formula::fitted(weights.iter().map(|one| one.strong(now)))
}

impl Known {
    fn put(&mut self, standings: &[OutcomeStanding]) {
        for standing in standings {
            let new = Weights::from(standing);
            let known = self.weights.entry(standing.experience).or_insert(new);
            // Reports that are answered at the same time arrive here in any order.
            if known.revision <= new.revision {
                *known = new;
            }
        }
    }

    /// Returns the factor of an experience at a time in seconds since 1970.
    fn factor(&self, id: Uuid, now: i64) -> f32 {
        let Some(weights) = self.weights.get(&id) else {
            return 1.0;
        };
        let now = time(now);
        let (for_it, against) = weights.weights().at(now);
        let factor = self.formula.factor(for_it, against);
        formula::aged(factor, weights.state(now)) as f32
    }
}

impl Standings {
    /// Reads the standings that changed since the last time: at first all.
    pub(crate) async fn refresh(
        &self,
        store: &dyn Store,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let before = self.read_up_to();
        let mut revision = before;
        loop {
            let batch = store.standings_after(revision, BATCH).await?;
            let Some(last) = batch.last() else { break };
            revision = last.revision;
            self.write(|known| known.put(&batch));
        }
        self.set_read_up_to(revision);
        // `abs`: also after a clock was set back.
        let age = (now.as_second() - self.read().fitted_at).abs();
        let interval = match revision > before {
            true => FIT_INTERVAL_SECONDS,
            false => AGED_INTERVAL_SECONDS,
        };
        if age >= interval {
            let weights = self.weights();
            let fitting = tokio::task::spawn_blocking(move || fitted(&weights, now));
            self.set_formula(fitting.await.map_err(|_| StoreError::BrokenOff)?, now);
        }
        Ok(())
    }

    /// Fits the formula to all standings at a time.
    pub fn fit(&self, now: Timestamp) {
        self.set_formula(fitted(&self.weights(), now), now);
    }

    /// Copies all weights, so that fitting locks nothing.
    fn weights(&self) -> Vec<Weights> {
        self.read().weights.values().copied().collect()
    }

    fn set_formula(&self, formula: Formula, now: Timestamp) {
        self.write(|known| {
            known.formula = formula;
            known.fitted_at = now.as_second();
        });
    }

    /// Adds a standing, or replaces an earlier one of its experience.
    pub fn put(&self, standing: &OutcomeStanding) {
        self.write(|known| known.put(std::slice::from_ref(standing)));
    }

    /// Returns the factor on the relevance of an experience in the rank.
    pub fn factor(&self, id: Uuid, now: Timestamp) -> f32 {
        self.read().factor(id, now.as_second())
    }

    /// Runs a search with the factors at a time in seconds since 1970; with none if no experience has outcomes.
    pub(crate) fn within<T>(&self, now: i64, search: impl FnOnce(Option<Factors<'_>>) -> T) -> T {
        if self.read().weights.is_empty() {
            return search(None);
        }
        // Locked for one record at a time: a report must not wait until the search ends, and other searches not for it.
        let factor = |id| self.read().factor(id, now);
        search(Some(Factors {
            factor: &factor,
            most: FACTORS.1 as f32,
            fit: None,
        }))
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn read_up_to(&self) -> u64 {
        *self
            .read_up_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn set_read_up_to(&self, revision: u64) {
        let mut read_up_to = self
            .read_up_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *read_up_to = (*read_up_to).max(revision);
    }
}

#[cfg(test)]
mod tests;
