//! The graph of the knowledge base: the entries and links that an address selects, within limits.

mod mermaid;
mod selection;

use std::{collections::HashMap, sync::Arc};

use percent_encoding::percent_decode_str;
use recall_kit_shared_types::knowledge::{GraphData, GraphEdge, GraphNode};
use recall_kit_store::{EntryLabels, Projects};
use ulid::Ulid;

pub use self::mermaid::mermaid;
use self::selection::{Selection, select};
use super::entries::resolve;
use crate::{
    access::Caller,
    error::ServiceError,
    indexing::{self, labels::EntryFilter},
    knowledge::Knowledge,
};

/// The address of the whole graph.
pub const ADDRESS: &str = "recall-kit:///knowledge/graph";
/// The template for parts of it. Source: RFC 6570, form-style query expansion.
pub const TEMPLATE: &str = "recall-kit:///knowledge/graph{?project,depth,around}";
/// The description of the template.
pub const DESCRIPTION: &str = "Entries and their links, as JSON and as a Mermaid drawing. project: only \
     its entries; around: an entry's id or the beginning of it; depth: how many links away from that entry, \
     2 when it is not given (without around: from the entry with most links).";
/// The most entries in one graph.
const MAX_NODES: usize = 2_000;
/// The most links in one graph.
const MAX_EDGES: usize = 10_000;
/// The largest depth.
const MAX_DEPTH: u32 = 100;
/// The depth if only a centre is named.
const DEFAULT_DEPTH: u32 = 2;

/// The part of the graph that an address selects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Only entries of this project, in any case.
    pub project: Option<String>,
    /// Only entries at most this many links away from the centre; 2 if a centre is named without a
    /// depth.
    pub depth: Option<u32>,
    /// The centre: an entry's id, or the beginning of it.
    pub around: Option<String>,
}

/// Returns whether an address is that of the graph, with any query after `?`.
pub fn is_address(uri: &str) -> bool {
    let rest = uri.strip_prefix(ADDRESS);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('?'))
}

impl Part {
    /// Parses the query after `?` in the graph's address.
    ///
    /// *Errors*: a message that says what is wrong.
    pub fn of(uri: &str) -> Result<Self, String> {
        let mut part = Self::default();
        let query = uri.split_once('?').map_or("", |(_, query)| query);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| format!("`{name}` is not valid text"))?;
            // Clients that expand the template leave absent parameters empty.
            if value.is_empty() {
                continue;
            }
            match name {
                "project" => part.project = Some(value.into_owned()),
                "around" => part.around = Some(value.into_owned()),
                "depth" => part.depth = Some(depth(&value)?),
                _ => {
                    let known = "the parameters are project, depth and around";
                    return Err(format!("unknown parameter `{name}`; {known}"));
                }
            }
        }
        Ok(part)
    }
}

fn depth(value: &str) -> Result<u32, String> {
    let depth = value.parse().ok().filter(|depth| *depth <= MAX_DEPTH);
    depth.ok_or_else(|| format!("`depth` must be a whole number from 0 to {MAX_DEPTH}"))
}

/// Returns the current state of a part of the graph.
///
/// *Errors*: those of [`resolve`] for `around`; else those of the database or the index.
pub async fn graph(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    part: &Part,
) -> Result<GraphData, ServiceError> {
    knowledge
        .admission
        .run_query(|| gathered(knowledge, &caller.projects, part))
        .await
}

async fn gathered(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    part: &Part,
) -> Result<GraphData, ServiceError> {
    indexing::catch_up(&knowledge.records).await?;
    let around = match &part.around {
        Some(id) => Some(resolve(knowledge, projects, "around", id).await?.0),
        None => None,
    };
    let filter = EntryFilter {
        project: part.project.clone(),
        ..EntryFilter::default()
    };
    let mut entries: HashMap<Ulid, EntryLabels> = HashMap::new();
    for labels in knowledge.labels.list(projects, &filter) {
        entries.insert(labels.id, labels);
    }
    let edges = knowledge.store.edges().await?;
    let depth = part.depth.or(around.map(|_| DEFAULT_DEPTH));
    let selection = select(edges, entries.keys().copied().collect(), around, depth);
    let titles = knowledge.store.entry_titles(&selection.nodes).await?;
    let mut titles: HashMap<Ulid, String> = titles.into_iter().collect();
    let nodes = selection.nodes.iter().filter_map(|id| {
        let labels = entries.remove(id)?;
        Some(GraphNode {
            id: id.to_string(),
            title: titles.remove(id)?,
            r#type: labels.kind,
            status: labels.status,
            project: labels.project,
        })
    });
    let nodes: Vec<GraphNode> = nodes.collect();
    Ok(GraphData {
        nodes,
        edges: selection.edges.iter().map(edge).collect(),
        total_nodes: selection.total_nodes,
        total_edges: selection.total_edges,
        centre: selection.centre.map(|id| id.to_string()),
        left_out: left_out(&selection),
    })
}

fn edge(edge: &recall_kit_store::Edge) -> GraphEdge {
    GraphEdge {
        kind: edge.relation,
        from: edge.source.to_string(),
        to: edge.target.to_string(),
    }
}

fn left_out(selection: &Selection) -> Option<String> {
    let nodes = selection.total_nodes - selection.nodes.len();
    let edges = selection.total_edges - selection.edges.len();
    (nodes + edges > 0).then(|| {
        format!(
            "{nodes} entries and {edges} links are left out, of entries with fewer links; \
             ask for a project, or for what is around an entry"
        )
    })
}

#[cfg(test)]
mod tests;
