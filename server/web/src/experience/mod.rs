//! The pages of experiences: the list, and the page of one record with similar ones, exports, and the
//! actions that the visitor may perform.

mod change;
mod edit;
mod list;
mod outcomes;

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use maud::{Markup, html};
use recall_kit_core::{
    access::Scope,
    experiences::{self, Experiences, Shown, applicability::AppliesTo, outcomes::Outcomes},
};
use recall_kit_shared_types::{applicability::AppliesSource, knowledge::EntryName};
use recall_kit_store::{Experience, Standing};
use recall_kit_telemetry::chain;
use serde::Deserialize;
use uuid::Uuid;

pub(super) use self::{
    change::change,
    edit::{edit, form},
    list::list,
    outcomes::report,
};
use super::visitor::Visitor;
use crate::{
    http::failure::Failure,
    i18n::words::{ExperienceWords, counted},
    layout::{
        highlight::highlight_json,
        markdown::markdown,
        page::{Page, Section},
        plain::visible,
    },
};

/// The number of similar experiences on a page.
const SIMILAR: u32 = 5;

/// The parameters of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    /// The action that was just performed: a name of [`change::Action`], `edit` or `outcome`; others are ignored.
    done: String,
}

/// Answers with the page.
pub(super) async fn page(
    State(experiences): State<Arc<Experiences>>,
    State(outcomes): State<Arc<Outcomes>>,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(params): Query<Params>,
) -> Response {
    let made = make((&experiences, &outcomes), &visitor, (&id, &params)).await;
    visitor.answer(made)
}

async fn make(
    (experiences, outcomes): (&Arc<Experiences>, &Outcomes),
    visitor: &Visitor,
    (id, params): (&str, &Params),
) -> Result<Page, Failure> {
    let Shown {
        record,
        state,
        applies,
        promoted_to,
    } = find(experiences, visitor, parsed(id)?).await?;
    experiences::count_opened(experiences, &visitor.caller, record.id);
    let similar = similar(experiences, &record).await;
    let is_visible = state.standing() == Standing::Visible;
    let tried = outcomes::section(outcomes, visitor, (record.id, is_visible)).await?;
    let title = visible(&record.content.title);
    let main = html! {
        (change::notice(visitor, (record.id, &state), &params.done))
        (outcomes::notice(visitor, &params.done))
        article.record {
            h1 dir="auto" { (title) }
            (facts(visitor, &record, promoted_to.as_ref()))
            (applies_to(&visitor.words.experience, &applies))
            (change::buttons(visitor, record.id, &state))
            (texts(&visitor.words.experience, &record))
            p.actions {
                (visitor.words.experience.export) (visitor.words.colon) " "
                a href={ "/experiences/" (record.id) "/markdown" } { "Markdown" } " · "
                a href={ "/experiences/" (record.id) "/json" } { "JSON" }
            }
        }
        (tried)
        @if !similar.is_empty() {
            section {
                h2 { (visitor.words.experience.similar) }
                ul {
                    @for one in &similar {
                        li { a href={ "/experiences/" (one.id) } dir="auto" { (visible(&one.content.title)) } }
                    }
                }
            }
        }
    };
    Ok(Page::new(title, Section::Experiences, main))
}

/// Finds a record; a hidden or deleted one only for visitors who may restore it.
async fn find(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    id: Uuid,
) -> Result<Shown, Failure> {
    let found = match visitor.may(Scope::Write) {
        true => experiences::inspect(experiences, &visitor.caller, id).await?,
        false => experiences::show(experiences, &visitor.caller, id).await?,
    };
    Ok(found)
}

/// Finds similar records; if that fails, the page is shown without them.
async fn similar(experiences: &Arc<Experiences>, record: &Experience) -> Vec<Experience> {
    let found = experiences::similar(experiences, record.id, SIMILAR).await;
    found.unwrap_or_else(|error| {
        tracing::warn!(
            error = chain(&error),
            "a page is shown without similar records"
        );
        Vec::new()
    })
}

fn parsed(id: &str) -> Result<Uuid, Failure> {
    Uuid::parse_str(id).map_err(|_| Failure::NotFound)
}

fn facts(visitor: &Visitor, record: &Experience, promoted_to: Option<&EntryName>) -> Markup {
    let words = visitor.words;
    html! {
        p.facts {
            span { (words.experience.added) " "
                time datetime=(record.created_at) { (words.ages.between(record.created_at, visitor.now)) } }
            span { (counted(words.search.seen, record.query_count)) }
            @for keyword in &record.content.keywords { span.label dir="auto" { (visible(keyword)) } }
        }
        @if let Some(entry) = promoted_to {
            p { (words.experience.promoted_to) (words.colon) " "
                a href={ "/knowledge/" (entry.id) } dir="auto" { (visible(&entry.title)) } }
        }
    }
}

/// Says where the record applies, if that is known.
fn applies_to(words: &ExperienceWords, applies: &AppliesTo) -> Markup {
    let lines = [
        (words.applies_to, AppliesSource::Stated),
        (words.worked_with, AppliesSource::Observed),
        (words.reports_suggest, AppliesSource::Inferred),
    ];
    html! {
        @for (heading, source) in lines {
            @let known = applies.in_words(source);
            @if !known.is_empty() {
                p.facts {
                    span { (heading) }
                    @for one in known { span.label { bdi { (visible(&one)) } } }
                }
            }
        }
    }
}

fn texts(words: &ExperienceWords, record: &Experience) -> Markup {
    let content = &record.content;
    let sections = [
        (words.problem, Some(&content.problem_description)),
        (words.root_cause, content.root_cause.as_ref()),
        (words.solution, Some(&content.solution)),
    ];
    html! {
        @for (heading, text) in sections {
            @if let Some(text) = text {
                section {
                    h2 { (heading) }
                    div.text dir="auto" { (markdown(text)) }
                }
            }
        }
        @if let Some(context) = &content.context {
            section {
                h2 { (words.context) }
                (context_block(context))
            }
        }
    }
}

/// Renders a context: as Markdown if it has code fences, else as code.
fn context_block(context: &str) -> Markup {
    match context.contains("```") {
        true => html! { div.text dir="auto" { (markdown(context)) } },
        false => html! { pre tabindex="0" { code { (highlight_json(&visible(context))) } } },
    }
}

/// Answers with the record as a file.
pub(super) async fn export(
    State(experiences): State<Arc<Experiences>>,
    visitor: Visitor,
    Path((id, format)): Path<(String, String)>,
) -> Response {
    let made = exported(&experiences, &visitor, (&id, &format)).await;
    made.unwrap_or_else(|failure| visitor.fail(&failure))
}

async fn exported(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    (id, format): (&str, &str),
) -> Result<Response, Failure> {
    let shown = experiences::show(experiences, &visitor.caller, parsed(id)?).await?;
    let record = &shown.record;
    let (media_type, ending, text) = match format {
        "markdown" => (
            "text/markdown; charset=utf-8",
            "md",
            experiences::as_markdown(&shown),
        ),
        "json" => ("application/json", "json", experiences::as_json(&shown)),
        _ => return Err(Failure::NotFound),
    };
    let name = format!("attachment; filename=\"experience-{}.{ending}\"", record.id);
    let name = HeaderValue::from_str(&name).map_err(|_| Failure::NotFound)?;
    let media_type = HeaderValue::from_static(media_type);
    Ok((
        [
            (header::CONTENT_TYPE, media_type),
            (header::CONTENT_DISPOSITION, name),
        ],
        text,
    )
        .into_response())
}
