//! The form that edits an entry, and the buttons that mark it as obsolete or as valid again. Of two who
//! edit one version the second is told, and keeps what was typed.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::Scope, app::App, error::ServiceError, knowledge::entries, validation::AddInput,
};
use recall_kit_sanitizer::without_invisible;
use recall_kit_shared_types::knowledge::{EntryStatus, EntryType, MemoryType};
use recall_kit_store::{Entry, StoreError};
use ulid::Ulid;

use crate::{
    http::{
        failure::Failure,
        form::{Fields, Signed, alert, broad_field, button, token_field},
    },
    layout::{
        markdown::markdown,
        page::{Page, Section, choice},
    },
    see_other,
    visitor::Visitor,
};

/// What stands in the form.
struct Typed {
    /// The version that was seen.
    version: i64,
    kind: String,
    title: String,
    content: String,
    tags: String,
    project: String,
    context: String,
    confidence: String,
    memory: String,
}

impl Typed {
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
        })
    }

    fn input(&self) -> AddInput {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.trim().is_empty());
        let tags = self.tags.split([',', '，', '、', '\n']).map(str::trim);
        let tags = tags.filter(|tag| !tag.is_empty()).map(str::to_owned);
        let confidence = match self.confidence.trim().parse::<u64>() {
            Ok(number) => number.into(),
            Err(_) => self.confidence.clone().into(),
        };
        AddInput {
            kind: Some(self.kind.clone()),
            title: Some(self.title.clone()),
            content: Some(self.content.clone()),
            tags: Some(tags.collect()),
            context: given(&self.context),
            project: given(&self.project),
            confidence: Some(confidence),
            memory_type: Some(self.memory.clone()),
            idempotency_key: None,
        }
    }
}

/// The form with what the entry says.
pub(crate) async fn form(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Response {
    let made = opened(&app, &visitor, &id).await;
    visitor.answer(made)
}

async fn opened(app: &Arc<App>, visitor: &Visitor, id: &str) -> Result<Page, Failure> {
    let may = visitor.caller.require(Scope::Write);
    may.map_err(ServiceError::from)?;
    let entry = entries::inspect(app, &visitor.caller, parsed(id)?).await?;
    Ok(page(visitor, entry.id, (&Typed::of(&entry), html! {})))
}

fn parsed(id: &str) -> Result<Ulid, Failure> {
    Ulid::from_string(id).map_err(|_| Failure::NotFound)
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
    let at = (id, typed.version);
    match entries::edit(&app, &visitor.caller, at, typed.input()).await {
        Ok(_) => see_other(&format!("/knowledge/{id}?done=edit")),
        Err(ServiceError::Store(StoreError::EntryChanged(_))) => {
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
    (id, typed): (Ulid, &mut Typed),
) -> Result<Page, Failure> {
    let words = &visitor.words.experience;
    let present = entries::inspect(app, &visitor.caller, id).await?;
    typed.version = present.version();
    let said = html! {
        (alert(words.conflict_edit))
        details.card open {
            summary { (words.present_text) }
            div.text dir="auto" { (markdown(&present.content.content)) }
        }
    };
    Ok(page(visitor, id, (typed, said)))
}

fn page(visitor: &Visitor, id: Ulid, (typed, said): (&Typed, Markup)) -> Page {
    let words = &visitor.words.knowledge;
    let main = html! {
        h1 { (words.edit_title) }
        (said)
        form method="post" action={ "/knowledge/" (id) "/edit" } {
            (token_field(visitor))
            input type="hidden" name="version" value=(typed.version);
            (fields(visitor, typed))
            p.actions {
                button.main type="submit" { (visitor.words.admin.save) }
                a href={ "/knowledge/" (id) } { (visitor.words.experience.back) }
            }
        }
    };
    Page::new(words.edit_title, Section::Knowledge, main)
}

fn fields(visitor: &Visitor, typed: &Typed) -> Markup {
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
        (line(visitor.words.experience.title, "title", &typed.title))
        div.actions {
            (choice(visitor.words.search.kind, "type", types, &typed.kind))
            (choice(words.memory, "memory_type", memories, &typed.memory))
            (choice(words.confidence, "confidence", CONFIDENCES, &typed.confidence))
        }
        (broad_field(visitor.words.search.content, "content", &typed.content, false))
        (line(words.tags, "tags", &typed.tags))
        (line(visitor.words.search.project, "project", &typed.project))
        (broad_field(visitor.words.experience.context, "context", &typed.context, false))
        p.hint { (visitor.words.experience.edit_hint) }
    }
}

/// How sure one may be of an entry.
const CONFIDENCES: [(&str, &str); 6] = [
    ("0", "0/5"),
    ("1", "1/5"),
    ("2", "2/5"),
    ("3", "3/5"),
    ("4", "4/5"),
    ("5", "5/5"),
];

/// Marks an entry as obsolete, or as valid again: the field `status` says which.
pub(crate) async fn set_status(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Signed { visitor, fields }: Signed,
) -> Response {
    match marked(&app, &visitor, (&id, &fields)).await {
        Ok(status) => see_other(&format!("/knowledge/{id}?done={}", status.as_str())),
        Err(failure) => visitor.fail(&failure),
    }
}

async fn marked(
    app: &Arc<App>,
    visitor: &Visitor,
    (id, fields): (&str, &Fields),
) -> Result<EntryStatus, Failure> {
    let status = super::chosen(fields.get("status"))?;
    let status = status.ok_or_else(|| Failure::refused("status must be said".to_owned()))?;
    entries::set_status(app, &visitor.caller, (parsed(id)?, None), status).await?;
    Ok(status)
}

/// The buttons that those have who may change entries.
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

/// Says what was just done, with the button that takes it back.
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
