//! The graph as a Mermaid drawing.
//!
//! A renderer interprets the text, so titles are escaped: nothing in a title can end its label, begin a
//! directive or be read as HTML. Source: Mermaid documentation, "Flowcharts", entity codes.

use std::{collections::HashMap, fmt::Write as _};

use recall_kit_shared_types::knowledge::{EntryStatus, GraphData, GraphNode};

/// By default Mermaid draws at most 50,000 characters and 500 links. Entries get so many of the
/// characters, which leaves 40 for each link.
const NODE_CHARS: usize = 30_000;
/// See [`NODE_CHARS`].
const MAX_EDGES: usize = 500;
/// The most characters of a title.
const TITLE_CHARS: usize = 60;

/// Draws a graph. If it is too large for a drawing, the last entries and links are left out, and a
/// comment says so.
pub fn mermaid(graph: &GraphData) -> String {
    let mut drawing = "flowchart LR\n".to_owned();
    let mut places = HashMap::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        if drawing.len() > NODE_CHARS {
            break;
        }
        drawing.push_str(&drawn(place, node));
        places.insert(node.id.as_str(), place);
    }
    let ends = graph.edges.iter().filter_map(|edge| {
        let (from, to) = (
            places.get(edge.from.as_str())?,
            places.get(edge.to.as_str())?,
        );
        Some((edge.kind, from, to))
    });
    let mut edges = 0;
    for (kind, from, to) in ends.take(MAX_EDGES) {
        edges += 1;
        let line = if kind.is_symmetric() { "---" } else { "-->" };
        // Writing into a string cannot fail.
        writeln!(drawing, "  n{from} {line}|{kind}| n{to}").ok();
    }
    let left_out = (graph.total_nodes - places.len(), graph.total_edges - edges);
    if left_out != (0, 0) {
        let (nodes, edges) = left_out;
        writeln!(drawing, "  %% {nodes} more entries, {edges} more links").ok();
    }
    drawing.push_str("  classDef obsolete stroke-dasharray: 4\n");
    drawing
}

fn drawn(place: usize, node: &GraphNode) -> String {
    let kind = node.r#type;
    let class = match node.status {
        EntryStatus::Active => "",
        EntryStatus::Obsolete => ":::obsolete",
    };
    format!("  n{place}[\"{kind}: {}\"]{class}\n", escaped(&node.title))
}

/// Escapes every character of a title except letters, digits and a few harmless ones.
fn escaped(title: &str) -> String {
    let mut label = String::new();
    for (at, c) in title.chars().enumerate() {
        if at == TITLE_CHARS {
            label.push('…');
            break;
        }
        match c {
            _ if c.is_alphanumeric() || matches!(c, ' ' | ',' | '.' | '-' | '_' | ':' | '/') => {
                label.push(c);
            }
            _ if c.is_control() => label.push(' '),
            _ => {
                write!(label, "#{};", u32::from(c)).ok();
            }
        }
    }
    label
}
