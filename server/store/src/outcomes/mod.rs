//! Outcomes: what came of using experiences, and what the outcomes of an experience add up to.
//!
//! Outcomes are only added. The standing of an experience is computed in the transaction that adds one, see
//! [`standing`]: from all of its outcomes if there are few, else by the change of one voice. Both have the same result.
//! The state of a standing depends on the time at which it is read.

pub(crate) mod standing;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recall_kit_shared_types::{
    applicability::Environment,
    outcomes::{Evidence, OutcomeKind},
};
use uuid::Uuid;

use super::{AuditEvent, Result};

/// How many of its last reports on an experience make up a principal's voice, and the most that are stored in
/// [`OUTCOMES_OF_VOICE_PERIOD`].
pub const OUTCOMES_OF_VOICE_MAX: u32 = 50;
/// The period in which a principal can report [`OUTCOMES_OF_VOICE_MAX`] times on an experience; more are not stored.
pub const OUTCOMES_OF_VOICE_PERIOD: SignedDuration = SignedDuration::from_hours(24);

/// The most reports without weight (of tier 0) that are stored in [`OUTCOMES_OF_VOICE_PERIOD`].
pub const OUTCOMES_WITHOUT_WEIGHT_MAX: u32 = 1;
/// The word for a change of the solution, beside those of [`OutcomeKind`].
pub const SOLUTION_CHANGED: &str = "solution_changed";

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
    /// Where it was used, as far as that concerns the experience.
    pub environment: Option<Environment>,
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
    /// The event for the audit list, if it belongs there.
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
    /// Whether it can move the experience among other results: it has some weight, and was stored now or earlier under
    /// the same key.
    pub counts: bool,
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
    /// How many of them are strong: those whose tier is at least 0.5.
    pub strong_voices: u64,
    /// The weight of the voices.
    pub weights: VoiceWeights,
    /// When the last outcome was reported.
    pub last_at: Timestamp,
    /// The last verdicts of all reports.
    pub last: LastVerdicts,
    /// The last verdicts of reports whose tier is at least 0.5.
    pub last_strong: LastVerdicts,
    /// Grows with every change of any standing; 0 if it is not stored.
    pub revision: u64,
}

/// When an experience last worked, and when it last did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LastVerdicts {
    /// When it last worked, as it stands or after changes.
    pub worked_at: Option<Timestamp>,
    /// When it last did not work.
    pub failed_at: Option<Timestamp>,
}

/// Sums of the weights of an experience's voices at a point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoiceWeights {
    /// Of the voices whose tier is at least 0.5.
    pub strong: GroupWeights,
    /// Of the other voices; not limited yet.
    pub weak: GroupWeights,
    /// The time at which the voices have these weights.
    pub as_of: Timestamp,
}

/// Sums of the weights of a group of voices.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GroupWeights {
    /// For the experience.
    pub for_it: f64,
    /// Against it.
    pub against: f64,
    /// Of the voices that rather say that it does not work: the part of both sums that is theirs.
    pub no: f64,
}

/// Outcomes and standings; see [`crate::Store`] for what every method guarantees.
#[async_trait]
pub trait OutcomeStore: Send + Sync {
    /// Stores an outcome and computes the standing of its experience, in one transaction. A key that was used
    /// before for the same report stores nothing, also if the principal or its tier has changed since ([`crate::StoreError::KeyReused`] for another report;
    /// [`crate::StoreError::NoExperience`] if the experience is unknown, hidden or deleted).
    async fn report_outcome(&self, new: &NewOutcome) -> Result<ReportedOutcome>;
    /// Returns the standings of these experiences, in no particular order; those without outcomes have none.
    async fn standings(&self, experiences: &[Uuid]) -> Result<Vec<OutcomeStanding>>;
    /// Returns up to `limit` standings with a higher revision, ordered by it. A standing that is committed later has a
    /// higher revision than all that were committed before, whatever the clocks of the servers say.
    async fn standings_after(&self, revision: u64, limit: u32) -> Result<Vec<OutcomeStanding>>;
    /// Returns up to `limit` outcomes of an experience, the newest first.
    async fn outcomes_of(&self, experience: Uuid, limit: u32) -> Result<Vec<StoredOutcome>>;
    /// Returns on how many experiences a principal agrees with the strong voices of others, of the last `experiences`
    /// on which it reported.
    async fn agreed_outcomes(&self, principal: &str, experiences: u32) -> Result<u64>;
    /// Returns who shared an experience: the id of a user or a key. `None` if the author or the experience is unknown.
    async fn author_of(&self, experience: Uuid) -> Result<Option<Uuid>>;
    /// Returns up to `limit` outcomes after the id, ordered by id.
    async fn outcomes_by_id(&self, after: Uuid, limit: u32) -> Result<Vec<StoredOutcome>>;
    /// Stores outcomes unchanged, without their idempotency keys (see [`crate::KeyFamily::Outcomes`]), and updates the
    /// standings of their experiences; returns what became of each.
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
