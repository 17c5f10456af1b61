//! How much a caller's interest adds to a record's popularity.
//!
//! A record that is listed gains 1, one that is opened 3, and each voice adds that once an hour: who
//! asks the same thing again and again makes nothing more popular. What was heard is kept in memory,
//! so that it is counted anew by each process and after a restart.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use recall_kit_fair_queue::flow::Voice;
use uuid::Uuid;

/// How long a voice adds nothing more to a record.
const ONCE_IN: SignedDuration = SignedDuration::from_hours(1);
/// The most records to whose popularity one voice adds in that time.
const RECORDS_OF_VOICE: usize = 2_000;
/// The most pairs of a voice and a record that are remembered; further ones add nothing.
const MOST_HEARD: usize = 200_000;

/// How closely somebody looked at a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// It was among the results of a query.
    Listed,
    /// It was opened by itself.
    Opened,
}

impl Look {
    const fn weight(self) -> u64 {
        match self {
            Self::Listed => 1,
            Self::Opened => 3,
        }
    }
}

/// Who looked at which records lately.
#[derive(Debug, Default)]
pub(super) struct Voices {
    heard: HashMap<Voice, HashMap<Uuid, Heard>>,
    pairs: usize,
    tidied: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy)]
struct Heard {
    since: Timestamp,
    closest: Look,
}

impl Voices {
    /// Returns how much a look at a record adds to its popularity at a moment.
    pub(super) fn hear(&mut self, voice: Voice, id: Uuid, look: Look, now: Timestamp) -> u64 {
        self.tidy(now);
        let has_room = self.pairs < MOST_HEARD;
        let records = self.heard.entry(voice).or_default();
        let has_room = has_room && records.len() < RECORDS_OF_VOICE;
        match records.get_mut(&id) {
            Some(heard) if !heard.is_over(now) => {
                let more = look.weight().saturating_sub(heard.closest.weight());
                heard.closest = heard.closest.max(look);
                more
            }
            Some(heard) => {
                *heard = Heard::new(look, now);
                look.weight()
            }
            None if has_room => {
                records.insert(id, Heard::new(look, now));
                self.pairs += 1;
                look.weight()
            }
            None => 0,
        }
    }

    /// Forgets what was heard long enough ago, as often as something can have become so old.
    fn tidy(&mut self, now: Timestamp) {
        let tidied = *self.tidied.get_or_insert(now);
        if now.duration_since(tidied).abs() < ONCE_IN / 4 {
            return;
        }
        self.tidied = Some(now);
        for records in self.heard.values_mut() {
            records.retain(|_, heard| !heard.is_over(now));
        }
        self.heard.retain(|_, records| !records.is_empty());
        self.pairs = self.heard.values().map(HashMap::len).sum();
    }
}

impl Heard {
    fn new(closest: Look, since: Timestamp) -> Self {
        Self { since, closest }
    }

    /// Whether the voice may add again; also where the clock was set back by as much.
    fn is_over(self, now: Timestamp) -> bool {
        now.duration_since(self.since).abs() >= ONCE_IN
    }
}

#[cfg(test)]
mod tests;
