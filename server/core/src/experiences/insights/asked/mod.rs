//! Noting what is asked: collected in memory, cleaned and stored in batches, so that no reply waits.
//!
//! A text waits as it came, for seconds, and is stored only without secrets and personal data; it is
//! never logged. What surrounds a question is not kept at all. A crash may lose the last seconds.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use recall_kit_sanitizer::{RuleGroup, sanitize};
use recall_kit_store::{
    Day, LATENCY_BOUNDS_MS, NewQuestion, QuestionDay, QuestionFamily, StoreError,
};

use crate::app::App;

/// Different texts that wait at most; others are only counted.
const MOST_TEXTS: usize = 10_000;
/// What they may take together, in bytes.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// The longest text that is kept, in characters.
const MAX_CHARS: usize = 300;
/// Relevance below which what was found is taken not to be what was looked for.
const RELEVANT_FROM: f64 = 0.3;
/// Texts that are stored at most, whatever their age.
const MOST_STORED: u64 = 100_000;
/// Days for which counts are kept at least, as they name nobody and nothing.
const COUNTS_DAYS: u32 = 90;
/// Rows that are forgotten at once.
const FORGET_BATCH: u32 = 10_000;
/// What is taken out of texts.
const CLEANED_OF: [RuleGroup; 2] = [RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo];

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answered {
    /// How much was found in all.
    pub results: u64,
    /// Relevance of the best result, 0–1, where it is known.
    pub relevance: Option<f64>,
    /// How long that took.
    pub took: Duration,
}

impl Answered {
    /// Whether something relevant was found.
    fn helps(&self) -> bool {
        self.results > 0 && self.relevance.is_none_or(|best| best >= RELEVANT_FROM)
    }

    /// Which of the buckets of latencies it is counted in.
    fn bucket(&self) -> usize {
        let bounds = LATENCY_BOUNDS_MS.iter();
        let mut bounds = bounds.map(|bound| Duration::from_millis((*bound).into()));
        let bucket = bounds.position(|bound| self.took <= bound);
        bucket.unwrap_or(LATENCY_BOUNDS_MS.len())
    }
}

type Key = (Day, QuestionFamily, String);

/// What was asked since the last flush.
#[derive(Debug, Default)]
pub struct Asked(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    texts: HashMap<Key, NewQuestion>,
    /// What the texts take.
    bytes: usize,
    days: BTreeMap<(Day, QuestionFamily), QuestionDay>,
}

impl Asked {
    /// Notes a question that was answered; its text only where texts are kept.
    pub fn note(&self, app: &App, family: QuestionFamily, text: &str, answered: Answered) {
        let keeps = app.settings.insights.keep_days > 0;
        let text = Some(text).filter(|_| keeps);
        self.add((family, text), answered, app.now());
    }

    fn add(
        &self,
        (family, text): (QuestionFamily, Option<&str>),
        answered: Answered,
        now: Timestamp,
    ) {
        let day = Day::of(now);
        let unanswered = u64::from(!answered.helps());
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = text.is_some_and(|text| {
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
        let of_day = waiting.days.entry((day, family));
        let of_day = of_day.or_insert_with(|| QuestionDay::new(day, family));
        of_day.asked += 1;
        of_day.unanswered += unanswered;
        of_day.others += u64::from(!is_kept);
        if let Some(count) = of_day.latencies.get_mut(answered.bucket()) {
            *count += 1;
        }
    }

    fn take(&self) -> Waiting {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts back what could not be stored.
    fn put_back(&self, questions: Vec<NewQuestion>, days: Vec<QuestionDay>) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    /// Lets a question wait; `false` when it is new and there is no room.
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

/// Adds what was asked once more.
fn add_to(known: &mut NewQuestion, more: &NewQuestion) {
    known.asked += more.asked;
    known.unanswered += more.unanswered;
    known.results += more.results;
    if more.last_at >= known.last_at {
        known.relevance = more.relevance;
        known.last_at = more.last_at;
    }
}

/// Stores what was asked, cleaned; on failure it is kept for the next try.
///
/// *Errors*: what the database said.
pub async fn flush(app: &Arc<App>) -> Result<(), StoreError> {
    let Waiting { texts, days, .. } = app.asked.take();
    if days.is_empty() {
        return Ok(());
    }
    let cleaning = tokio::task::spawn_blocking(move || cleaned(texts.into_values()));
    let questions = cleaning.await.map_err(|_| StoreError::BrokenOff)?;
    let days: Vec<QuestionDay> = days.into_values().collect();
    let stored = app.store.add_questions(&questions, &days).await;
    if stored.is_err() {
        app.asked.put_back(questions, days);
    }
    stored
}

/// Brings questions into one spelling, without secrets and personal data, those alike together, in an
/// order that is the same on every server.
fn cleaned(questions: impl Iterator<Item = NewQuestion>) -> Vec<NewQuestion> {
    let mut merged: BTreeMap<Key, NewQuestion> = BTreeMap::new();
    for question in questions {
        let text = one_spelling(&sanitize(&question.text, &CLEANED_OF).text);
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

/// Folds whitespace and case, and cuts what is long.
fn one_spelling(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let folded = words.join(" ").to_lowercase();
    let cut: String = folded.chars().take(MAX_CHARS).collect();
    cut.trim_end().to_owned()
}

/// Forgets what is older than it may get, a bounded number of rows at a time.
///
/// *Errors*: what the database said.
pub async fn forget(app: &Arc<App>) -> Result<u64, StoreError> {
    let keep = app.settings.insights.keep_days;
    let today = Day::of(app.now());
    // Of no day where none is kept.
    let texts = Day(today.before(keep).0 + 1);
    let counts = today.before(keep.max(COUNTS_DAYS));
    let days = (texts, counts);
    app.store
        .forget_questions(days, MOST_STORED, FORGET_BATCH)
        .await
}

#[cfg(test)]
mod tests;
