//! Records queries for the insights: collects them in memory, cleans them and stores them in batches, so
//! that no response waits for it.
//!
//! The text of a query stays unchanged in memory for seconds. It is stored only without secrets and
//! personal data, and is never logged. The context of a query is never stored. A crash may lose the last
//! seconds.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use recall_kit_sanitizer::{RuleGroup, sanitize};
use recall_kit_store::{
    Day, LATENCY_BOUNDS_MS, NewQuestion, QuestionDay, QuestionFamily, StoreError,
};

use super::Insights;
use crate::clock::Clock;

/// The most distinct texts in memory; further ones are only counted.
const MOST_TEXTS: usize = 10_000;
/// The most memory of these texts, in bytes.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// The most characters of a text that are stored.
const MAX_CHARS: usize = 300;
/// If the best result has a lower relevance, the query counts as unanswered.
const RELEVANT_FROM: f64 = 0.3;
/// The most texts in the database, whatever their age.
const MOST_STORED: u64 = 100_000;
/// Counts are stored for at least this many days, since they contain no personal data.
const COUNTS_DAYS: u32 = 90;
/// Rows that are deleted at once.
const FORGET_BATCH: u32 = 10_000;
/// The rule groups that texts are sanitized with.
const CLEANED_OF: [RuleGroup; 2] = [RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo];

/// The outcome of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answered {
    /// The total number of results.
    pub results: u64,
    /// Relevance of the best result, 0–1, if known.
    pub relevance: Option<f64>,
    /// How long it took.
    pub took: Duration,
}

impl Answered {
    /// Whether something relevant was found.
    fn helps(&self) -> bool {
        self.results > 0 && self.relevance.is_none_or(|best| best >= RELEVANT_FROM)
    }

    /// Returns the index of its latency bucket.
    fn bucket(&self) -> usize {
        let bounds = LATENCY_BOUNDS_MS.iter();
        let mut bounds = bounds.map(|bound| Duration::from_millis((*bound).into()));
        let bucket = bounds.position(|bound| self.took <= bound);
        bucket.unwrap_or(LATENCY_BOUNDS_MS.len())
    }
}

type Key = (Day, QuestionFamily, String);

/// The queries since the last flush.
#[derive(Debug)]
pub struct QueryLog {
    waiting: Mutex<Waiting>,
    stores_texts: bool,
    clock: Clock,
}

#[derive(Debug, Default)]
struct Waiting {
    texts: HashMap<Key, NewQuestion>,
    /// Bytes that the texts take.
    bytes: usize,
    days: BTreeMap<(Day, QuestionFamily), QuestionDay>,
}

impl QueryLog {
    /// Creates an empty log; texts are kept if they are stored for some days.
    pub(crate) fn new(keep_days: u32, clock: Clock) -> Self {
        Self {
            waiting: Mutex::default(),
            stores_texts: keep_days > 0,
            clock,
        }
    }

    /// Records an answered query; its text only if the settings store texts.
    pub fn note(&self, family: QuestionFamily, text: &str, answered: Answered) {
        let text = Some(text).filter(|_| self.stores_texts);
        self.add((family, text), answered, self.clock.now());
    }

    fn add(
        &self,
        (family, text): (QuestionFamily, Option<&str>),
        answered: Answered,
        now: Timestamp,
    ) {
        let day = Day::of(now);
        let unanswered = u64::from(!answered.helps());
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let has_text = text.is_some_and(|text| {
            waiting.put(NewQuestion {
                day,
                family,
                text: text.to_owned(),
                asked: 1,
                unanswered,
                results: answered.results,
                relevance: answered.relevance,
                last_at: now,
            })
        });
        let counts = waiting.days.entry((day, family));
        let counts = counts.or_insert_with(|| QuestionDay::new(day, family));
        counts.asked += 1;
        counts.unanswered += unanswered;
        counts.others += u64::from(!has_text);
        if let Some(count) = counts.latencies.get_mut(answered.bucket()) {
            *count += 1;
        }
    }

    fn take(&self) -> Waiting {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts back queries that could not be stored.
    fn put_back(&self, questions: Vec<NewQuestion>, days: Vec<QuestionDay>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for question in questions {
            waiting.put(question);
        }
        for day in days {
            let known = waiting.days.entry((day.day, day.family));
            let known = known.or_insert_with(|| QuestionDay::new(day.day, day.family));
            known.asked += day.asked;
            known.unanswered += day.unanswered;
            known.others += day.others;
            for (count, more) in known.latencies.iter_mut().zip(day.latencies) {
                *count += more;
            }
        }
    }
}

impl Waiting {
    /// Adds a query to the pending texts; `false` if its text is new and there is no room.
    fn put(&mut self, new: NewQuestion) -> bool {
        let key = (new.day, new.family, new.text.clone());
        if let Some(known) = self.texts.get_mut(&key) {
            add_to(known, &new);
            return true;
        }
        let bytes = 2 * new.text.len();
        let has_room = self.texts.len() < MOST_TEXTS && self.bytes + bytes <= MOST_BYTES;
        if has_room {
            self.bytes += bytes;
            self.texts.insert(key, new);
        }
        has_room
    }
}

/// Adds the counts of a repeated query to the known one.
fn add_to(known: &mut NewQuestion, more: &NewQuestion) {
    known.asked += more.asked;
    known.unanswered += more.unanswered;
    known.results += more.results;
    if more.last_at >= known.last_at {
        known.relevance = more.relevance;
        known.last_at = more.last_at;
    }
}

/// Stores the pending queries, cleaned. On failure they stay pending for the next flush.
///
/// *Errors*: those of the database.
pub(crate) async fn flush(insights: &Insights) -> Result<(), StoreError> {
    let Waiting { texts, days, .. } = insights.query_log.take();
    if days.is_empty() {
        return Ok(());
    }
    let cleaning = tokio::task::spawn_blocking(move || cleaned(texts.into_values()));
    let questions = cleaning.await.map_err(|_| StoreError::BrokenOff)?;
    let days: Vec<QuestionDay> = days.into_values().collect();
    let stored = insights.store.add_questions(&questions, &days).await;
    if stored.is_err() {
        insights.query_log.put_back(questions, days);
    }
    stored
}

/// Removes secrets and personal data from queries, normalizes their spelling and merges equal ones.
/// The order is the same on every server.
fn cleaned(questions: impl Iterator<Item = NewQuestion>) -> Vec<NewQuestion> {
    let mut merged: BTreeMap<Key, NewQuestion> = BTreeMap::new();
    for question in questions {
        let text = normalized(&sanitize(&question.text, &CLEANED_OF).text);
        if text.is_empty() {
            continue;
        }
        let key = (question.day, question.family, text.clone());
        match merged.get_mut(&key) {
            Some(known) => add_to(known, &question),
            None => {
                merged.insert(key, NewQuestion { text, ..question });
            }
        }
    }
    merged.into_values().collect()
}

/// Folds whitespace and case, and truncates to [`MAX_CHARS`].
fn normalized(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let folded = words.join(" ").to_lowercase();
    let cut: String = folded.chars().take(MAX_CHARS).collect();
    cut.trim_end().to_owned()
}

/// Deletes queries and counts that are too old, a bounded number of rows at a time.
///
/// *Errors*: those of the database.
pub(crate) async fn forget(insights: &Insights) -> Result<u64, StoreError> {
    let keep = insights.keep_days;
    let today = Day::of(insights.clock.now());
    // With `keep_days` 0 this is tomorrow, so no text is kept.
    let texts = Day(today.before(keep).0 + 1);
    let counts = today.before(keep.max(COUNTS_DAYS));
    let days = (texts, counts);
    insights
        .store
        .forget_questions(days, MOST_STORED, FORGET_BATCH)
        .await
}

#[cfg(test)]
mod tests;
