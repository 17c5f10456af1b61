//! Lines of outcomes: reports whether experiences helped, and changes of their solutions.

use recall_kit_core::validation::{OutcomeInput, validate_outcome};
use recall_kit_shared_types::{applicability::Environment, outcomes::Evidence};
use recall_kit_store::{Report, SOLUTION_CHANGED, StoredOutcome};
use serde_json::json;
use uuid::Uuid;

use super::{Fields, LineError, append, shape};

/// The `type` of outcomes.
pub(super) const OUTCOME: &str = "outcome";
pub(super) const OUTCOME_FIELDS: [&str; 11] = [
    "type",
    "id",
    "experience_id",
    "outcome",
    "at",
    "principal",
    "tier",
    "evidence",
    "recall_id",
    "note",
    "environment",
];
/// The longest principal, in characters.
const MAX_PRINCIPAL_CHARS: usize = 100;

/// Appends an outcome as a line.
///
/// *Errors*: none for records of a database; `serde_json`'s in principle.
pub(crate) fn write_outcome(outcome: &StoredOutcome, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let mut line = json!({
        "type": OUTCOME,
        "id": outcome.id,
        "experience_id": outcome.experience,
        "outcome": SOLUTION_CHANGED,
        "at": outcome.at,
    });
    if let Some(report) = &outcome.report {
        line["outcome"] = json!(report.kind);
        line["principal"] = json!(report.principal);
        line["tier"] = json!(report.tier);
        line["evidence"] = json!(report.evidence);
        line["recall_id"] = json!(report.recall_id);
        line["note"] = json!(report.note);
        if let Some(environment) = &report.environment {
            line["environment"] = json!(environment);
        }
    }
    append(&line, out)
}

/// Reads an outcome.
pub(super) fn outcome(mut fields: Fields) -> Result<StoredOutcome, LineError> {
    let id = fields.parsed::<Uuid>("id", "a UUID")?;
    let experience = fields.parsed::<Uuid>("experience_id", "a UUID")?;
    let at = fields.time("at")?;
    let kind = fields.text("outcome")?;
    let report = match kind.as_deref() {
        Some(SOLUTION_CHANGED) => None,
        _ => Some(report(fields, experience, kind)?),
    };
    Ok(StoredOutcome {
        id,
        experience,
        at,
        report,
    })
}

fn report(mut fields: Fields, experience: Uuid, kind: Option<String>) -> Result<Report, LineError> {
    let principal = fields.text("principal")?.unwrap_or_default();
    if !(1..=MAX_PRINCIPAL_CHARS).contains(&principal.chars().count()) {
        return Err(shape("`principal` must have 1 to 100 characters"));
    }
    let evidence = Evidence::of(&fields.text("evidence")?.unwrap_or_default());
    let tier = fields.0.remove("tier").and_then(|tier| tier.as_f64());
    let tier = tier.filter(|tier| (0.0..=1.0).contains(tier));
    let environment: Option<Environment> = fields.decoded_if_any("environment")?;
    let is_known = environment.is_some();
    let input = OutcomeInput {
        environment: environment.unwrap_or_default(),
        experience_id: Some(experience.to_string()),
        outcome: kind,
        note: fields.text("note")?,
        recall_id: fields.text("recall_id")?,
        ..OutcomeInput::default()
    };
    let valid = validate_outcome(input).map_err(|problems| LineError::Invalid(problems.into()))?;
    Ok(Report {
        kind: valid.kind,
        principal,
        tier: tier.ok_or_else(|| shape("`tier` must be a number from 0 to 1"))?,
        evidence: evidence
            .ok_or_else(|| shape("`evidence` must be \"person\", \"agent\" or \"observed\""))?,
        recall_id: valid.recall_id,
        note: valid.note,
        environment: is_known.then_some(valid.environment),
    })
}
