//! Stale entries, which were not opened for a long time, to mark as obsolete one by one or many at once.

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use jiff::Timestamp;
use maud::{Markup, html};
use recall_kit_core::{
    access::Scope,
    knowledge::{
        Knowledge, entries,
        stale::{self as stale_entries, StaleEntry},
    },
};
use recall_kit_shared_types::knowledge::EntryStatus;
use serde::Deserialize;
use ulid::Ulid;

use crate::{
    http::{
        failure::Failure,
        form::{Fields, SessionForm, alert, token_field},
    },
    i18n::words::counted,
    layout::{
        page::{Page, Section, choice},
        plain::visible,
    },
    visitor::Visitor,
};

/// The most entries on the page, those with the lowest consolidation score first.
const SHOWN: usize = 100;
/// The choices of days without access.
const DAYS: [(&str, &str); 4] = [("30", "30"), ("90", "90"), ("180", "180"), ("365", "365")];
/// The default.
const USUAL_DAYS: &str = "90";
/// The most days that an address may name.
const MOST_DAYS: u32 = 36_500;

/// The parameters of the list, not checked yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    days: String,
}

/// Answers with the list.
pub(crate) async fn stale(
    State(knowledge): State<Arc<Knowledge>>,
    visitor: Visitor,
    Query(params): Query<Params>,
) -> Response {
    let page = render(&knowledge, &visitor, (&params.days, html! {})).await;
    visitor.answer(page)
}

/// Marks the chosen entries as obsolete.
pub(crate) async fn mark(
    State(knowledge): State<Arc<Knowledge>>,
    SessionForm { visitor, fields }: SessionForm,
) -> Response {
    let days = fields.get("days");
    match mark_all(&knowledge, &visitor, &fields).await {
        Ok(number) => {
            let words = &visitor.words.knowledge;
            let notice = html! { p.done role="status" { (counted(words.marked, number)) } };
            let page = render(&knowledge, &visitor, (days, notice)).await;
            visitor.answer(page)
        }
        Err(Failure::Refused(why)) => {
            let page = render(
                &knowledge,
                &visitor,
                (days, alert(&why.message(visitor.words))),
            )
            .await;
            visitor.answer_with(StatusCode::BAD_REQUEST, page)
        }
        Err(failure) => visitor.fail(&failure),
    }
}

/// Marks the chosen entries, and returns their number.
async fn mark_all(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    fields: &Fields,
) -> Result<u64, Failure> {
    let ids = fields.all("id").map(Ulid::from_string);
    let ids: Vec<Ulid> = ids
        .collect::<Result<_, _>>()
        .map_err(|_| Failure::NotFound)?;
    if ids.is_empty() {
        return Err(Failure::refused(
            visitor.words.knowledge.none_chosen.to_owned(),
        ));
    }
    let mut number = 0;
    for id in ids {
        let status = EntryStatus::Obsolete;
        entries::set_status(knowledge, &visitor.caller, (id, None), status).await?;
        number += 1;
    }
    Ok(number)
}

async fn render(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    (days, notice): (&str, Markup),
) -> Result<Page, Failure> {
    let words = &visitor.words.knowledge;
    let days = if days.is_empty() { USUAL_DAYS } else { days };
    let number = days.parse().ok().filter(|days| *days <= MOST_DAYS);
    let number = number
        .ok_or_else(|| Failure::refused(format!("days must be a number from 0 to {MOST_DAYS}")))?;
    let entries = stale_entries::stale(knowledge, &visitor.caller, number, SHOWN).await?;
    let main = html! {
        h1 { (words.stale) }
        p { (words.stale_why) }
        (notice)
        form.filters method="get" action="/knowledge/stale" {
            (choice(words.days, "days", DAYS, days))
            button type="submit" { (words.filter) }
        }
        @if entries.is_empty() {
            p.empty role="status" { (words.none_stale) }
        } @else {
            form method="post" action="/knowledge/stale" {
                (token_field(visitor))
                input type="hidden" name="days" value=(days);
                @if visitor.may(Scope::Write) {
                    p.actions {
                        button type="button" data-choose-all hidden { (words.choose_all) }
                        button type="submit" { (words.mark_chosen) }
                    }
                }
                (table(visitor, &entries))
            }
        }
    };
    Ok(Page::new(words.stale, Section::Knowledge, main))
}

fn table(visitor: &Visitor, entries: &[StaleEntry]) -> Markup {
    let words = &visitor.words.knowledge;
    let may = visitor.may(Scope::Write);
    html! {
        div.wide tabindex="0" role="region" aria-label=(words.stale) {
            table {
                thead { tr {
                    @if may { th scope="col" { (words.choose) } }
                    th scope="col" { (words.entry) }
                    th scope="col" { (visitor.words.search.kind) }
                    th scope="col" { (words.last_shown) }
                    th scope="col" { (words.remembered) }
                } }
                tbody { @for entry in entries { (row(visitor, entry, may)) } }
            }
        }
    }
}

fn row(visitor: &Visitor, entry: &StaleEntry, may: bool) -> Markup {
    let words = &visitor.words.knowledge;
    let last = entry
        .last_accessed
        .as_deref()
        .and_then(|at| at.parse().ok());
    let last: Option<Timestamp> = last;
    html! {
        tr {
            @if may {
                td { input type="checkbox" name="id" value=(entry.id) aria-label=(visible(&entry.title)); }
            }
            th scope="row" dir="auto" {
                a href={ "/knowledge/" (entry.id) } { (visible(&entry.title)) }
            }
            td { (words.kind(entry.r#type)) }
            td {
                @match last {
                    Some(at) => { time datetime=(at) { (visitor.words.ages.between(at, visitor.now)) } }
                    None => { (visitor.words.admin.never) }
                }
            }
            td.number { (format!("{:.2}", entry.consolidation_score)) }
        }
    }
}
