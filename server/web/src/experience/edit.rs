//! The form that edits an experience. Of two who edit one version the second is told, and keeps what was
//! typed beside what the record says now.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::{Forbidden, Scope},
    app::App,
    error::ServiceError,
    experiences::{self, Shown},
};
use recall_kit_sanitizer::without_invisible;
use recall_kit_store::{ExperienceContent, StoreError};
use uuid::Uuid;

use super::{parsed, texts};
use crate::{
    http::{
        failure::Failure,
        form::{Fields, Signed, alert, broad_field, token_field},
    },
    layout::{
        page::{Page, Section},
        plain::visible,
    },
    see_other,
    visitor::Visitor,
};

/// What stands in the form.
struct Typed {
    /// The version that was seen.
    version: u64,
    content: ExperienceContent,
}

impl Typed {
    fn of(shown: &Shown) -> Self {
        Self {
            version: shown.state.version,
            content: shown.record.content.clone(),
        }
    }

    fn read(fields: &Fields) -> Result<Self, Failure> {
        let given = |name| Some(fields.text(name)).filter(|text| !text.trim().is_empty());
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
                root_cause: given("root_cause"),
                solution: fields.text("solution"),
                context: given("context"),
                keywords: keywords.map(str::to_owned).collect(),
            },
        })
    }
}

/// The form with what the record says.
pub(crate) async fn form(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Response {
    let made = opened(&app, &visitor, &id).await;
    visitor.answer(made)
}

async fn opened(app: &Arc<App>, visitor: &Visitor, id: &str) -> Result<Page, Failure> {
    may_edit(visitor)?;
    let shown = experiences::inspect(app, &visitor.caller, parsed(id)?).await?;
    let typed = Typed::of(&shown);
    Ok(page(visitor, shown.record.id, (&typed, html! {})))
}

fn may_edit(visitor: &Visitor) -> Result<(), ServiceError> {
    let may: Result<(), Forbidden> = visitor.caller.require(Scope::Write);
    Ok(may?)
}

/// Stores what was typed, or shows it again with what is wrong.
pub(crate) async fn edit(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Signed { visitor, fields }: Signed,
) -> Response {
    let read = parsed(&id).and_then(|id| Ok((id, Typed::read(&fields)?)));
    let (id, mut typed) = match read {
        Ok(read) => read,
        Err(failure) => return visitor.fail(&failure),
    };
    let content = typed.content.clone();
    let at = (id, typed.version);
    match experiences::edit(&app, &visitor.caller, at, content).await {
        Ok(_) => see_other(&format!("/experiences/{id}?done=edit")),
        Err(ServiceError::Store(StoreError::VersionChanged { .. })) => {
            let made = conflict(&app, &visitor, (id, &mut typed)).await;
            visitor.answer_with(StatusCode::CONFLICT, made)
        }
        Err(error) => match error.into() {
            Failure::Refused(why) => {
                let page = page(&visitor, id, (&typed, alert(&why.in_words(visitor.words))));
                visitor.answer_with(StatusCode::BAD_REQUEST, Ok(page))
            }
            failure => visitor.fail(&failure),
        },
    }
}

/// Shows what was typed beside what somebody else stored meanwhile; sent again, it takes its place.
async fn conflict(
    app: &Arc<App>,
    visitor: &Visitor,
    (id, typed): (Uuid, &mut Typed),
) -> Result<Page, Failure> {
    let words = &visitor.words.experience;
    let present = experiences::inspect(app, &visitor.caller, id).await?;
    typed.version = present.state.version;
    let said = html! {
        (alert(words.conflict_edit))
        details.card open {
            summary { (words.present_text) }
            h2 dir="auto" { (visible(&present.record.content.title)) }
            (texts(words, &present.record))
        }
    };
    Ok(page(visitor, id, (typed, said)))
}

fn page(visitor: &Visitor, id: Uuid, (typed, said): (&Typed, Markup)) -> Page {
    let words = &visitor.words.experience;
    let content = &typed.content;
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
        (said)
        form method="post" action={ "/experiences/" (id) "/edit" } {
            (token_field(visitor))
            input type="hidden" name="version" value=(typed.version);
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
