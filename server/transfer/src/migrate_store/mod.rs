//! Moving everything from one database into another one of any kind.
//!
//! Family after family is read in pages and stored as it is: what is there is passed over, so that a move
//! that broke off is simply run again; of two versions of one record the later stays. At the end both databases are read and compared, count by count
//! and digest by digest. Texts that a language model wrote about examples are a cache and stay
//! behind; so do sessions of the web pages, and what was asked.

mod canonical;
mod pages;
mod take;
mod verify;

use jiff::{SignedDuration, Timestamp};
use recall_kit_store::{IDEMPOTENCY_KEY_LIFETIME, Store, StoreError};

use self::{pages::Pages, take::Target, verify::Tally};

pub use self::verify::{Difference, Digest, Row, Verdict};

/// The most characters of an idempotency key that are shown.
const SHOWN: usize = 12;

/// What moves, in this order: what refers to others comes after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Experiences with counts, times and vectors.
    Experiences,
    /// Entries with notes, promotions and vectors.
    Entries,
    /// Links between entries.
    Links,
    /// Suggestions with what was decided.
    Suggestions,
    /// API keys by hash, with last use and revocation.
    ApiKeys,
    /// Users with their passwords' hashes.
    Users,
    /// Who did what.
    Audit,
    /// Idempotency keys of experiences that still protect.
    ExperienceKeys,
    /// Idempotency keys of entries that still protect.
    EntryKeys,
    /// Files of libraries with their chunks and vectors.
    Files,
    /// Versions of libraries.
    Versions,
}

impl Kind {
    /// Every kind, in the order of a move.
    pub const ALL: [Self; 11] = [
        Self::Experiences,
        Self::Entries,
        Self::Links,
        Self::Suggestions,
        Self::ApiKeys,
        Self::Users,
        Self::Audit,
        Self::ExperienceKeys,
        Self::EntryKeys,
        Self::Files,
        Self::Versions,
    ];

    /// Shortens what may be shown only in part: who has an idempotency key can repeat a call.
    fn shown(self, mut id: String) -> String {
        if matches!(self, Self::ExperienceKeys | Self::EntryKeys) {
            let end = id.char_indices().nth(SHOWN).map_or(id.len(), |(at, _)| at);
            id.truncate(end);
        }
        id
    }

    /// Returns what people call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Experiences => "experiences",
            Self::Entries => "entries",
            Self::Links => "links",
            Self::Suggestions => "suggestions",
            Self::ApiKeys => "API keys",
            Self::Users => "users",
            Self::Audit => "audit records",
            Self::ExperienceKeys => "idempotency keys of experiences",
            Self::EntryKeys => "idempotency keys of entries",
            Self::Files => "documentation files",
            Self::Versions => "library versions",
        }
    }
}

/// What a move tells while it goes on.
#[derive(Debug)]
pub enum Event {
    /// So many records were read and stored so far.
    Moved(u64),
    /// So many records of both databases were compared so far.
    Verified(u64),
    /// Another record has the place in the target and is kept.
    Conflict {
        /// What it is.
        kind: Kind,
        /// Which one; of an idempotency key only its beginning.
        id: String,
        /// In what they differ.
        differs: String,
    },
    /// The databases differ in a record; of many the first few are told.
    Difference {
        /// What it is.
        kind: Kind,
        /// Which one; of an idempotency key only its beginning.
        id: String,
        /// How they differ.
        how: Difference,
    },
}

/// What became of a move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Records that were stored.
    pub stored: u64,
    /// Records that were there already.
    pub already_there: u64,
    /// Records whose place another one has.
    pub conflicts: u64,
    /// Both databases, kind by kind.
    pub rows: Vec<Row>,
}

impl Report {
    /// Whether everything is in the target and nothing else.
    pub fn is_complete(&self) -> bool {
        self.conflicts == 0 && self.rows.iter().all(|row| row.verdict() == Verdict::Equal)
    }
}

/// What of a database moves.
struct Scope {
    /// The model of the vectors.
    model: Option<String>,
    /// Idempotency keys that are older protect no more.
    since: Timestamp,
}

/// Counts what there is to move, idempotency keys and who did what left out.
///
/// *Errors*: what the database said.
pub async fn count(source: &dyn Store) -> Result<u64, StoreError> {
    let knowledge = source.knowledge_counts().await?;
    let shelf = source.shelf().await?;
    let mut files: Vec<u64> = shelf.placed.iter().map(|(file, _)| *file).collect();
    files.dedup();
    let versions = shelf.libraries.iter().map(|library| library.versions.len());
    Ok(source.stored_experience_count().await?
        + knowledge.entries
        + knowledge.links
        + knowledge.suggestions
        + source.api_keys().await?.len() as u64
        + source.users().await?.len() as u64
        + files.len() as u64
        + versions.sum::<usize>() as u64)
}

/// Moves everything, makes the source's model that of the target, and compares both at the end.
///
/// *Errors*: what a database said, also [`StoreError::OtherModel`] for a target whose vectors another
/// model made; what was stored until then stays.
pub async fn migrate_store(
    source: &dyn Store,
    target: &dyn Store,
    now: Timestamp,
    mut heard: impl FnMut(Event) + Send,
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
    let mut taking = Target {
        store: target,
        model: scope.model.as_deref(),
        now,
        libraries: None,
        report: &mut report,
        heard: &mut heard,
    };
    let mut moved = Vec::with_capacity(Kind::ALL.len());
    let mut records = 0;
    for kind in Kind::ALL {
        let mut tally = Tally::default();
        let mut pages = Pages::new(source, &scope, kind);
        while let Some(page) = pages.next().await? {
            tally.add(&page)?;
            records += page.len();
            taking.take(page).await?;
            (taking.heard)(Event::Moved(records));
        }
        moved.push((kind, tally.finish()));
    }
    report.rows = verify::compare(source, target, &scope, moved, &mut heard).await?;
    Ok(report)
}
