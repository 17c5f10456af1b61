//! The list of experiences; hidden and deleted ones are listed for visitors who may restore them.

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    access::Scope,
    error::ServiceError,
    experiences::{self, Experiences},
};
use recall_kit_store::{
    ExperienceBrief, ExperienceListing, ExperienceOrder, Page as Part, Standing,
};
use serde::Deserialize;

use crate::{
    http::{address::with_query, failure::Failure},
    i18n::words::counted,
    layout::{
        page::{Page, Section, choice, paging},
        plain::visible,
    },
    search::page_of,
    visitor::Visitor,
};

/// The number of records on a page.
const PAGE: u32 = 50;

const ORDERS: [(&str, ExperienceOrder); 3] = [
    ("newest", ExperienceOrder::Newest),
    ("oldest", ExperienceOrder::Oldest),
    ("most-seen", ExperienceOrder::MostSeen),
];
const STANDINGS: [(&str, Standing); 3] = [
    ("visible", Standing::Visible),
    ("hidden", Standing::Hidden),
    ("deleted", Standing::Deleted),
];

/// The parameters of the list, not checked yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    order: String,
    state: String,
    page: String,
}

/// Answers with the list.
pub(crate) async fn list(
    State(experiences): State<Arc<Experiences>>,
    visitor: Visitor,
    Query(params): Query<Params>,
) -> Response {
    let made = make(&experiences, &visitor, &params).await;
    visitor.answer(made)
}

async fn make(
    experiences: &Arc<Experiences>,
    visitor: &Visitor,
    params: &Params,
) -> Result<Page, Failure> {
    let standing = chosen("state", &STANDINGS, &params.state)?;
    if standing != Standing::Visible {
        let may = visitor.caller.require(Scope::Write);
        may.map_err(ServiceError::from)?;
    }
    let page = page_of(&params.page).map_err(Failure::refused)?;
    let listing = ExperienceListing {
        standing,
        order: chosen("order", &ORDERS, &params.order)?,
        page: Part {
            offset: (page - 1) * u64::from(PAGE),
            limit: PAGE,
        },
    };
    let list = experiences::list(experiences, &listing).await?;
    let words = visitor.words;
    let main = html! {
        h1 { (words.shell.experiences) }
        (filters(visitor, params))
        @if list.records.is_empty() {
            p.empty role="status" { (words.experience.empty) }
        } @else {
            p.total { (counted(words.experience.total, list.total)) }
            (table(visitor, &list.records))
        }
        (paging(&words.shell, (page, list.total.div_ceil(PAGE.into())), |page| address(params, page)))
    };
    Ok(Page::new(
        words.shell.experiences,
        Section::Experiences,
        main,
    ))
}

/// Returns the value of a parameter by name; the first value if the parameter is empty.
fn chosen<T: Copy>(name: &str, known: &[(&str, T); 3], word: &str) -> Result<T, Failure> {
    let mut known = known.iter();
    let found = match word {
        "" => known.next(),
        word => known.find(|(known, _)| *known == word),
    };
    found.map(|(_, value)| *value).ok_or_else(|| {
        let word = visible(word);
        Failure::refused(format!(
            "{name} must be one of the listed values, not {word:?}"
        ))
    })
}

fn filters(visitor: &Visitor, params: &Params) -> Markup {
    let words = &visitor.words.experience;
    let orders = ORDERS.iter().zip(words.orders);
    let orders = orders.map(|((value, _), shown)| (*value, shown));
    let standings = STANDINGS.iter().zip(words.standings);
    let standings = standings.map(|((value, _), shown)| (*value, shown));
    html! {
        form.filters method="get" action="/experiences" {
            (choice(words.order, "order", orders, &params.order))
            @if visitor.may(Scope::Write) {
                (choice(words.state, "state", standings, &params.state))
            }
            button type="submit" { (visitor.words.knowledge.filter) }
        }
    }
}

fn table(visitor: &Visitor, records: &[ExperienceBrief]) -> Markup {
    let words = &visitor.words.experience;
    html! {
        div.wide tabindex="0" role="region" aria-label=(visitor.words.shell.experiences) {
            table {
                thead { tr {
                    th scope="col" { (words.title) }
                    th scope="col" { (words.added) }
                    th scope="col" { (words.seen) }
                    th scope="col" { (words.keywords) }
                } }
                tbody { @for record in records { (row(visitor, record)) } }
            }
        }
    }
}

fn row(visitor: &Visitor, record: &ExperienceBrief) -> Markup {
    let age = visitor.words.ages.between(record.created_at, visitor.now);
    html! {
        tr {
            th scope="row" dir="auto" {
                a href={ "/experiences/" (record.id) } { (visible(&record.title)) }
            }
            td { time datetime=(record.created_at) { (age) } }
            td.number { (record.query_count) }
            td {
                @for keyword in record.keywords.iter().take(6) {
                    span.label dir="auto" { (visible(keyword)) } " "
                }
            }
        }
    }
}

fn address(params: &Params, page: u64) -> String {
    let page = page.to_string();
    let parameters = [
        ("order", params.order.as_str()),
        ("state", &params.state),
        ("page", &page),
    ];
    with_query("/experiences", parameters)
}
