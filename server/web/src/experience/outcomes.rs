//! The outcomes of an experience: what they add up to, the newest ones with their notes, and a form that reports one.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::Scope,
    error::ServiceError,
    experiences::outcomes::{self, MAX_NOTE_CHARS, Outcomes},
    validation::{OutcomeInput, validate_outcome},
};
use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind, Standing, StandingState};
use recall_kit_store::{Report, StoredOutcome};
use uuid::Uuid;

use super::parsed;
use crate::{
    http::{
        failure::Failure,
        form::{SessionForm, token_field},
    },
    i18n::words::{OutcomeWords, counted, filled},
    layout::plain::visible,
    see_other,
    visitor::Visitor,
};

/// How many outcomes a page lists.
const LISTED: u32 = 50;

/// The name of the action in addresses.
pub(super) const ACTION: &str = "outcome";

/// Stores the outcome that a visitor reports.
pub(crate) async fn report(
    State(outcomes): State<Arc<Outcomes>>,
    Path(id): Path<String>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let stored = async {
        let id = parsed(&id)?;
        let input = OutcomeInput {
            experience_id: Some(id.to_string()),
            outcome: Some(fields.get("outcome").to_owned()),
            note: Some(fields.text("note")),
            evidence: Evidence::Person,
            ..OutcomeInput::default()
        };
        // Scanning a note takes a millisecond, for which it must not block other requests.
        let validated = tokio::task::spawn_blocking(move || validate_outcome(input)).await;
        let validated = validated.map_err(|_| ServiceError::Broken("the validation"))?;
        let report = validated.map_err(ServiceError::from)?;
        outcomes::report(&outcomes, &visitor.caller, report).await?;
        Ok::<_, Failure>(())
    };
    match stored.await {
        Ok(()) => see_other(&format!("/experiences/{id}?done={ACTION}")),
        Err(failure) => visitor.fail(&failure),
    }
}

/// Renders the outcomes of an experience.
pub(super) async fn section(
    outcomes: &Outcomes,
    visitor: &Visitor,
    (id, is_visible): (Uuid, bool),
) -> Result<Markup, Failure> {
    let (listed, standing) = outcomes::list(outcomes, id, LISTED).await?;
    let words = &visitor.words.outcomes;
    let may_report = is_visible && visitor.session.is_some() && visitor.may(Scope::Write);
    Ok(html! {
        @if may_report || !listed.is_empty() {
            section #outcomes {
                h2 { (words.heading) }
                @if let Some(standing) = &standing { p { (summary(visitor, standing)) } }
                @if may_report { (form(visitor, id)) }
                @if !listed.is_empty() {
                    ul { @for outcome in &listed { li { (line(visitor, outcome)) } } }
                }
            }
        }
    })
}

/// Returns what outcomes add up to, in words.
fn summary(visitor: &Visitor, standing: &Standing) -> String {
    let words = &visitor.words.outcomes;
    let counts = [
        (words.worked, standing.worked),
        (words.worked_with_changes, standing.worked_with_changes),
        (words.did_not_work, standing.did_not_work),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut parts: Vec<String> = counts
        .map(|(kind, count)| filled(words.times, &[&kind, &count]))
        .collect();
    if standing.voices > 0 {
        parts.push(counted(words.voices, standing.voices));
    }
    parts.extend(match standing.state {
        StandingState::New | StandingState::Fresh => None,
        StandingState::Ageing => Some(words.ageing.to_owned()),
        StandingState::Stale => Some(words.stale.to_owned()),
        StandingState::Contested => Some(words.contested.to_owned()),
    });
    parts.join(" · ")
}

fn form(visitor: &Visitor, id: Uuid) -> Markup {
    let words = &visitor.words.outcomes;
    html! {
        form method="post" action={ "/experiences/" (id) "/" (ACTION) } {
            (token_field(visitor))
            label.field { span { (words.note) }
                input type="text" name="note" maxlength=(MAX_NOTE_CHARS) dir="auto";
            }
            p.hint { (words.note_hint) }
            div.actions {
                @for kind in OutcomeKind::ALL {
                    button type="submit" name="outcome" value=(kind.as_str()) { (name_of(words, kind)) }
                }
            }
        }
    }
}

fn line(visitor: &Visitor, outcome: &StoredOutcome) -> Markup {
    let words = &visitor.words.outcomes;
    html! {
        @match &outcome.report {
            None => { (words.solution_changed) }
            Some(report) => {
                (name_of(words, report.kind)) " · " (reporter(words, report))
            }
        }
        " · "
        time datetime=(outcome.at) { (visitor.words.ages.between(outcome.at, visitor.now)) }
        @if let Some(note) = outcome.report.as_ref().and_then(|report| report.note.as_deref()) {
            br;
            span dir="auto" { (visible(note)) }
        }
    }
}

fn name_of(words: &OutcomeWords, kind: OutcomeKind) -> &'static str {
    match kind {
        OutcomeKind::Worked => words.worked,
        OutcomeKind::WorkedWithChanges => words.worked_with_changes,
        OutcomeKind::DidNotWork => words.did_not_work,
        OutcomeKind::NotApplicable => words.not_applicable,
    }
}

/// Says who reported, without a name.
fn reporter(words: &OutcomeWords, report: &Report) -> &'static str {
    match report.evidence {
        Evidence::Person => words.person,
        Evidence::Agent => words.agent,
        Evidence::Observed => words.observed,
    }
}

/// Renders that an outcome was just reported.
pub(super) fn notice(visitor: &Visitor, done: &str) -> Markup {
    html! {
        @if done == ACTION && visitor.session.is_some() {
            p.done role="status" { (visitor.words.outcomes.reported) }
        }
    }
}
