//! Moves everything from one database into another one of any kind.
//!
//! The records are read kind by kind in pages and stored unchanged. Records that are stored already are
//! skipped, so that an interrupted move is simply run again; of two versions of a record the later one is
//! kept. At the end both databases are read and their counts and digests are compared. Texts that a language
//! model wrote about examples are a cache and are not moved; neither are sessions of the web pages and the
//! queries of the insights.

mod canonical;
mod pages;
mod take;
mod verify;

use jiff::{SignedDuration, Timestamp};
use recall_kit_store::{IDEMPOTENCY_KEY_LIFETIME, Store, StoreError};

use self::{pages::Pages, take::Target, verify::Tally};

pub use self::verify::{Difference, Digest, Row, Verdict};

/// How many characters of an idempotency key are shown.
const KEY_CHARS: usize = 12;

/// The kinds of records, in the order of a move: records come after those that they refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Experiences with counts, times and vectors.
    Experiences,
    /// Outcomes of experiences.
    Outcomes,
    /// Entries with notes, promotions and vectors.
    Entries,
    /// Links between entries.
    Links,
    /// Suggestions with their decisions.
    Suggestions,
    /// API keys by hash, with last use and revocation.
    ApiKeys,
    /// Users with their passwords' hashes.
    Users,
    /// Audit records.
    Audit,
    /// Idempotency keys of experiences that have not expired.
    ExperienceKeys,
    /// Idempotency keys of entries that have not expired.
    EntryKeys,
    /// Idempotency keys of outcomes that are not older than those of other records.
    OutcomeKeys,
    /// Files of libraries with their chunks and vectors.
    Files,
    /// Versions of libraries.
    Versions,
}

impl Kind {
    /// Every kind, in the order of a move.
    pub const ALL: [Self; 13] = [
        Self::Experiences,
        Self::Outcomes,
        Self::Entries,
        Self::Links,
        Self::Suggestions,
        Self::ApiKeys,
        Self::Users,
        Self::Audit,
        Self::ExperienceKeys,
        Self::EntryKeys,
        Self::OutcomeKeys,
        Self::Files,
        Self::Versions,
    ];

    /// Shortens an idempotency key, since anyone who has it can repeat a call; other ids are unchanged.
    fn shown(self, mut id: String) -> String {
        if matches!(
            self,
            Self::ExperienceKeys | Self::EntryKeys | Self::OutcomeKeys
        ) {
            let end = id
                .char_indices()
                .nth(KEY_CHARS)
                .map_or(id.len(), |(at, _)| at);
            id.truncate(end);
        }
        id
    }

    /// Returns its display name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Experiences => "experiences",
            Self::Outcomes => "outcomes",
            Self::Entries => "entries",
            Self::Links => "links",
            Self::Suggestions => "suggestions",
            Self::ApiKeys => "API keys",
            Self::Users => "users",
            Self::Audit => "audit records",
            Self::ExperienceKeys => "idempotency keys of experiences",
            Self::EntryKeys => "idempotency keys of entries",
            Self::OutcomeKeys => "idempotency keys of outcomes",
            Self::Files => "documentation files",
            Self::Versions => "library versions",
        }
    }
}

/// An event of a running move.
#[derive(Debug)]
pub enum Event {
    /// The number of records read and stored so far.
    Moved(u64),
    /// The number of records compared in both databases so far.
    Verified(u64),
    /// The target has another record with the same id or name; it is kept.
    Conflict {
        /// The kind.
        kind: Kind,
        /// The id; of an idempotency key only its beginning.
        id: String,
        /// In what they differ.
        differs: String,
    },
    /// The databases differ in a record; only the first few differences are reported.
    Difference {
        /// The kind.
        kind: Kind,
        /// The id; of an idempotency key only its beginning.
        id: String,
        /// How they differ.
        how: Difference,
    },
}

/// The result of a move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Records that were stored.
    pub stored: u64,
    /// Records that were stored already.
    pub already_there: u64,
    /// Records that conflict with another one in the target.
    pub conflicts: u64,
    /// The comparison of both databases, kind by kind.
    pub rows: Vec<Row>,
}

impl Report {
    /// Whether the target contains exactly the records of the source.
    pub fn is_complete(&self) -> bool {
        self.conflicts == 0 && self.rows.iter().all(|row| row.verdict() == Verdict::Equal)
    }
}

/// Which data of a database moves.
struct Scope {
    /// The model of the vectors.
    model: Option<String>,
    /// Older idempotency keys have expired.
    since: Timestamp,
}

/// Counts the records to move, without idempotency keys and audit records.
///
/// *Errors*: those of the database.
pub async fn count(source: &dyn Store) -> Result<u64, StoreError> {
    let knowledge = source.knowledge_counts().await?;
    let snapshot = source.library_snapshot().await?;
    let mut files: Vec<u64> = snapshot.placed.iter().map(|(file, _)| *file).collect();
    files.dedup();
    let versions = snapshot
        .libraries
        .iter()
        .map(|library| library.versions.len());
    Ok(source.stored_experience_count().await?
        + source.outcome_count().await?
        + knowledge.entries
        + knowledge.links
        + knowledge.suggestions
        + source.api_keys().await?.len() as u64
        + source.users().await?.len() as u64
        + files.len() as u64
        + versions.sum::<usize>() as u64)
}

/// Moves everything, sets the source's model in the target, and compares both at the end. `on_event` is
/// called with each event.
///
/// *Errors*: those of the databases, including [`StoreError::OtherModel`] for a target with vectors of
/// another model; records that were stored until then stay.
pub async fn migrate_store(
    source: &dyn Store,
    target: &dyn Store,
    now: Timestamp,
    mut on_event: impl FnMut(Event) + Send,
) -> Result<Report, StoreError> {
    let lifetime = SignedDuration::try_from(IDEMPOTENCY_KEY_LIFETIME).unwrap_or_default();
    let scope = Scope {
        model: source.embedding_model().await?,
        since: now.checked_sub(lifetime).unwrap_or(Timestamp::MIN),
    };
    if let Some(model) = &scope.model {
        target.claim_embedding_model(model).await?;
    }
    let mut report = Report::default();
    let mut receiver = Target {
        store: target,
        model: scope.model.as_deref(),
        now,
        libraries: None,
        report: &mut report,
        on_event: &mut on_event,
    };
    let mut moved = Vec::with_capacity(Kind::ALL.len());
    let mut records = 0;
    for kind in Kind::ALL {
        let mut tally = Tally::default();
        let mut pages = Pages::new(source, &scope, kind);
        while let Some(page) = pages.next().await? {
            tally.add(&page)?;
            records += page.len();
            receiver.store_page(page).await?;
            (receiver.on_event)(Event::Moved(records));
        }
        moved.push((kind, tally.finish()));
    }
    report.rows = verify::compare(source, target, &scope, moved, &mut on_event).await?;
    Ok(report)
}
