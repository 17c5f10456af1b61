//! The list of who did what, the newest first.

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::audit::{self, ActorKind, AuditRecord},
    app::App,
};
use serde::Deserialize;

use super::{Tab, page};
use crate::{
    http::failure::Failure,
    layout::{page::Page, plain::visible},
    visitor::Visitor,
};

/// Records on a page.
const PAGE: u32 = 100;

/// Which records are asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Typed {
    /// Those before this number; the newest where nothing is said.
    before: String,
}

/// The list.
pub(crate) async fn audit(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(typed): Query<Typed>,
) -> Response {
    let made = make(&app, &visitor, &typed).await;
    visitor.answer(made)
}

async fn make(app: &App, visitor: &Visitor, typed: &Typed) -> Result<Page, Failure> {
    let before = match typed.before.as_str() {
        "" => None,
        number => Some(number.parse().map_err(|_| {
            let number = visible(number);
            Failure::refused(format!("before must be a record's number, not {number:?}"))
        })?),
    };
    let list = audit::list(app.store.as_ref(), &visitor.caller, before, PAGE).await?;
    let words = &visitor.words.admin;
    let main = html! {
        @if list.records.is_empty() {
            p.empty role="status" { (words.audit_empty) }
        } @else {
            (table(visitor, &list.records))
        }
        @if let Some(next) = list.next {
            nav.paging aria-label=(words.older) {
                a rel="next" href={ "/audit?before=" (next) } { (words.older) " →" }
            }
        }
    };
    Ok(page(visitor, Tab::Audit, &main))
}

fn table(visitor: &Visitor, records: &[AuditRecord]) -> Markup {
    let words = &visitor.words.admin;
    html! {
        div.wide tabindex="0" role="region" aria-label=(words.audit) {
            table {
                thead { tr {
                    th scope="col" { (words.when) }
                    th scope="col" { (words.who) }
                    th scope="col" { (words.what) }
                    th scope="col" { (words.details) }
                } }
                tbody { @for record in records { (row(visitor, record)) } }
            }
        }
    }
}

fn row(visitor: &Visitor, record: &AuditRecord) -> Markup {
    let words = visitor.words;
    let event = &record.event;
    let kind = match event.actor.kind {
        ActorKind::User => words.admin.by_user,
        ActorKind::Key => words.admin.by_key,
        ActorKind::Local => words.admin.by_local,
        ActorKind::Anonymous => words.admin.by_nobody,
    };
    html! {
        tr {
            td { time datetime=(event.at) title=(event.at) { (words.ages.of(event.at, visitor.now)) } }
            th scope="row" dir="auto" {
                @match &event.actor.name {
                    Some(name) => { bdi { (visible(name)) } " (" (kind) ")" }
                    None => { (kind) }
                }
            }
            td { code { (visible(&event.action)) } }
            td dir="auto" {
                @if let Some((kind, id)) = &event.subject { (visible(kind)) " " (subject(kind, id)) " " }
                @if let Some(details) = &event.details { (visible(details)) }
            }
        }
    }
}

/// What something was done to, with the way to its page where it has one.
fn subject(kind: &str, id: &str) -> Markup {
    let folder = match kind {
        "experience" => Some("experiences"),
        "entry" => Some("knowledge"),
        _ => None,
    };
    html! {
        @match folder {
            Some(folder) => { a href={ "/" (folder) "/" (id) } { (visible(id)) } }
            None => { code { (visible(id)) } }
        }
    }
}
