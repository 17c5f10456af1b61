//! The form that edits an entry, and the buttons that mark it as obsolete or as valid again. If somebody
//! else has changed the entry meanwhile, the form shows a conflict and preserves the visitor's input.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::Scope,
    error::ServiceError,
    knowledge::{Knowledge, entries},
    validation::{AddInput, citations_in_lines},
};
use recall_kit_sanitizer::without_invisible;
use recall_kit_shared_types::knowledge::{Citation, EntryStatus, EntryType, MemoryType};
use recall_kit_store::{Entry, StoreError};
use ulid::Ulid;

use crate::{
    http::{
        failure::Failure,
        form::{Fields, SessionForm, alert, broad_field, button, token_field},
    },
    layout::{
        markdown::markdown,
        page::{Page, Section, choice},
    },
    see_other,
    visitor::Visitor,
};

/// The values of the form.
struct FormInput {
    /// The version of the entry that the visitor saw.
    version: i64,
    kind: String,
    title: String,
    content: String,
    tags: String,
    project: String,
    context: String,
    confidence: String,
    memory: String,
    /// A line for each, as `sha256sum` prints it; a form without this field changes nothing.
    citations: Option<String>,
}

impl FormInput {
    fn of(entry: &Entry) -> Self {
        let content = &entry.content;
        Self {
            version: entry.version(),
            kind: content.kind.as_str().to_owned(),
            title: content.title.clone(),
            content: content.content.clone(),
            tags: content.tags.join(", "),
            project: content.project.clone().unwrap_or_default(),
            context: content.context.clone().unwrap_or_default(),
            confidence: content.confidence.to_string(),
            memory: content.memory_type.as_str().to_owned(),
            citations: Some(lines(&content.citations)),
        }
    }

    fn read(fields: &Fields) -> Result<Self, Failure> {
        Ok(Self {
            version: fields.get("version").parse().map_err(|_| {
                Failure::refused("version must be the number of the entry's version".to_owned())
            })?,
            kind: fields.text("type"),
            title: fields.text("title"),
            content: fields.text("content"),
            tags: fields.text("tags"),
            project: fields.text("project"),
            context: fields.text("context"),
            confidence: fields.text("confidence"),
            memory: fields.text("memory_type"),
            citations: fields.text_if_any("citations"),
        })
    }

    fn to_add_input(&self) -> AddInput {
        let non_empty = |text: &String| Some(text.clone()).filter(|text| !text.trim().is_empty());
        let tags = self.tags.split([',', '，', '、', '\n']).map(str::trim);
        let tags = tags.filter(|tag| !tag.is_empty()).map(str::to_owned);
        let confidence = match self.confidence.trim().parse::<u64>() {
            Ok(number) => number.into(),
            Err(_) => self.confidence.clone().into(),
        };
        let citations = self.citations.as_ref().map(|text| text.lines());
        AddInput {
            kind: Some(self.kind.clone()),
            title: Some(self.title.clone()),
            content: Some(self.content.clone()),
            tags: Some(tags.collect()),
            context: non_empty(&self.context),
            project: non_empty(&self.project),
            confidence: Some(confidence),
            memory_type: Some(self.memory.clone()),
            citations: citations.map(citations_in_lines),
            idempotency_key: None,
        }
    }
}

/// Returns citations as lines.
fn lines(citations: &[Citation]) -> String {
    let lines: Vec<String> = citations.iter().map(Citation::to_string).collect();
    lines.join("\n")
}

/// Answers with the form, filled with the entry's present text.
pub(crate) async fn form(
    State(knowledge): State<Arc<Knowledge>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Response {
    let made = opened(&knowledge, &visitor, &id).await;
    visitor.answer(made)
}

async fn opened(knowledge: &Arc<Knowledge>, visitor: &Visitor, id: &str) -> Result<Page, Failure> {
    let permitted = visitor.caller.require(Scope::Write);
    permitted.map_err(ServiceError::from)?;
    let entry = entries::inspect(knowledge, &visitor.caller, parsed(id)?).await?;
    Ok(page(visitor, entry.id, (&FormInput::of(&entry), html! {})))
}

fn parsed(id: &str) -> Result<Ulid, Failure> {
    Ulid::from_string(id).map_err(|_| Failure::NotFound)
}

/// Stores the input, or shows it again with what is wrong.
pub(crate) async fn edit(
    State(knowledge): State<Arc<Knowledge>>,
    Path(id): Path<String>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let read = parsed(&id).and_then(|id| Ok((id, FormInput::read(&fields)?)));
    let (id, mut input) = match read {
        Ok(read) => read,
        Err(failure) => return visitor.fail(&failure),
    };
    match stored(&knowledge, &visitor, (id, &mut input)).await {
        Ok(_) => see_other(&format!("/knowledge/{id}?done=edit")),
        Err(ServiceError::Store(StoreError::EntryChanged(_))) => {
            let made = conflict(&knowledge, &visitor, (id, &mut input)).await;
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

/// Stores the input. A form without the field keeps the cited files.
async fn stored(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    (id, input): (Ulid, &mut FormInput),
) -> Result<(), ServiceError> {
    let at = (id, input.version);
    let new = input.to_add_input();
    if input.citations.is_none() {
        let present = entries::inspect(knowledge, &visitor.caller, id).await?;
        input.citations = Some(lines(&present.content.citations));
    }
    entries::edit(knowledge, &visitor.caller, at, new).await?;
    Ok(())
}

/// Shows the input beside the text that somebody else has stored meanwhile; if the input is sent again, it
/// replaces that text.
async fn conflict(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    (id, input): (Ulid, &mut FormInput),
) -> Result<Page, Failure> {
    let words = &visitor.words.experience;
    let present = entries::inspect(knowledge, &visitor.caller, id).await?;
    input.version = present.version();
    let cited = lines(&present.content.citations);
    let notice = html! {
        (alert(words.conflict_edit))
        details.card open {
            summary { (words.present_text) }
            div.text dir="auto" { (markdown(&present.content.content)) }
            @if !cited.is_empty() {
                h3 { (visitor.words.knowledge.citations) }
                pre dir="auto" { (cited) }
            }
        }
    };
    Ok(page(visitor, id, (input, notice)))
}

fn page(visitor: &Visitor, id: Ulid, (input, notice): (&FormInput, Markup)) -> Page {
    let words = &visitor.words.knowledge;
    let main = html! {
        h1 { (words.edit_title) }
        (notice)
        form method="post" action={ "/knowledge/" (id) "/edit" } {
            (token_field(visitor))
            input type="hidden" name="version" value=(input.version);
            (fields(visitor, input))
            p.actions {
                button.main type="submit" { (visitor.words.admin.save) }
                a href={ "/knowledge/" (id) } { (visitor.words.experience.back) }
            }
        }
    };
    Page::new(words.edit_title, Section::Knowledge, main)
}

fn fields(visitor: &Visitor, input: &FormInput) -> Markup {
    let words = &visitor.words.knowledge;
    let types = EntryType::ALL.iter();
    let types = types.map(|kind| (kind.as_str(), words.kind(*kind)));
    let memories = MemoryType::ALL.iter();
    let memories = memories.map(|memory| (memory.as_str(), words.memory_of(*memory)));
    let line = |label: &str, name: &str, value: &str| {
        html! {
            label.field.broad { span { (label) }
                input type="text" name=(name) value=(without_invisible(value)) dir="auto";
            }
        }
    };
    html! {
        (line(visitor.words.experience.title, "title", &input.title))
        div.actions {
            (choice(visitor.words.search.kind, "type", types, &input.kind))
            (choice(words.memory, "memory_type", memories, &input.memory))
            (choice(words.confidence, "confidence", CONFIDENCES, &input.confidence))
        }
        (broad_field(visitor.words.search.content, "content", &input.content, false))
        (line(words.tags, "tags", &input.tags))
        (line(visitor.words.search.project, "project", &input.project))
        (broad_field(visitor.words.experience.context, "context", &input.context, false))
        (broad_field(words.citations, "citations", input.citations.as_deref().unwrap_or_default(), false))
        p.hint { (words.citations_hint) }
        p.hint { (visitor.words.experience.edit_hint) }
    }
}

/// The values of an entry's confidence, with their labels.
const CONFIDENCES: [(&str, &str); 6] = [
    ("0", "0/5"),
    ("1", "1/5"),
    ("2", "2/5"),
    ("3", "3/5"),
    ("4", "4/5"),
    ("5", "5/5"),
];

/// Marks an entry as obsolete or as valid again, according to the field `status`.
pub(crate) async fn set_status(
    State(knowledge): State<Arc<Knowledge>>,
    Path(id): Path<String>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    match mark(&knowledge, &visitor, (&id, &fields)).await {
        Ok(status) => see_other(&format!("/knowledge/{id}?done={}", status.as_str())),
        Err(failure) => visitor.fail(&failure),
    }
}

async fn mark(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    (id, fields): (&str, &Fields),
) -> Result<EntryStatus, Failure> {
    let status = super::chosen("status", fields.get("status"))?;
    let status = status.ok_or_else(|| Failure::refused("status is required".to_owned()))?;
    entries::set_status(knowledge, &visitor.caller, (parsed(id)?, None), status).await?;
    Ok(status)
}

/// Renders the buttons for visitors who may change entries.
pub(super) fn buttons(visitor: &Visitor, id: &str, status: EntryStatus) -> Markup {
    let words = visitor.words;
    html! {
        @if visitor.may(Scope::Write) {
            div.actions {
                a.button href={ "/knowledge/" (id) "/edit" } { (words.experience.edit) }
                (status_button(visitor, id, other(status), match status {
                    EntryStatus::Active => words.knowledge.mark_obsolete,
                    EntryStatus::Obsolete => words.knowledge.mark_valid,
                }))
            }
        }
    }
}

/// Renders which action was just performed, with a button that undoes it.
pub(super) fn notice(visitor: &Visitor, (id, status): (&str, EntryStatus), done: &str) -> Markup {
    let words = visitor.words;
    html! {
        @if visitor.may(Scope::Write) {
            @if done == "edit" {
                p.done role="status" { (words.experience.is_edited) }
            } @else if done == status.as_str() {
                div.done role="status" {
                    p { (words.knowledge.is_marked) " " b { (words.knowledge.status_of(status)) } }
                    (status_button(visitor, id, other(status), words.experience.undo))
                }
            }
        }
    }
}

const fn other(status: EntryStatus) -> EntryStatus {
    match status {
        EntryStatus::Active => EntryStatus::Obsolete,
        EntryStatus::Obsolete => EntryStatus::Active,
    }
}

fn status_button(visitor: &Visitor, id: &str, status: EntryStatus, name: &str) -> Markup {
    let action = format!("/knowledge/{id}/status");
    button(visitor, &action, name, &[("status", status.as_str())])
}
