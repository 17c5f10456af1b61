//! The form that starts to ingest documentation from a web address or a file.

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
        upload::{FILE_FIELD, Upload, UploadError},
    },
    i18n::words::filled,
    layout::{
        page::{Page, Section},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// Answers with the form.
pub(crate) async fn ingest_form(
    State(libraries): State<Arc<Libraries>>,
    visitor: Visitor,
) -> Response {
    let page = render(&libraries, &visitor, (&Fields::default(), None)).await;
    visitor.answer(page)
}

/// Starts a job, and redirects to the page with its progress.
pub(crate) async fn begin_ingest(
    State(libraries): State<Arc<Libraries>>,
    upload: Upload,
) -> Response {
    let Upload {
        visitor,
        fields,
        file,
    } = upload;
    let (status, why) = match begin(&libraries, &visitor, &fields, file) {
        Ok(address) => return see_other(&address),
        Err(BeginFailure::Other(Failure::Refused(why))) => {
            (StatusCode::BAD_REQUEST, why.message(visitor.words))
        }
        Err(BeginFailure::Other(failure)) => return visitor.fail(&failure),
        Err(BeginFailure::Upload(error)) => upload_message(&libraries, &visitor, error),
    };
    let page = render(&libraries, &visitor, (&fields, Some(&why))).await;
    visitor.answer_with(status, page)
}

/// Why no job was started.
enum BeginFailure {
    Upload(UploadError),
    Other(Failure),
}

/// Starts a job, and returns the address of its page.
fn begin(
    libraries: &Arc<Libraries>,
    visitor: &Visitor,
    fields: &Fields,
    file: Result<Option<(SentFile, Place)>, UploadError>,
) -> Result<String, BeginFailure> {
    let file = file.map_err(BeginFailure::Upload)?;
    let value = |name: &str| Some(fields.get(name).trim()).filter(|text| !text.is_empty());
    let (source, place) = match (value("address"), file) {
        (Some(address), None) => {
            let place = libraries.jobs().place();
            let place = place.ok_or(BeginFailure::Upload(UploadError::Busy))?;
            (Input::Typed(address.to_owned()), place)
        }
        (None, Some((file, place))) => (Input::Sent(file), place),
        _ => {
            let message = visitor.words.ingest.one_source.to_owned();
            return Err(BeginFailure::Other(Failure::refused(message)));
        }
    };
    let new = NewJob {
        library: value("library").unwrap_or_default().to_owned(),
        description: value("description").map(str::to_owned),
        version: value("version").map(str::to_owned),
        at: value("at").map(str::to_owned),
        is_default: value("default").is_some(),
        source,
    };
    let id = jobs::begin(libraries, &visitor.caller, (place, new));
    id.map(job_address)
        .map_err(|error| BeginFailure::Other(error.into()))
}

/// Returns the status and the message for a file that was not accepted.
fn upload_message(
    libraries: &Libraries,
    visitor: &Visitor,
    error: UploadError,
) -> (StatusCode, String) {
    let words = &visitor.words.ingest;
    match error {
        UploadError::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, too_large(libraries, visitor)),
        UploadError::Busy => (StatusCode::CONFLICT, words.busy.to_owned()),
        UploadError::Incomplete => (StatusCode::BAD_REQUEST, words.incomplete.to_owned()),
        UploadError::NotStored => (
            StatusCode::INSUFFICIENT_STORAGE,
            words.not_stored.to_owned(),
        ),
    }
}

fn too_large(libraries: &Libraries, visitor: &Visitor) -> String {
    let most = size(libraries.app().admission.limits().upload_bytes);
    filled(visitor.words.ingest.too_large, &[&most])
}

/// Returns a size with its unit.
fn size(bytes: u32) -> String {
    let units = [(1 << 20, "MiB"), (1 << 10, "KiB")];
    let largest = units.into_iter().find(|(unit, _)| bytes >= *unit);
    match largest {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} B"),
    }
}

async fn render(
    libraries: &Libraries,
    visitor: &Visitor,
    (fields, why): (&Fields, Option<&str>),
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
        (form(libraries, visitor, (fields, &known)))
        (recent_jobs(libraries, visitor))
    };
    Ok(Page {
        script: Some("progress.js"),
        ..Page::new(words.title, Section::Libraries, main)
    })
}

fn form(libraries: &Libraries, visitor: &Visitor, (fields, known): (&Fields, &[&str])) -> Markup {
    let words = &visitor.words.ingest;
    let from_web = libraries.app().catalogue.entries().ingest != IngestSources::Off;
    html! {
        form.card method="post" action="/libraries/ingest" enctype="multipart/form-data" {
            // The token must be the first field, since the upload is checked before other fields are read.
            (token_field(visitor))
            (names(visitor, fields, known))
            @if from_web {
                label.field { span { (words.address) }
                    input type="text" name="address" value=(fields.get("address"))
                        inputmode="url" autocapitalize="none" spellcheck="false"
                        placeholder="https://github.com/…" aria-describedby="address-hint";
                }
                p.hint #address-hint { (words.address_hint) }
                label.field { span { (words.at) }
                    input type="text" name="at" value=(fields.get("at")) maxlength=(MAX_NAME_CHARS)
                        autocapitalize="none" spellcheck="false";
                }
            } @else {
                p.hint { (words.web_off) }
            }
            label.field { span { (words.file) }
                input type="file" name=(FILE_FIELD) aria-describedby="file-hint"
                    data-limit=(libraries.app().admission.limits().upload_bytes)
                    data-too-large=(too_large(libraries, visitor));
            }
            p.hint #file-hint { (filled(words.file_hint, &[&size(libraries.app().admission.limits().upload_bytes)])) }
            button.main type="submit" { (words.begin) }
        }
    }
}

fn names(visitor: &Visitor, fields: &Fields, known: &[&str]) -> Markup {
    let (words, libraries) = (&visitor.words.ingest, &visitor.words.libraries);
    html! {
        label.field { span { (libraries.name) }
            input type="text" name="library" value=(fields.get("library")) list="known"
                maxlength=(MAX_NAME_CHARS) required aria-describedby="library-hint" dir="auto";
        }
        datalist #known { @for name in known { option value=(name) {} } }
        p.hint #library-hint { (words.library_hint) }
        label.field { span { (libraries.version) }
            input type="text" name="version" value=(fields.get("version")) placeholder=(LATEST)
                maxlength=(MAX_NAME_CHARS) aria-describedby="version-hint";
        }
        p.hint #version-hint { (words.version_hint) }
        label.choose {
            input type="checkbox" name="default" value="yes"
                checked[!fields.get("default").is_empty()];
            span { (words.make_default) }
        }
        label.field { span { (words.description) }
            input type="text" name="description" value=(fields.get("description"))
                maxlength=(MAX_DESCRIPTION_CHARS) dir="auto";
        }
    }
}

/// Renders the list of recent and running jobs.
fn recent_jobs(libraries: &Libraries, visitor: &Visitor) -> Markup {
    let jobs = libraries.jobs().of(&visitor.caller);
    let ages = &visitor.words.ages;
    html! {
        @if !jobs.is_empty() {
            h2 { (visitor.words.ingest.recent) }
            ul.plain {
                @for job in jobs {
                    li {
                        a href=(job_address(job.id)) dir="auto" {
                            (visible(&job.library)) " " (visible(&job.version)) }
                        " " span.label { (state_of(visitor, &job)) }
                        " " time datetime=(job.begun) { (ages.between(job.begun, visitor.now)) }
                    }
                }
            }
        }
    }
}
