//! Selects the entries and links of a graph: those near its centre, the most linked first.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use recall_kit_store::Edge;
use ulid::Ulid;

use super::{MAX_EDGES, MAX_NODES};

/// The selected part of a graph.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// The nearest to the centre first, then those with most links, then the oldest.
    pub nodes: Vec<Ulid>,
    /// The links between them.
    pub edges: Vec<Edge>,
    /// The entry from which the depth is counted.
    pub centre: Option<Ulid>,
    /// How many entries there would be without limits.
    pub total_nodes: usize,
    /// How many links there would be without limits.
    pub total_edges: usize,
}

/// Selects from entries and links. With a depth, only entries within that distance of the centre, which is
/// the named entry, or else the one with most links. Nothing is near a centre that is not one of the
/// entries.
pub(super) fn select(
    mut edges: Vec<Edge>,
    mut entries: HashSet<Ulid>,
    around: Option<Ulid>,
    depth: Option<u32>,
) -> Selection {
    let inside = |entries: &HashSet<Ulid>, edge: &Edge| {
        entries.contains(&edge.source) && entries.contains(&edge.target)
    };
    edges.retain(|edge| inside(&entries, edge));
    let links = link_counts(&edges);
    let rank = |id: &Ulid| (Reverse(links.get(id).copied().unwrap_or(0)), *id);
    let centre = match (around, depth) {
        (Some(id), _) => Some(id),
        (None, Some(_)) => entries.iter().copied().min_by_key(rank),
        (None, None) => None,
    };
    let mut distances = HashMap::new();
    if let (Some(centre), Some(depth)) = (centre, depth) {
        if entries.contains(&centre) {
            distances = near(&edges, centre, depth);
        }
        entries.retain(|id| distances.contains_key(id));
        edges.retain(|edge| inside(&entries, edge));
    }
    let (total_nodes, total_edges) = (entries.len(), edges.len());
    let mut nodes: Vec<Ulid> = entries.iter().copied().collect();
    nodes.sort_unstable_by_key(|id| (distances.get(id).copied(), rank(id)));
    if nodes.len() > MAX_NODES {
        nodes.truncate(MAX_NODES);
        entries = nodes.iter().copied().collect();
        edges.retain(|edge| inside(&entries, edge));
    }
    edges.truncate(MAX_EDGES);
    Selection {
        nodes,
        edges,
        centre,
        total_nodes,
        total_edges,
    }
}

fn link_counts(edges: &[Edge]) -> HashMap<Ulid, usize> {
    let mut counts = HashMap::new();
    for id in edges.iter().flat_map(|edge| [edge.source, edge.target]) {
        *counts.entry(id).or_default() += 1;
    }
    counts
}

/// Follows links from the centre in both directions, and returns the distance of each entry.
fn near(edges: &[Edge], centre: Ulid, depth: u32) -> HashMap<Ulid, u32> {
    let mut neighbours: HashMap<Ulid, Vec<Ulid>> = HashMap::new();
    for edge in edges {
        neighbours.entry(edge.source).or_default().push(edge.target);
        neighbours.entry(edge.target).or_default().push(edge.source);
    }
    let mut distances = HashMap::from([(centre, 0)]);
    let mut front = vec![centre];
    for distance in 1..=depth {
        let mut next = Vec::new();
        for neighbour in front.iter().filter_map(|id| neighbours.get(id)).flatten() {
            distances.entry(*neighbour).or_insert_with(|| {
                next.push(*neighbour);
                distance
            });
        }
        if next.is_empty() {
            break;
        }
        front = next;
    }
    distances
}
