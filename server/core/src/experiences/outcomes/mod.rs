//! Reporting whether experiences helped, and what their outcomes add up to.
//!
//! Every outcome is shown and counted. How far it moves an experience among other results depends on who reported it,
//! see `tier`; the store computes the standing, `indexing::standings` ranks by it.

mod tier;

use std::{collections::BTreeMap, net::IpAddr, sync::Arc};

use jiff::Timestamp;
use recall_kit_applicability::Surroundings;
use recall_kit_shared_types::{
    ErrorBody, ErrorCode, ValidationError,
    applicability::Environment,
    outcomes::{Evidence, ReportOutcomeData, Standing, outcome_limits},
};
use recall_kit_store::{
    NewOutcome, OutcomeStanding, Recall, Report, Store, StoreError, StoredOutcome,
};
use recall_kit_telemetry::chain;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{
    Experiences,
    insights::recalls::{self, RecallLog},
};
use crate::{
    access::{
        Caller, Origin, Scope,
        audit::{Action, PendingEvent, Subject},
    },
    clock::Clock,
    detached,
    error::ServiceError,
    indexing::{applicability::Applicabilities, standings::Standings},
    validation::OutcomeReport,
};

/// The most experiences that an error about an ambiguous id names.
const CANDIDATES: u32 = 10;
/// The most packages, runtimes and tools of an environment that are kept with an outcome, of each.
const ENVIRONMENT_ITEMS_MAX: usize = 20;
/// The bytes of a hash that are kept.
const HASH_BYTES: usize = 16;
/// The shortest beginning of an id, in characters.
const BEGINNING_CHARS: usize = 8;

/// Outcomes, and what reporting and ranking by them needs.
pub struct Outcomes {
    store: Arc<dyn Store>,
    clock: Clock,
    standings: Arc<Standings>,
    applicability: Arc<Applicabilities>,
    recall_log: Arc<RecallLog>,
    /// Part of every hash, so that one network has different names in different databases.
    database_id: Uuid,
}

impl Outcomes {
    /// Creates the state of outcomes of experiences.
    pub(crate) fn new(
        experiences: &Experiences,
        recall_log: &Arc<RecallLog>,
        database_id: Uuid,
    ) -> Arc<Self> {
        let source = &experiences.records.source;
        Arc::new(Self {
            store: Arc::clone(&source.store),
            clock: source.clock.clone(),
            standings: Arc::clone(&source.standings),
            applicability: Arc::clone(&source.applicability),
            recall_log: Arc::clone(recall_log),
            database_id,
        })
    }

    /// Reads the standings that changed since the last time, here or in another process; at first all.
    pub(crate) async fn refresh(&self) -> Result<(), StoreError> {
        self.standings
            .refresh(self.store.as_ref(), self.clock.now())
            .await
    }
}

impl Outcomes {
    /// Returns a hash of a text, in hexadecimal digits, which differs from database to database.
    fn hash_of(&self, text: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.database_id.as_bytes());
        hash.update(text);
        let hash = hash.finalize();
        let bytes = hash.iter().take(HASH_BYTES);
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Stores an outcome. All reports of a user, else of a key, else of a network are one voice.
///
/// *Errors*: [`ServiceError::Forbidden`]; `NOT_FOUND` if no visible experience has the id; `VALIDATION_ERROR` for the
/// beginning of several ids and for a known idempotency key with another report; else those of the database.
pub async fn report(
    outcomes: &Arc<Outcomes>,
    caller: &Caller,
    report: OutcomeReport,
) -> Result<ReportOutcomeData, ServiceError> {
    caller.require(Scope::Write)?;
    let experience = resolve(outcomes.store.as_ref(), &report.experience_id).await?;
    let principal = principal(outcomes, caller).await?;
    let tier = tier::tier(outcomes, caller, (&principal, experience)).await?;
    let evidence = evidence_of(caller, &principal, report.evidence);
    let now = outcomes.clock.now();
    // Keys and networks could push everything else out of the audit list; what they report is in the outcomes.
    let is_listed = caller.user.is_some() || evidence == Evidence::Person;
    let event = PendingEvent::new(Action::OutcomeReported)
        .to(Subject::Experience, experience)
        .saying(report.kind.as_str());
    let new = NewOutcome {
        id: Uuid::now_v7(),
        experience,
        at: now,
        event: is_listed.then(|| event.by(caller, now)),
        idempotency_key: report
            .idempotency_key
            .map(|key| caller.idempotency_key(key)),
        report: Report {
            kind: report.kind,
            principal,
            tier,
            evidence,
            recall_id: report.recall_id,
            note: report.note,
            environment: concerning(outcomes, experience, report.environment),
        },
    };
    let outcomes = Arc::clone(outcomes);
    detached::run("the report", async move {
        let stored = match outcomes.store.report_outcome(&new).await {
            Err(StoreError::NoExperience(id)) => return Err(not_found(&id.to_string())),
            stored => stored?,
        };
        outcomes.standings.put(&stored.standing);
        if new.report.environment.is_some() {
            let store = outcomes.store.as_ref();
            // The outcome is stored in any case; the next round reads what it changed.
            if let Err(error) = outcomes.applicability.refresh(store).await {
                tracing::warn!(
                    error = chain(&error),
                    "where experiences apply could not be read"
                );
            }
        }
        tracing::info!(
            experience.id = %experience,
            outcome = new.report.kind.as_str(),
            outcome.tier = stored.tier,
            outcome.is_new = stored.is_new,
            "outcome reported"
        );
        Ok(ReportOutcomeData {
            id: stored.id.to_string(),
            experience_id: experience.to_string(),
            counted: stored.counts,
            standing: shown(&stored.standing, now),
        })
    })
    .await
}

/// Returns what of an environment concerns an experience, for where it worked or failed.
fn concerning(
    outcomes: &Outcomes,
    experience: Uuid,
    environment: Environment,
) -> Option<Environment> {
    let claims = outcomes
        .applicability
        .claims(experience)
        .unwrap_or_default();
    // As it was read, so that one thing has one name.
    let environment = Surroundings::read(&environment)
        .unwrap_or_default()
        .to_wire();
    let kept = claims.concerning(environment, ENVIRONMENT_ITEMS_MAX);
    (!kept.is_empty()).then_some(kept)
}

/// Finds the experience that an argument names, by its id or the beginning of it.
async fn resolve(store: &dyn Store, id: &str) -> Result<Uuid, ServiceError> {
    if let Ok(id) = id.parse::<Uuid>() {
        return Ok(id);
    }
    let may_begin = id.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    if !may_begin || id.len() < BEGINNING_CHARS {
        return Err(not_found(id));
    }
    let found = store.experiences_with_prefix(id, CANDIDATES).await?;
    match found.as_slice() {
        [] => Err(not_found(id)),
        [only] => Ok(*only),
        several => {
            let message =
                format!("Several experiences begin with '{id}'; use more characters of one id");
            let mut body = refused(ErrorCode::ValidationError, message);
            body.details = Some(json!({ "candidates": several }));
            Err(Box::new(body).into())
        }
    }
}

fn not_found(id: &str) -> ServiceError {
    let message = format!("Experience with ID '{id}' not found");
    Box::new(refused(ErrorCode::NotFound, message)).into()
}

fn refused(code: ErrorCode, message: String) -> ErrorBody {
    ErrorBody {
        validation_errors: Some(vec![ValidationError {
            field: "experience_id".to_owned(),
            message: message.clone(),
        }]),
        ..ErrorBody::new(code, message)
    }
}

/// Returns the name under which all reports of a caller are one voice.
///
/// *Errors*: those of the database.
pub async fn principal(outcomes: &Outcomes, caller: &Caller) -> Result<String, StoreError> {
    let network = |address: Option<IpAddr>| {
        let address = address.map(|address| address.to_string());
        format!("network:{}", outcomes.hash_of(&address.unwrap_or_default()))
    };
    Ok(match (caller.user, caller.key, caller.origin) {
        (Some(user), _, _) => format!("user:{user}"),
        (None, Some(key), _) => format!("key:{key}"),
        (None, None, Origin::StandardInput) => tier::LOCAL.to_owned(),
        // Whoever creates keys no longer trusts every program on the machine.
        (None, None, Origin::ThisMachine)
            if !outcomes
                .store
                .has_active_api_key(outcomes.clock.now())
                .await? =>
        {
            tier::LOCAL.to_owned()
        }
        (None, None, Origin::Network(address)) => network(Some(address)),
        (None, None, Origin::ThisMachine | Origin::Unknown) => network(None),
    })
}

/// Returns on what an outcome is based, as far as the server can know it. A key belongs to no person, so a person's word
/// is only believed from a user who has signed in, and from whoever is at the machine.
fn evidence_of(caller: &Caller, principal: &str, said: Evidence) -> Evidence {
    let is_person = caller.user.is_some() || principal == tier::LOCAL;
    match said {
        Evidence::Person if !is_person => Evidence::Agent,
        said => said,
    }
}

/// Returns the standings of experiences as clients get them; experiences without outcomes have none.
///
/// *Errors*: those of the database.
pub async fn standings(
    outcomes: &Outcomes,
    experiences: &[Uuid],
) -> Result<BTreeMap<Uuid, Standing>, ServiceError> {
    let now = outcomes.clock.now();
    let standings = outcomes.store.standings(experiences).await?;
    let standings = standings
        .iter()
        .map(|one| (one.experience, shown(one, now)));
    Ok(standings.collect())
}

/// Records which experiences a query showed to a caller; returns the id of the recall.
///
/// *Errors*: those of the database.
pub async fn note_recall(
    outcomes: &Outcomes,
    caller: &Caller,
    (query, shown): (&str, Vec<Uuid>),
) -> Result<Uuid, ServiceError> {
    let id = Uuid::now_v7();
    let words: Vec<&str> = query.split_whitespace().collect();
    outcomes.recall_log.note(Recall {
        id,
        at: outcomes.clock.now(),
        principal: principal(outcomes, caller).await?,
        fingerprint_hash: outcomes.hash_of(&words.join(" ").to_lowercase()),
        shown,
        withheld: Vec::new(),
        policy: recalls::ALL.to_owned(),
        propensity: 1.0,
    });
    Ok(id)
}

/// Returns the newest outcomes of an experience, for people, and its standing.
///
/// *Errors*: those of the database.
pub async fn list(
    outcomes: &Outcomes,
    experience: Uuid,
    limit: u32,
) -> Result<(Vec<StoredOutcome>, Option<Standing>), ServiceError> {
    let listed = outcomes.store.outcomes_of(experience, limit).await?;
    let standing = outcomes.store.standings(&[experience]).await?;
    let now = outcomes.clock.now();
    Ok((
        listed,
        standing.first().map(|standing| shown(standing, now)),
    ))
}

fn shown(standing: &OutcomeStanding, now: Timestamp) -> Standing {
    Standing {
        worked: standing.worked,
        worked_with_changes: standing.worked_with_changes,
        did_not_work: standing.did_not_work,
        voices: standing.voices,
        last_at: format!("{:.0}", standing.last_at),
        state: standing.state(now),
    }
}

/// The maximum length of a note, for forms.
pub const MAX_NOTE_CHARS: usize = outcome_limits::MAX_NOTE_CHARS;

#[cfg(test)]
mod tests;
