//! The form that has documentation read in: a web address, or a file.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode, response::Response};
use maud::{Markup, html};
use recall_kit_core::{access::Scope, error::ServiceError};
use recall_kit_libraries::{
    Libraries,
    ingest::LATEST,
    jobs::{self, NewJob, Place},
};
use recall_kit_settings::IngestSources;
use recall_kit_shared_types::libraries::library_limits::{MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS};
use recall_kit_sources::{Input, SentFile};

use super::job::{job_address, state_of};
use crate::{
    http::{
        failure::Failure,
        form::{Fields, alert, token_field},
        upload::{FILE_FIELD, Unkept, Upload},
    },
    i18n::words::filled,
    layout::{
        page::{Page, Section},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// The form.
pub(crate) async fn ingest_form(
    State(libraries): State<Arc<Libraries>>,
    visitor: Visitor,
) -> Response {
    let page = shown(&libraries, &visitor, (&Fields::default(), None)).await;
    visitor.answer(page)
}

/// Begins to read in, and leads to the page that says how far it is.
pub(crate) async fn begin_ingest(
    State(libraries): State<Arc<Libraries>>,
    sent: Upload,
) -> Response {
    let Upload {
        visitor,
        fields,
        file,
    } = sent;
    let (status, why) = match begun(&libraries, &visitor, &fields, file) {
        Ok(address) => return see_other(&address),
        Err(Unbegun::Failed(Failure::Refused(why))) => {
            (StatusCode::BAD_REQUEST, why.in_words(visitor.words))
        }
        Err(Unbegun::Failed(failure)) => return visitor.fail(&failure),
        Err(Unbegun::Unkept(why)) => in_words(&libraries, &visitor, why),
    };
    let page = shown(&libraries, &visitor, (&fields, Some(&why))).await;
    visitor.answer_with(status, page)
}

/// Why nothing was begun.
enum Unbegun {
    Unkept(Unkept),
    Failed(Failure),
}

fn begun(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    fields: &Fields,
    file: Result<Option<(SentFile, Place)>, Unkept>,
) -> Result<String, Unbegun> {
    let file = file.map_err(Unbegun::Unkept)?;
    let given = |name: &str| Some(fields.get(name).trim()).filter(|text| !text.is_empty());
    let (source, place) = match (given("address"), file) {
        (Some(address), None) => {
            let place = libraries
                .jobs()
                .place()
                .ok_or(Unbegun::Unkept(Unkept::Busy))?;
            (Input::Typed(address.to_owned()), place)
        }
        (None, Some((file, place))) => (Input::Sent(file), place),
        _ => {
            let words = visitor.words.ingest.one_source.to_owned();
            return Err(Unbegun::Failed(Failure::refused(words)));
        }
    };
    let new = NewJob {
        library: given("library").unwrap_or_default().to_owned(),
        description: given("description").map(str::to_owned),
        version: given("version").map(str::to_owned),
        at: given("at").map(str::to_owned),
        is_default: given("default").is_some(),
        source,
    };
    let id = jobs::begin(libraries, &visitor.caller, (place, new));
    id.map(job_address)
        .map_err(|error| Unbegun::Failed(error.into()))
}

fn in_words(libraries: &Libraries, visitor: &Visitor, why: Unkept) -> (StatusCode, String) {
    let words = &visitor.words.ingest;
    match why {
        Unkept::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, too_large(libraries, visitor)),
        Unkept::Busy => (StatusCode::CONFLICT, words.busy.to_owned()),
        Unkept::BrokenOff => (StatusCode::BAD_REQUEST, words.broken_off.to_owned()),
        Unkept::NoRoom => (StatusCode::INSUFFICIENT_STORAGE, words.no_room.to_owned()),
    }
}

fn too_large(libraries: &Libraries, visitor: &Visitor) -> String {
    let most = size(libraries.app().limits().upload_bytes);
    filled(visitor.words.ingest.too_large, &[&most])
}

/// Says how large something is.
fn size(bytes: u32) -> String {
    let units = [(1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = units.into_iter().find(|(unit, _)| bytes >= *unit);
    match whole {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} B"),
    }
}

async fn shown(
    libraries: &Libraries,
    visitor: &Visitor,
    (typed, why): (&Fields, Option<&str>),
) -> Result<Page, Failure> {
    visitor
        .caller
        .require(Scope::Write)
        .map_err(ServiceError::from)?;
    let view = libraries.view().await?;
    let known = view.libraries().iter();
    let known: Vec<&str> = known.map(|library| library.name.as_str()).collect();
    let words = &visitor.words.ingest;
    let main = html! {
        h1 { (words.title) }
        @if let Some(why) = why { (alert(why)) }
        (form(libraries, visitor, (typed, &known)))
        (lately(libraries, visitor))
    };
    Ok(Page {
        script: Some("progress.js"),
        ..Page::new(words.title, Section::Libraries, main)
    })
}

fn form(libraries: &Libraries, visitor: &Visitor, (typed, known): (&Fields, &[&str])) -> Markup {
    let words = &visitor.words.ingest;
    let from_web = libraries.app().catalogue.entries().ingest != IngestSources::Off;
    html! {
        form.card method="post" action="/libraries/ingest" enctype="multipart/form-data" {
            // Nothing that stands before it would be read.
            (token_field(visitor))
            (names(visitor, typed, known))
            @if from_web {
                label.field { span { (words.address) }
                    input type="text" name="address" value=(typed.get("address"))
                        inputmode="url" autocapitalize="none" spellcheck="false"
                        placeholder="https://github.com/…" aria-describedby="address-hint";
                }
                p.hint #address-hint { (words.address_hint) }
                label.field { span { (words.at) }
                    input type="text" name="at" value=(typed.get("at")) maxlength=(MAX_NAME_CHARS)
                        autocapitalize="none" spellcheck="false";
                }
            } @else {
                p.hint { (words.web_off) }
            }
            label.field { span { (words.file) }
                input type="file" name=(FILE_FIELD) aria-describedby="file-hint"
                    data-limit=(libraries.app().limits().upload_bytes)
                    data-too-large=(too_large(libraries, visitor));
            }
            p.hint #file-hint { (filled(words.file_hint, &[&size(libraries.app().limits().upload_bytes)])) }
            button.main type="submit" { (words.begin) }
        }
    }
}

fn names(visitor: &Visitor, typed: &Fields, known: &[&str]) -> Markup {
    let (words, libraries) = (&visitor.words.ingest, &visitor.words.libraries);
    html! {
        label.field { span { (libraries.name) }
            input type="text" name="library" value=(typed.get("library")) list="known"
                maxlength=(MAX_NAME_CHARS) required aria-describedby="library-hint" dir="auto";
        }
        datalist #known { @for name in known { option value=(name) {} } }
        p.hint #library-hint { (words.library_hint) }
        label.field { span { (libraries.version) }
            input type="text" name="version" value=(typed.get("version")) placeholder=(LATEST)
                maxlength=(MAX_NAME_CHARS) aria-describedby="version-hint";
        }
        p.hint #version-hint { (words.version_hint) }
        label.choose {
            input type="checkbox" name="default" value="yes"
                checked[!typed.get("default").is_empty()];
            span { (words.make_default) }
        }
        label.field { span { (words.description) }
            input type="text" name="description" value=(typed.get("description"))
                maxlength=(MAX_DESCRIPTION_CHARS) dir="auto";
        }
    }
}

/// What was read in last, or is at this moment.
fn lately(libraries: &Libraries, visitor: &Visitor) -> Markup {
    let jobs = libraries.jobs().of(&visitor.caller);
    let ages = &visitor.words.ages;
    html! {
        @if !jobs.is_empty() {
            h2 { (visitor.words.ingest.lately) }
            ul.plain {
                @for job in jobs {
                    li {
                        a href=(job_address(job.id)) dir="auto" {
                            (visible(&job.library)) " " (visible(&job.version)) }
                        " " span.label { (state_of(visitor, &job)) }
                        " " time datetime=(job.begun) { (ages.of(job.begun, visitor.now)) }
                    }
                }
            }
        }
    }
}
