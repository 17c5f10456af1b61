//! The graph: a drawing that a script makes from the data, and a table with the same content for visitors
//! who cannot see the drawing.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json,
    extract::{Query, State},
    response::{IntoResponse as _, Response},
};
use maud::{Markup, html};
use recall_kit_core::{
    access::Caller,
    knowledge::{
        Knowledge,
        graph::{self as knowledge_graph, Part},
    },
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

/// The parameters of the graph, not checked yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    project: String,
    r#type: String,
    around: String,
}

impl Params {
    fn part(&self) -> Part {
        let non_empty = |text: &String| Some(text.clone()).filter(|text| !text.trim().is_empty());
        Part {
            project: non_empty(&self.project),
            around: non_empty(&self.around),
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

/// Answers with the page.
pub(crate) async fn graph(
    State(knowledge): State<Arc<Knowledge>>,
    visitor: Visitor,
    Query(params): Query<Params>,
) -> Response {
    let made = make(&knowledge, &visitor, &params).await;
    visitor.answer(made)
}

/// Answers with the data of the drawing.
pub(crate) async fn graph_data(
    State(knowledge): State<Arc<Knowledge>>,
    visitor: Visitor,
    Query(params): Query<Params>,
) -> Response {
    match load(&knowledge, &visitor.caller, &params).await {
        Ok(data) => Json(drawing_data(&visitor, &data)).into_response(),
        Err(failure) => visitor.fail(&failure),
    }
}

/// Loads the requested part of the graph, with only the entries of the chosen type.
async fn load(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    params: &Params,
) -> Result<GraphData, Failure> {
    let mut data = knowledge_graph::graph(knowledge, caller, &params.part()).await?;
    if params.r#type.is_empty() {
        return Ok(data);
    }
    let kind: EntryType = params.r#type.parse().map_err(|_| {
        let word = visible(&params.r#type);
        Failure::refused(format!(
            "type must be one of the listed values, not {word:?}"
        ))
    })?;
    data.nodes.retain(|node| node.r#type == kind);
    let ids: std::collections::HashSet<&str> =
        data.nodes.iter().map(|node| node.id.as_str()).collect();
    data.edges
        .retain(|edge| ids.contains(edge.from.as_str()) && ids.contains(edge.to.as_str()));
    Ok(data)
}

/// Returns the data for the script: indexes into the list of nodes instead of ids, and translated names.
fn drawing_data(visitor: &Visitor, data: &GraphData) -> serde_json::Value {
    let words = &visitor.words.knowledge;
    let indexes: HashMap<&str, usize> = data
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (node.id.as_str(), index))
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
        let from = indexes.get(edge.from.as_str())?;
        let to = indexes.get(edge.to.as_str())?;
        Some(json!({ "from": from, "to": to, "kind": edge.kind }))
    });
    json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "centre": data.centre.as_deref().and_then(|id| indexes.get(id)),
    })
}

async fn make(
    knowledge: &Arc<Knowledge>,
    visitor: &Visitor,
    params: &Params,
) -> Result<Page, Failure> {
    let data = load(knowledge, &visitor.caller, params).await?;
    let words = &visitor.words.knowledge;
    let size = [data.nodes.len(), data.edges.len()].map(|number| number.to_string());
    let main = html! {
        h1 { (words.graph) }
        (filters(knowledge, visitor, params))
        @if data.nodes.is_empty() {
            p.empty role="status" { (words.graph_empty) }
        } @else {
            p.total { (filled(words.graph_size, &[&size[0], &size[1]])) }
            @if let Some(left_out) = &data.left_out { p.hint { (left_out) } }
            (drawing(visitor, params))
            (table(visitor, &data))
        }
    };
    Ok(Page {
        script: Some("graph.js"),
        ..Page::new(words.graph, Section::Graph, main)
    })
}

fn filters(knowledge: &Knowledge, visitor: &Visitor, params: &Params) -> Markup {
    let (search, words) = (&visitor.words.search, &visitor.words.knowledge);
    let types = EntryType::ALL.iter();
    let types = types.map(|kind| (kind.as_str(), words.kind(*kind)));
    let projects = knowledge.labels.projects(&visitor.caller.projects);
    let projects = projects.iter().map(|name| (&**name, &**name));
    html! {
        form.filters method="get" action="/knowledge/graph" {
            (select(search.project, "project", search.any, projects, &params.project))
            (select(search.kind, "type", search.any, types, &params.r#type))
            button type="submit" { (words.filter) }
        }
    }
}

fn drawing(visitor: &Visitor, params: &Params) -> Markup {
    let words = &visitor.words.knowledge;
    html! {
        noscript { p.hint { (words.graph_needs_script) } }
        div.graph hidden data-graph=(params.address("/knowledge/graph.json")) {
            p.hint { (words.graph_hint) }
            p.zoom {
                button type="button" data-zoom="in" { (words.zoom_in) }
                button type="button" data-zoom="out" { (words.zoom_out) }
                button type="button" data-zoom="fit" { (words.fit) }
            }
            // The table below has the same content for screen readers.
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
