//! The page of an ingest job: its live progress, and its result.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{
        IntoResponse as _, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures::{Stream, stream};
use maud::{Markup, html};
use recall_kit_libraries::{
    Libraries,
    ingest::{Left, Progress},
    jobs::{Job, Outcome, Place, State as JobState},
};
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;

use super::version_address;
use crate::{
    http::{
        failure::Failure,
        form::{SessionForm, alert, button},
    },
    i18n::words::{IngestWords, filled},
    layout::{
        page::{Page, Section},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// The shortest time between two events.
const PAUSE: Duration = Duration::from_millis(500);

/// Returns the address of a job's page.
pub(super) fn job_address(id: Uuid) -> String {
    format!("/libraries/jobs/{id}")
}

/// Returns the state of a job for display.
pub(super) fn state_of(visitor: &Visitor, job: &Job) -> &'static str {
    let words = &visitor.words.ingest;
    match job.state() {
        JobState::Running(_) if job.is_ending() => words.ending,
        JobState::Running(_) => words.running,
        JobState::Done(_) => words.done,
        JobState::Failed(_) => words.failed,
        JobState::CalledOff => words.cancelled,
    }
}

/// Answers with the page of a job.
pub(crate) async fn job(
    State(libraries): State<Arc<Libraries>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Response {
    let page = find(&libraries, &visitor, &id).map(|job| render(&visitor, &job));
    visitor.answer(page)
}

/// Answers with the events of a job: `progress` whenever something changes, and `done` at its end, which is
/// the last event.
pub(crate) async fn job_events(
    State(libraries): State<Arc<Libraries>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Response {
    let job = match find(&libraries, &visitor, &id) {
        Ok(job) => job,
        Err(failure) => return visitor.fail(&failure),
    };
    let Some(place) = libraries.jobs().follower() else {
        let words = &visitor.words;
        let status = StatusCode::SERVICE_UNAVAILABLE;
        return visitor.message_page(status, words.failure.refused, words.failure.try_again);
    };
    Sse::new(events(&job, &visitor.words.ingest, place))
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// Cancels a job.
pub(crate) async fn cancel_job(
    State(libraries): State<Arc<Libraries>>,
    Path(id): Path<String>,
    SessionForm { visitor, .. }: SessionForm,
) -> Response {
    match find(&libraries, &visitor, &id) {
        Ok(job) => {
            job.call_off();
            see_other(&job_address(job.id))
        }
        Err(failure) => visitor.fail(&failure),
    }
}

fn find(libraries: &Libraries, visitor: &Visitor, id: &str) -> Result<Arc<Job>, Failure> {
    let id = id.parse().map_err(|_| Failure::NotFound)?;
    let job = libraries.jobs().find(&visitor.caller, id);
    job.ok_or(Failure::NotFound)
}

/// A client that receives the events of a job.
struct Follower {
    states: watch::Receiver<JobState>,
    words: &'static IngestWords,
    has_begun: bool,
    _place: Place,
}

fn events(
    job: &Job,
    words: &'static IngestWords,
    place: Place,
) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
    let mut states = job.follow();
    states.mark_changed();
    let follower = Follower {
        states,
        words,
        has_begun: false,
        _place: place,
    };
    stream::unfold(Some(follower), async |follower| {
        let mut follower = follower?;
        if std::mem::replace(&mut follower.has_begun, true) {
            tokio::time::sleep(PAUSE).await;
        }
        follower.states.changed().await.ok()?;
        let state = follower.states.borrow_and_update().clone();
        let event = match state {
            JobState::Running(progress) => {
                let data = json!({"done": progress.done(), "total": progress.total,
                    "text": progress_text(follower.words, &progress)});
                Event::default().event("progress").data(data.to_string())
            }
            _ => return Some((Ok(Event::default().event("done").data("{}")), None)),
        };
        Some((Ok(event), Some(follower)))
    })
}

fn progress_text(words: &IngestWords, progress: &Progress) -> String {
    let [done, files, left, chunks] = [
        progress.done(),
        progress.files,
        progress.left,
        progress.chunks,
    ]
    .map(|number| number.to_string());
    match progress.total {
        Some(total) => filled(words.progress_of, &[&done, &total, &left, &chunks]),
        None => filled(words.progress, &[&files, &left, &chunks]),
    }
}

fn render(visitor: &Visitor, job: &Job) -> Page {
    let title = visible(&format!("{} {}", job.library, job.version));
    let state = job.state();
    let words = &visitor.words.ingest;
    let main = html! {
        h1 dir="auto" { (title) }
        p.facts {
            span dir="auto" { (visitor.words.libraries.source) " " (visible(&job.source)) }
            time datetime=(job.begun) { (visitor.words.ages.between(job.begun, visitor.now)) }
        }
        @match &state {
            JobState::Running(progress) => { (running(visitor, job, progress)) }
            JobState::Done(outcome) => {
                p.done role="status" { (words.done) }
                (done(visitor, outcome))
            }
            JobState::Failed(why) => {
                p.done role="status" { (words.failed) }
                (alert(why))
            }
            JobState::CalledOff => { p.done role="status" { (words.cancelled) } }
        }
        @if state.is_over() { p { a href="/libraries/ingest" { (words.once_more) } } }
    };
    Page {
        script: (!state.is_over()).then_some("progress.js"),
        is_live: !state.is_over(),
        ..Page::new(title, Section::Libraries, main)
    }
}

fn running(visitor: &Visitor, job: &Job, progress: &Progress) -> Markup {
    let words = &visitor.words.ingest;
    let address = job_address(job.id);
    let value = progress.total.map(|_| progress.done());
    html! {
        section data-events={ (address) "/events" } {
            h2 { (state_of(visitor, job)) }
            progress max=[progress.total] value=[value] aria-label=(words.running) {}
            p aria-live="polite" { (progress_text(words, progress)) }
            div.actions {
                @if !job.is_ending() {
                    (button(visitor, &format!("{address}/cancel"), words.cancel, &[]))
                }
                a href=(address) { (words.refresh) }
            }
        }
    }
}

fn done(visitor: &Visitor, outcome: &Outcome) -> Markup {
    let (words, report) = (&visitor.words.ingest, &outcome.report);
    html! {
        p { a href=(version_address(report.library_id, &report.version)) { (words.read_it) } }
        h2 { (words.report) }
        (figures(visitor, outcome))
        @if let Some(why) = &report.not_described {
            p { (visible(&filled(words.not_described, &[&why]))) }
        }
        (reasons(visitor, outcome))
        (file_table(visitor, words.unreadable, (&report.left, outcome.broken)))
        (file_table(visitor, words.assumed, (&report.notes, outcome.notes)))
    }
}

fn figures(visitor: &Visitor, outcome: &Outcome) -> Markup {
    let report = &outcome.report;
    let (words, libraries) = (&visitor.words.ingest, &visitor.words.libraries);
    let figures = [
        (libraries.files, report.files.to_string()),
        (words.unchanged, report.unchanged.to_string()),
        (libraries.chunks, report.chunks.to_string()),
        (words.examples, report.examples.to_string()),
        (libraries.tokens, report.tokens.to_string()),
        (words.skipped, outcome.left.to_string()),
        (words.seconds, format!("{:.1}", report.seconds)),
    ];
    html! {
        div.wide tabindex="0" role="region" aria-label=(words.report) {
            table {
                tbody {
                    @for (name, figure) in figures {
                        tr { th scope="row" { (name) } td.number { (figure) } }
                    }
                    @if let Some(commit) = &report.revision {
                        tr { th scope="row" { (words.commit) } td { code { (commit) } } }
                    }
                }
            }
        }
    }
}

fn reasons(visitor: &Visitor, outcome: &Outcome) -> Markup {
    let words = &visitor.words.ingest;
    html! {
        @if !outcome.reasons.is_empty() {
            h2 { (words.skipped) }
            div.wide tabindex="0" role="region" aria-label=(words.skipped) {
                table {
                    thead { tr {
                        th scope="col" { (words.reason) }
                        th scope="col" { (visitor.words.libraries.files) }
                        th scope="col" { (words.such_as) }
                    } }
                    tbody {
                        @for (reason, count, example) in &outcome.reasons {
                            tr {
                                th scope="row" { (visible(reason)) }
                                td.number { (count) }
                                td dir="auto" { (visible(example)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a table of files with a reason for each; `all` is the total number, of which `files` are the
/// first.
fn file_table(visitor: &Visitor, title: &str, (files, all): (&[Left], usize)) -> Markup {
    let words = &visitor.words.ingest;
    let others = all.saturating_sub(files.len());
    html! {
        @if !files.is_empty() {
            h2 { (title) }
            div.wide tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr {
                        th scope="col" { (words.file) }
                        th scope="col" { (words.reason) }
                    } }
                    tbody {
                        @for file in files {
                            tr {
                                th scope="row" dir="auto" { (visible(&file.path)) }
                                td { (visible(&file.reason)) }
                            }
                        }
                    }
                }
            }
            @if others > 0 { p { (filled(words.more, &[&others])) } }
        }
    }
}
