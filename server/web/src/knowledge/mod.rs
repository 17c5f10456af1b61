//! The pages of the knowledge base: the list of entries, an entry and its form, pending suggestions, stale
//! entries, the graph.

mod edit;
mod entry;
mod graph;
mod stale;
mod suggestions;

use std::sync::Arc;

use axum::{
    extract::{Query, State},
    response::Response,
};
use maud::{Markup, html};
use recall_kit_core::{
    indexing::labels::EntryFilter,
    knowledge::{
        Knowledge,
        entries::{self, EntryOrder},
    },
};
use recall_kit_shared_types::knowledge::{EntryStatus, EntryType};
use recall_kit_store::{EntryBrief, Page as Part};
use serde::Deserialize;

pub(super) use self::{
    edit::{edit, form, set_status},
    entry::entry,
    graph::{graph, graph_data},
    stale::{mark, stale},
    suggestions::{decide, suggestions},
};
use super::{search::page_of, visitor::Visitor};
use crate::{
    http::{address::with_query, failure::Failure},
    i18n::words::counted,
    layout::{
        page::{Page, Section, choice, paging, select},
        plain::visible,
    },
};

/// The number of entries on a page.
const PAGE: u32 = 50;

/// The parameters of the list, not checked yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    r#type: String,
    status: String,
    project: String,
    order: String,
    page: String,
}

const ORDERS: [(&str, EntryOrder); 3] = [
    ("newest", EntryOrder::Newest),
    ("oldest", EntryOrder::Oldest),
    ("most-shown", EntryOrder::MostShown),
];

/// Answers with the list of entries.
pub(super) async fn list(
    State(knowledge): State<Arc<Knowledge>>,
    visitor: Visitor,
    Query(params): Query<Params>,
) -> Response {
    let made = make(&knowledge, &visitor, &params).await;
    visitor.answer(made)
}

async fn make(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    params: &Params,
) -> Result<Page, Failure> {
    let filter = EntryFilter {
        kind: chosen("type", &params.r#type)?,
        status: chosen("status", &params.status)?,
        project: Some(params.project.clone()).filter(|name| !name.is_empty()),
    };
    let page = page_of(&params.page).map_err(Failure::refused)?;
    let part = Part {
        offset: (page - 1) * u64::from(PAGE),
        limit: PAGE,
    };
    let order = order(&params.order)?;
    let (entries, total) = entries::list(knowledge, &visitor.caller, &filter, order, part).await?;
    let words = visitor.words;
    let main = html! {
        h1 { (words.knowledge.title) }
        p.actions {
            a href="/knowledge/suggestions" { (words.knowledge.suggestions) }
            a href="/knowledge/stale" { (words.knowledge.stale) }
        }
        (filters(knowledge, visitor, params))
        @if entries.is_empty() {
            p.empty role="status" { (words.knowledge.empty) }
        } @else {
            p.total { (counted(words.search.found, total)) }
            (table(visitor, &entries))
        }
        (paging(&words.shell, (page, total.div_ceil(PAGE.into())), |page| address(params, page)))
    };
    Ok(Page::new(words.knowledge.title, Section::Knowledge, main))
}

/// Parses a parameter of the list or the form; `None` if it is empty.
fn chosen<T: std::str::FromStr>(name: &str, word: &str) -> Result<Option<T>, Failure> {
    match word {
        "" => Ok(None),
        word => match word.parse() {
            Ok(known) => Ok(Some(known)),
            Err(_) => Err(Failure::refused(format!(
                "{name} must be one of the listed values, not {:?}",
                visible(word)
            ))),
        },
    }
}

/// Parses the order of the list; newest first if it is empty.
fn order(word: &str) -> Result<EntryOrder, Failure> {
    if word.is_empty() {
        return Ok(EntryOrder::default());
    }
    let known = ORDERS.iter().find(|(known, _)| *known == word);
    known.map(|(_, order)| *order).ok_or_else(|| {
        let word = visible(word);
        Failure::refused(format!(
            "order must be one of the listed values, not {word:?}"
        ))
    })
}

fn filters(knowledge: &Knowledge, visitor: &Visitor, params: &Params) -> Markup {
    let (search, words) = (&visitor.words.search, &visitor.words.knowledge);
    let types = EntryType::ALL.iter();
    let types = types.map(|kind| (kind.as_str(), words.kind(*kind)));
    let statuses = EntryStatus::ALL.iter();
    let statuses = statuses.map(|status| (status.as_str(), words.status_of(*status)));
    let orders = ORDERS.iter().zip(words.orders);
    let orders = orders.map(|((value, _), shown)| (*value, shown));
    let projects = knowledge.labels.projects(&visitor.caller.projects);
    let projects = projects.iter().map(|name| (&**name, &**name));
    html! {
        form.filters method="get" action="/knowledge" {
            (select(search.kind, "type", search.any, types, &params.r#type))
            (select(words.status, "status", search.any, statuses, &params.status))
            (select(search.project, "project", search.any, projects, &params.project))
            (choice(visitor.words.experience.order, "order", orders, &params.order))
            button type="submit" { (words.filter) }
        }
    }
}

fn table(visitor: &Visitor, entries: &[EntryBrief]) -> Markup {
    let (search, words) = (&visitor.words.search, &visitor.words.knowledge);
    html! {
        div.wide tabindex="0" role="region" aria-label=(words.title) {
            table {
                thead {
                    tr {
                        th scope="col" { (words.entry) }
                        th scope="col" { (search.kind) }
                        th scope="col" { (search.project) }
                        th scope="col" { (words.status) }
                        th scope="col" { (words.tags) }
                    }
                }
                tbody {
                    @for entry in entries {
                        tr {
                            th scope="row" dir="auto" {
                                a href={ "/knowledge/" (entry.id) } { (visible(&entry.title)) }
                            }
                            td { (words.kind(entry.kind)) }
                            td dir="auto" { (visible(entry.project.as_deref().unwrap_or_default())) }
                            td { (words.status_of(entry.status)) }
                            td { @for tag in &entry.tags { span.label { (visible(tag)) } " " } }
                        }
                    }
                }
            }
        }
    }
}

fn address(params: &Params, page: u64) -> String {
    let page = page.to_string();
    let parameters = [
        ("type", params.r#type.as_str()),
        ("status", &params.status),
        ("project", &params.project),
        ("order", &params.order),
        ("page", &page),
    ];
    with_query("/knowledge", parameters)
}
