//! The graph: a drawing that script makes of the data, and a table that says the same to who cannot
//! see it.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json,
    extract::{Query, State},
    response::{IntoResponse as _, Response},
};
use maud::{Markup, html};
use recall_kit_core::{
    access::Caller,
    app::App,
    knowledge::graph::{self as knowledge_graph, Part},
};
use recall_kit_shared_types::knowledge::{EntryType, GraphData};
use serde::Deserialize;
use serde_json::json;

use crate::{
    http::{address::with_query, failure::Failure},
    i18n::words::filled,
    layout::{
        page::{Page, Section, select},
        plain::visible,
    },
    visitor::Visitor,
};

/// The parameters of the graph, as they come.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Typed {
    project: String,
    r#type: String,
    around: String,
}

impl Typed {
    fn part(&self) -> Part {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.trim().is_empty());
        Part {
            project: given(&self.project),
            around: given(&self.around),
            depth: None,
        }
    }

    fn address(&self, path: &str) -> String {
        let parameters = [
            ("project", self.project.as_str()),
            ("type", &self.r#type),
            ("around", &self.around),
        ];
        with_query(path, parameters)
    }
}

/// The page.
pub(crate) async fn graph(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(typed): Query<Typed>,
) -> Response {
    let made = make(&app, &visitor, &typed).await;
    visitor.answer(made)
}

/// What the drawing is made of.
pub(crate) async fn graph_data(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(typed): Query<Typed>,
) -> Response {
    match gathered(&app, &visitor.caller, &typed).await {
        Ok(data) => Json(drawn(&visitor, &data)).into_response(),
        Err(failure) => visitor.fail(&failure),
    }
}

/// Gathers the part of the graph, only of the type that was chosen.
async fn gathered(app: &Arc<App>, caller: &Caller, typed: &Typed) -> Result<GraphData, Failure> {
    let mut data = knowledge_graph::graph(app, caller, &typed.part()).await?;
    if typed.r#type.is_empty() {
        return Ok(data);
    }
    let kind: EntryType = typed.r#type.parse().map_err(|_| {
        let word = visible(&typed.r#type);
        Failure::refused(format!("type knows no {word:?}; choose one of the list"))
    })?;
    data.nodes.retain(|node| node.r#type == kind);
    let there: std::collections::HashSet<&str> =
        data.nodes.iter().map(|node| node.id.as_str()).collect();
    data.edges
        .retain(|edge| there.contains(edge.from.as_str()) && there.contains(edge.to.as_str()));
    Ok(data)
}

/// The data as the script takes it: places in the list of nodes instead of ids, words instead of
/// codes.
fn drawn(visitor: &Visitor, data: &GraphData) -> serde_json::Value {
    let words = &visitor.words.knowledge;
    let places: HashMap<&str, usize> = data
        .nodes
        .iter()
        .enumerate()
        .map(|(place, node)| (node.id.as_str(), place))
        .collect();
    let nodes = data.nodes.iter().map(|node| {
        json!({
            "id": node.id,
            "title": visible(&node.title),
            "type": node.r#type,
            "kind": words.kind(node.r#type),
            "status": node.status,
        })
    });
    let edges = data.edges.iter().filter_map(|edge| {
        let from = places.get(edge.from.as_str())?;
        let to = places.get(edge.to.as_str())?;
        Some(json!({ "from": from, "to": to, "kind": edge.kind }))
    });
    json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "centre": data.centre.as_deref().and_then(|id| places.get(id)),
    })
}

async fn make(app: &Arc<App>, visitor: &Visitor, typed: &Typed) -> Result<Page, Failure> {
    let data = gathered(app, &visitor.caller, typed).await?;
    let words = &visitor.words.knowledge;
    let size = [data.nodes.len(), data.edges.len()].map(|number| number.to_string());
    let main = html! {
        h1 { (words.graph) }
        (filters(app, visitor, typed))
        @if data.nodes.is_empty() {
            p.empty role="status" { (words.graph_empty) }
        } @else {
            p.total { (filled(words.graph_size, &[&size[0], &size[1]])) }
            @if let Some(left_out) = &data.left_out { p.hint { (left_out) } }
            (drawing(visitor, typed))
            (table(visitor, &data))
        }
    };
    Ok(Page {
        script: Some("graph.js"),
        ..Page::new(words.graph, Section::Graph, main)
    })
}

fn filters(app: &App, visitor: &Visitor, typed: &Typed) -> Markup {
    let (search, words) = (&visitor.words.search, &visitor.words.knowledge);
    let types = EntryType::ALL.iter();
    let types = types.map(|kind| (kind.as_str(), words.kind(*kind)));
    let projects = app.labels.projects(&visitor.caller.projects);
    let projects = projects.iter().map(|name| (&**name, &**name));
    html! {
        form.filters method="get" action="/knowledge/graph" {
            (select(search.project, "project", search.any, projects, &typed.project))
            (select(search.kind, "type", search.any, types, &typed.r#type))
            button type="submit" { (words.filter) }
        }
    }
}

fn drawing(visitor: &Visitor, typed: &Typed) -> Markup {
    let words = &visitor.words.knowledge;
    html! {
        noscript { p.hint { (words.graph_needs_script) } }
        div.graph hidden data-graph=(typed.address("/knowledge/graph.json")) {
            p.hint { (words.graph_hint) }
            p.zoom {
                button type="button" data-zoom="in" { (words.zoom_in) }
                button type="button" data-zoom="out" { (words.zoom_out) }
                button type="button" data-zoom="fit" { (words.fit) }
            }
            // What it shows stands in the table below.
            canvas aria-hidden="true" {}
            p.legend aria-hidden="true" {
                @for kind in EntryType::ALL {
                    span data-kind=(kind.as_str()) { (words.kind(*kind)) }
                }
            }
        }
    }
}

fn table(visitor: &Visitor, data: &GraphData) -> Markup {
    let words = &visitor.words.knowledge;
    let titles: HashMap<&str, &str> = data
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node.title.as_str()))
        .collect();
    let title = |id: &str| visible(titles.get(id).copied().unwrap_or_default());
    html! {
        details {
            summary { (words.table) }
            div.wide tabindex="0" role="region" aria-label=(words.table) {
                table {
                    thead {
                        tr {
                            th scope="col" { (words.from) }
                            th scope="col" { (words.relation) }
                            th scope="col" { (words.to) }
                        }
                    }
                    tbody {
                        @for edge in &data.edges {
                            tr {
                                td dir="auto" { a href={ "/knowledge/" (edge.from) } { (title(&edge.from)) } }
                                td { (words.relation_of(edge.kind)) }
                                td dir="auto" { a href={ "/knowledge/" (edge.to) } { (title(&edge.to)) } }
                            }
                        }
                    }
                }
            }
            ul {
                @for node in &data.nodes {
                    li { a href={ "/knowledge/" (node.id) } dir="auto" { (visible(&node.title)) }
                        " " span.kind { (words.kind(node.r#type)) } }
                }
            }
        }
    }
}
