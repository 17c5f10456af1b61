//! The audit log: the list of changes and who made them, the newest first.

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

/// The number of records on a page.
const PAGE: u32 = 100;

/// The parameters of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    /// Only records before this number; the newest ones if empty.
    before: String,
}

/// Answers with the list.
pub(crate) async fn audit(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(params): Query<Params>,
) -> Response {
    let made = make(&app, &visitor, &params).await;
    visitor.answer(made)
}

async fn make(app: &App, visitor: &Visitor, params: &Params) -> Result<Page, Failure> {
    let before = match params.before.as_str() {
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
            td { time datetime=(event.at) title=(event.at) { (words.ages.between(event.at, visitor.now)) } }
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

/// Renders the changed record, with a link to its page if it has one.
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
