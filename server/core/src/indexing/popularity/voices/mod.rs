//! How much a caller adds to a record's popularity.
//!
//! A record that is listed gains 1, one that is opened 3. Each caller (a [`Voice`]) adds that once an hour,
//! so that repeated queries of one caller make nothing more popular. This state is in memory: each
//! process counts separately, and begins again after a restart.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use recall_kit_fair_queue::flow::Voice;
use uuid::Uuid;

/// The time in which a voice adds to a record only once.
const INTERVAL: SignedDuration = SignedDuration::from_hours(1);
/// The most records to whose popularity one voice adds in that time.
const RECORDS_OF_VOICE: usize = 2_000;
/// The most pairs of a voice and a record that are remembered; further ones add nothing.
const MAX_PAIRS: usize = 200_000;

/// How a caller saw a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exposure {
    /// It was among the results of a query.
    Listed,
    /// It was opened by itself.
    Opened,
}

impl Exposure {
    const fn weight(self) -> u64 {
        match self {
            Self::Listed => 1,
            Self::Opened => 3,
        }
    }
}

/// Which voices saw which records recently.
#[derive(Debug, Default)]
pub(super) struct Voices {
    seen: HashMap<Voice, HashMap<Uuid, Seen>>,
    pairs: usize,
    tidied: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    since: Timestamp,
    closest: Exposure,
}

impl Voices {
    /// Records that a voice saw a record, and returns how much that adds to the record's popularity.
    pub(super) fn hear(
        &mut self,
        voice: Voice,
        id: Uuid,
        exposure: Exposure,
        now: Timestamp,
    ) -> u64 {
        self.tidy(now);
        let has_room = self.pairs < MAX_PAIRS;
        let records = self.seen.entry(voice).or_default();
        let has_room = has_room && records.len() < RECORDS_OF_VOICE;
        match records.get_mut(&id) {
            Some(seen) if !seen.is_over(now) => {
                let more = exposure.weight().saturating_sub(seen.closest.weight());
                seen.closest = seen.closest.max(exposure);
                more
            }
            Some(seen) => {
                *seen = Seen::new(exposure, now);
                exposure.weight()
            }
            None if has_room => {
                records.insert(id, Seen::new(exposure, now));
                self.pairs += 1;
                exposure.weight()
            }
            None => 0,
        }
    }

    /// Removes what is older than the interval, at most four times per interval.
    fn tidy(&mut self, now: Timestamp) {
        let tidied = *self.tidied.get_or_insert(now);
        if now.duration_since(tidied).abs() < INTERVAL / 4 {
            return;
        }
        self.tidied = Some(now);
        for records in self.seen.values_mut() {
            records.retain(|_, seen| !seen.is_over(now));
        }
        self.seen.retain(|_, records| !records.is_empty());
        self.pairs = self.seen.values().map(HashMap::len).sum();
    }
}

impl Seen {
    fn new(closest: Exposure, since: Timestamp) -> Self {
        Self { since, closest }
    }

    /// Whether the voice may add again; the absolute difference covers a clock that was set back.
    fn is_over(self, now: Timestamp) -> bool {
        now.duration_since(self.since).abs() >= INTERVAL
    }
}

#[cfg(test)]
mod tests;
