//! The validation rules of `report_outcome`.

use recall_kit_sanitizer::{check, remove_invisible, sanitize, summary};
use recall_kit_shared_types::{
    ErrorCode,
    applicability::Environment,
    outcomes::{EVIDENCE_META, Evidence, OutcomeKind, outcome_limits},
};
use serde_json::{Map, Value, json};

use super::{
    Flaw, NOT_IN_CONTEXT, Problems, applicability,
    arguments::{mistyped, refuse_unknown, text},
    is_key, refuse_no_key, required,
};

const FIELDS: [&str; 4] = ["experience_id", "outcome", "note", "recall_id"];
/// The longest id of an experience, in characters; a UUID can be written in several ways.
const MAX_ID_CHARS: usize = 64;

/// A report of an outcome that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeReport {
    /// The experience's id, or the beginning of it.
    pub experience_id: String,
    /// What came of it.
    pub kind: OutcomeKind,
    /// On what it is based.
    pub evidence: Evidence,
    /// A note for people; free of secrets and personal data.
    pub note: Option<String>,
    /// The recall that showed the experience.
    pub recall_id: Option<String>,
    /// Where it was used, from the call's `_meta`.
    pub environment: Environment,
    /// The client's key, so that a repeated call stores once.
    pub idempotency_key: Option<String>,
}

/// The arguments of `report_outcome`, of the right types.
#[derive(Debug, Default)]
pub struct OutcomeInput {
    /// Required.
    pub experience_id: Option<String>,
    /// Required.
    pub outcome: Option<String>,
    /// Optional.
    pub note: Option<String>,
    /// Optional.
    pub recall_id: Option<String>,
    /// From the call's `_meta`.
    pub evidence: Evidence,
    /// From the call's `_meta`.
    pub environment: Environment,
    /// From the call's `_meta`.
    pub idempotency_key: Option<String>,
}

/// Validates the arguments of a report; `evidence`, `environment` and `idempotency_key` come from the call's `_meta`.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS`, or `VALIDATION_ERROR` for everything else and for several problems at once.
pub fn validate_outcome_arguments(
    mut arguments: Map<String, Value>,
    (evidence, environment): (Option<Value>, Option<Value>),
    idempotency_key: Option<String>,
) -> Result<OutcomeReport, Problems> {
    let mut problems = Problems::default();
    refuse_unknown(&arguments, &FIELDS, &mut problems);
    let evidence = evidence_of(evidence, &mut problems);
    let environment = applicability::decoded_environment(environment, &mut problems);
    let mut text = |name: &str| text(name, arguments.remove(name), &mut problems);
    let input = OutcomeInput {
        experience_id: text("experience_id"),
        outcome: text("outcome"),
        note: text("note"),
        recall_id: text("recall_id"),
        evidence,
        environment,
        idempotency_key,
    };
    validate(input, problems)
}

/// Validates a report.
///
/// *Errors*: those of [`validate_outcome_arguments`].
pub fn validate_outcome(input: OutcomeInput) -> Result<OutcomeReport, Problems> {
    validate(input, Problems::default())
}

fn validate(input: OutcomeInput, mut problems: Problems) -> Result<OutcomeReport, Problems> {
    let experience_id = required("experience_id", input.experience_id, &mut problems);
    if experience_id.chars().count() > MAX_ID_CHARS {
        let message = format!("experience_id must not be longer than {MAX_ID_CHARS} characters");
        problems.add(ErrorCode::ValidationError, "experience_id", message);
    }
    let outcome = required("outcome", input.outcome, &mut problems);
    let kind = OutcomeKind::of(&outcome);
    if kind.is_none() && !outcome.is_empty() {
        let known: Vec<&str> = OutcomeKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let message = format!("outcome must be one of {}", known.join(", "));
        problems.flaw(
            Flaw::Unknown,
            ErrorCode::ValidationError,
            "outcome",
            message,
        );
    }
    let note = note(input.note, &mut problems);
    if let Some(id) = &input.recall_id
        && (id.len() > outcome_limits::MAX_RECALL_ID_CHARS || !is_key(id))
    {
        let message = "recall_id must be 1–64 printable ASCII characters";
        problems.add(ErrorCode::ValidationError, "recall_id", message);
    }
    refuse_no_key(input.idempotency_key.as_deref(), &mut problems);
    let environment = applicability::checked_environment(input.environment, &mut problems);
    problems.or(OutcomeReport {
        experience_id: experience_id.trim().to_lowercase(),
        kind: kind.unwrap_or(OutcomeKind::NotApplicable),
        evidence: input.evidence,
        environment,
        note,
        recall_id: input.recall_id,
        idempotency_key: input.idempotency_key,
    })
}

/// Returns the note without invisible characters; a blank one is left out. One that is too long or has secrets or
/// personal data is rejected; the error has the sanitized text and never the secret.
fn note(note: Option<String>, problems: &mut Problems) -> Option<String> {
    let mut note = note?;
    remove_invisible(&mut note);
    let note = note.trim();
    if note.is_empty() {
        return None;
    }
    let chars = note.chars().count();
    if chars > outcome_limits::MAX_NOTE_CHARS {
        let message = format!("The note has {chars} characters; 500 are allowed");
        let flaw = Flaw::TooLong(outcome_limits::MAX_NOTE_CHARS);
        problems.flaw(flaw, ErrorCode::ValidationError, "note", message);
        return None;
    }
    let findings = check(note, &NOT_IN_CONTEXT);
    if !findings.is_empty() {
        let kinds: Vec<Value> = summary(&findings)
            .into_iter()
            .map(|(kind, count)| json!({ "kind": kind, "count": count }))
            .collect();
        let message = "note contains secrets or personal data; remove them and report again";
        problems.flaw(
            Flaw::NotSanitized,
            ErrorCode::ValidationError,
            "note",
            message,
        );
        problems.details = Some(json!({
            "kinds": kinds,
            "sanitized_note": sanitize(note, &NOT_IN_CONTEXT).text,
        }));
        return None;
    }
    Some(note.to_owned())
}

fn evidence_of(value: Option<Value>, problems: &mut Problems) -> Evidence {
    let field = format!("_meta.{EVIDENCE_META}");
    match value {
        None | Some(Value::Null) => return Evidence::default(),
        Some(Value::String(word)) => {
            if let Some(known) = Evidence::of(&word) {
                return known;
            }
            let message = format!("{field} must be one of person, agent, observed");
            problems.flaw(Flaw::Unknown, ErrorCode::ValidationError, field, message);
        }
        Some(other) => mistyped(&field, "a string", &other, problems),
    }
    Evidence::default()
}
