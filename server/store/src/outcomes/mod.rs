//! Outcomes: what came of using experiences, and what the outcomes of an experience add up to.
//!
//! Outcomes are only added. The standing of an experience is computed from all of its outcomes in the transaction
//! that adds one, see [`standing`]. The state of a standing depends on the time at which it is read.

pub(crate) mod standing;

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind};
use uuid::Uuid;

use super::{AuditEvent, Result};

/// The most outcomes of one principal for one experience; more are not stored.
pub const OUTCOMES_OF_VOICE_MAX: u64 = 1_000;

/// A report that an experience did or did not help.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What came of it.
    pub kind: OutcomeKind,
    /// Whose voice it is: the same text for all reports of one user, key or network.
    pub principal: String,
    /// 0–1: how far the principal was trusted when it reported.
    pub tier: f64,
    /// On what it is based.
    pub evidence: Evidence,
    /// The recall that showed the experience.
    pub recall_id: Option<String>,
    /// A note for people.
    pub note: Option<String>,
}

/// A stored outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredOutcome {
    /// Its id.
    pub id: Uuid,
    /// The experience.
    pub experience: Uuid,
    /// When it was reported.
    pub at: Timestamp,
    /// The report; `None` means that the experience's solution was changed then.
    pub report: Option<Report>,
}

/// An outcome to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewOutcome {
    /// Its new id.
    pub id: Uuid,
    /// The experience.
    pub experience: Uuid,
    /// When it was reported.
    pub at: Timestamp,
    /// The report.
    pub report: Report,
    /// The client's key, see [`crate::IdempotencyKey::scoped`].
    pub idempotency_key: Option<String>,
    /// The event for the audit list.
    pub event: Option<AuditEvent>,
}

/// What became of an outcome that was to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedOutcome {
    /// The id of the stored outcome: an earlier one if the key was used before, or if the principal has reported too
    /// often.
    pub id: Uuid,
    /// Its tier.
    pub tier: f64,
    /// Whether it was stored now.
    pub is_new: bool,
    /// The standing of the experience with it.
    pub standing: OutcomeStanding,
}

/// What the outcomes of an experience add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeStanding {
    /// The experience.
    pub experience: Uuid,
    /// How often it worked as it stands.
    pub worked: u64,
    /// How often it worked after changes.
    pub worked_with_changes: u64,
    /// How often it did not work.
    pub did_not_work: u64,
    /// How many principals said so.
    pub voices: u64,
    /// Whether there are voices of some weight on both sides.
    pub is_contested: bool,
    /// The weight of the voices.
    pub weights: VoiceWeights,
    /// When the last outcome was reported.
    pub last_at: Timestamp,
    /// When it last worked.
    pub last_worked_at: Option<Timestamp>,
    /// When it last did not work.
    pub last_failed_at: Option<Timestamp>,
}

/// Sums of the weights of an experience's voices at a point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoiceWeights {
    /// Of voices whose tier is at least 0.5, for the experience.
    pub strong_for: f64,
    /// Of those, against it.
    pub strong_against: f64,
    /// Of the other voices, for it; not limited yet.
    pub weak_for: f64,
    /// Of the other voices, against it; not limited yet.
    pub weak_against: f64,
    /// The time at which the voices have these weights.
    pub as_of: Timestamp,
}

/// Outcomes and standings; see [`crate::Store`] for what every method guarantees.
#[async_trait]
pub trait OutcomeStore: Send + Sync {
    /// Stores an outcome and computes the standing of its experience anew, in one transaction. A key that was used
    /// before for the same report stores nothing ([`crate::StoreError::KeyReused`] for another report;
    /// [`crate::StoreError::NoExperience`] if the experience is unknown, hidden or deleted).
    async fn report_outcome(&self, new: &NewOutcome) -> Result<ReportedOutcome>;
    /// Returns the standings of these experiences, in no particular order; those without outcomes have none.
    async fn standings(&self, experiences: &[Uuid]) -> Result<Vec<OutcomeStanding>>;
    /// Returns up to `limit` standings after the id, ordered by id.
    async fn standings_by_id(&self, after: Uuid, limit: u32) -> Result<Vec<OutcomeStanding>>;
    /// Returns the standings that were computed at or after a point in time.
    async fn standings_since(&self, moment: Timestamp) -> Result<Vec<OutcomeStanding>>;
    /// Returns up to `limit` outcomes of an experience, the newest first.
    async fn outcomes_of(&self, experience: Uuid, limit: u32) -> Result<Vec<StoredOutcome>>;
    /// Returns on how many experiences a principal agrees with the others, of the last `experiences` on which it
    /// reported.
    async fn agreed_outcomes(&self, principal: &str, experiences: u32) -> Result<u64>;
    /// Returns who shared an experience: the id of a user or a key. `None` if the author or the experience is unknown.
    async fn author_of(&self, experience: Uuid) -> Result<Option<Uuid>>;
    /// Returns up to `limit` outcomes after the id, ordered by id.
    async fn outcomes_by_id(&self, after: Uuid, limit: u32) -> Result<Vec<StoredOutcome>>;
    /// Stores outcomes unchanged, without their idempotency keys, and computes the standings of their experiences anew;
    /// returns what became of each.
    async fn import_outcomes(
        &self,
        outcomes: &[StoredOutcome],
        now: Timestamp,
    ) -> Result<Vec<OutcomeImport>>;
    /// Returns how many outcomes are stored.
    async fn outcome_count(&self) -> Result<u64>;
}

/// The result of importing an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeImport {
    /// It was stored.
    Stored,
    /// It was stored already.
    Existing,
    /// Another outcome has its id.
    Conflict,
    /// Its experience is missing.
    ExperienceMissing,
}
