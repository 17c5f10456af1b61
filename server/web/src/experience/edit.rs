//! The form that edits an experience. If somebody else has changed the record meanwhile, the form shows a
//! conflict: the visitor's input beside the present text.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::{Forbidden, Scope},
    error::ServiceError,
    experiences::{self, Experiences, Shown},
};
use recall_kit_sanitizer::without_invisible;
use recall_kit_store::{ExperienceContent, StoreError};
use uuid::Uuid;

use super::{parsed, texts};
use crate::{
    http::{
        failure::Failure,
        form::{Fields, SessionForm, alert, broad_field, token_field},
    },
    layout::{
        page::{Page, Section},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// The values of the form.
struct FormInput {
    /// The version of the record that the visitor saw.
    version: u64,
    content: ExperienceContent,
}

impl FormInput {
    fn of(shown: &Shown) -> Self {
        Self {
            version: shown.state.version,
            content: shown.record.content.clone(),
        }
    }

    fn read(fields: &Fields) -> Result<Self, Failure> {
        let non_empty = |name| Some(fields.text(name)).filter(|text| !text.trim().is_empty());
        let keywords = fields.text("keywords");
        let keywords = keywords.split(['\n', ',', '，', '、']).map(str::trim);
        let keywords = keywords.filter(|keyword| !keyword.is_empty());
        Ok(Self {
            version: fields.get("version").parse().map_err(|_| {
                Failure::refused("version must be the number of the record's version".to_owned())
            })?,
            content: ExperienceContent {
                title: fields.text("title"),
                problem_description: fields.text("problem_description"),
                root_cause: non_empty("root_cause"),
                solution: fields.text("solution"),
                context: non_empty("context"),
                keywords: keywords.map(str::to_owned).collect(),
                // It stays as it is stored.
                applies: None,
            },
        })
    }
}

/// Answers with the form, filled with the record's present text.
pub(crate) async fn form(
    State(experiences): State<Arc<Experiences>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Response {
    let made = opened(&experiences, &visitor, &id).await;
    visitor.answer(made)
}

async fn opened(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    id: &str,
) -> Result<Page, Failure> {
    may_edit(visitor)?;
    let shown = experiences::inspect(experiences, &visitor.caller, parsed(id)?).await?;
    let input = FormInput::of(&shown);
    Ok(page(visitor, shown.record.id, (&input, html! {})))
}

fn may_edit(visitor: &Visitor) -> Result<(), ServiceError> {
    let permitted: Result<(), Forbidden> = visitor.caller.require(Scope::Write);
    Ok(permitted?)
}

/// Stores the input, or shows it again with what is wrong.
pub(crate) async fn edit(
    State(experiences): State<Arc<Experiences>>,
    Path(id): Path<String>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let read = parsed(&id).and_then(|id| Ok((id, FormInput::read(&fields)?)));
    let (id, mut input) = match read {
        Ok(read) => read,
        Err(failure) => return visitor.fail(&failure),
    };
    let content = input.content.clone();
    let at = (id, input.version);
    match experiences::edit(&experiences, &visitor.caller, at, content).await {
        Ok(_) => see_other(&format!("/experiences/{id}?done=edit")),
        Err(ServiceError::Store(StoreError::VersionChanged { .. })) => {
            let made = conflict(&experiences, &visitor, (id, &mut input)).await;
            visitor.answer_with(StatusCode::CONFLICT, made)
        }
        Err(error) => match error.into() {
            Failure::Refused(why) => {
                let page = page(&visitor, id, (&input, alert(&why.message(visitor.words))));
                visitor.answer_with(StatusCode::BAD_REQUEST, Ok(page))
            }
            failure => visitor.fail(&failure),
        },
    }
}

/// Shows the input beside the text that somebody else has stored meanwhile; if the input is sent again, it
/// replaces that text.
async fn conflict(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    (id, input): (Uuid, &mut FormInput),
) -> Result<Page, Failure> {
    let words = &visitor.words.experience;
    let present = experiences::inspect(experiences, &visitor.caller, id).await?;
    input.version = present.state.version;
    let notice = html! {
        (alert(words.conflict_edit))
        details.card open {
            summary { (words.present_text) }
            h2 dir="auto" { (visible(&present.record.content.title)) }
            (texts(words, &present.record))
        }
    };
    Ok(page(visitor, id, (input, notice)))
}

fn page(visitor: &Visitor, id: Uuid, (input, notice): (&FormInput, Markup)) -> Page {
    let words = &visitor.words.experience;
    let content = &input.content;
    let keywords = content.keywords.join(", ");
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let fields = [
        (
            words.problem,
            "problem_description",
            content.problem_description.clone(),
            true,
        ),
        (
            words.root_cause,
            "root_cause",
            text(&content.root_cause),
            false,
        ),
        (words.solution, "solution", content.solution.clone(), true),
        (words.context, "context", text(&content.context), false),
    ];
    let main = html! {
        h1 { (words.edit_title) }
        (notice)
        form method="post" action={ "/experiences/" (id) "/edit" } {
            (token_field(visitor))
            input type="hidden" name="version" value=(input.version);
            label.field.broad { span { (words.title) }
                input type="text" name="title" value=(without_invisible(&content.title)) dir="auto" required;
            }
            @for (label, name, text, is_required) in fields {
                (broad_field(label, name, &text, is_required))
            }
            label.field.broad { span { (words.keywords) }
                input type="text" name="keywords" value=(without_invisible(&keywords)) dir="auto";
            }
            p.hint { (words.edit_hint) }
            p.actions {
                button.main type="submit" { (visitor.words.admin.save) }
                a href={ "/experiences/" (id) } { (words.back) }
            }
        }
    };
    Page::new(words.edit_title, Section::Experiences, main)
}
