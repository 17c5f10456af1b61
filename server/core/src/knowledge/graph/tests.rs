//! Addresses, the selection of a graph, and safe drawings.

#![allow(clippy::unwrap_used)]

use recall_kit_shared_types::knowledge::{EntryStatus, EntryType, RelationType};
use recall_kit_store::Edge;

use super::*;

fn edges(pairs: &[(u128, u128)]) -> Vec<Edge> {
    let edge = |&(source, target)| Edge {
        source: Ulid(source),
        target: Ulid(target),
        relation: RelationType::DerivedFrom,
    };
    pairs.iter().map(edge).collect()
}

#[test]
fn an_address_selects_a_part() {
    let part = |project: Option<&str>, depth, around: Option<&str>| {
        Ok(Part {
            project: project.map(str::to_owned),
            depth,
            around: around.map(str::to_owned),
        })
    };
    let check = |query: &str, expected: Result<Part, String>| {
        assert_eq!(Part::of(&format!("{ADDRESS}{query}")), expected, "{query}");
    };
    check("", part(None, None, None));
    check("?", part(None, None, None));
    check("?project=&depth=&around=", part(None, None, None));
    check(
        "?project=My%20%26%20shop&depth=0",
        part(Some("My & shop"), Some(0), None),
    );
    check("?around=01ABCDE", part(None, None, Some("01ABCDE")));
    check(
        "?around=01ABCDE&depth=7",
        part(None, Some(7), Some("01ABCDE")),
    );
    let depth = "`depth` must be a whole number from 0 to 100";
    for wrong in ["-1", "101", "two", "1.5"] {
        check(&format!("?depth={wrong}"), Err(depth.to_owned()));
    }
    check(
        "?project=%ff",
        Err("`project` is not valid text".to_owned()),
    );
    let unknown = "unknown parameter `root`; the parameters are project, depth and around";
    check("?root=1", Err(unknown.to_owned()));
    for (uri, expected) in [
        (ADDRESS.to_owned(), true),
        (format!("{ADDRESS}?project=a"), true),
        (format!("{ADDRESS}s"), false),
        ("recall-kit:///knowledge".to_owned(), false),
    ] {
        assert_eq!(is_address(&uri), expected, "{uri}");
    }
}

#[test]
fn the_nearest_come_first_then_the_most_linked() {
    // 1 – 2 – 3 – 4, 3 – 5, 3 – 6; 7 alone; 8 and 9 with an end elsewhere.
    let pairs = [(1, 2), (3, 2), (3, 4), (5, 3), (6, 3), (8, 99)];
    let check = |around: Option<u128>, depth, expected: &[u128], links: usize| {
        let entries = (1..=9).map(Ulid).collect();
        let selected = select(edges(&pairs), entries, around.map(Ulid), depth);
        let nodes: Vec<u128> = selected.nodes.iter().map(|id| id.0).collect();
        assert_eq!(
            (nodes.as_slice(), selected.edges.len()),
            (expected, links),
            "{around:?} {depth:?}"
        );
        assert_eq!(
            (selected.total_nodes, selected.total_edges),
            (expected.len(), links)
        );
    };
    check(None, None, &[3, 2, 1, 4, 5, 6, 7, 8, 9], 5);
    check(None, Some(0), &[3], 0);
    check(None, Some(1), &[3, 2, 4, 5, 6], 4);
    check(Some(1), Some(2), &[1, 2, 3], 2);
    check(Some(1), Some(100), &[1, 2, 3, 4, 5, 6], 5);
    check(Some(7), Some(2), &[7], 0);
    check(Some(99), Some(2), &[], 0);
}

#[test]
fn a_large_graph_keeps_the_most_linked_entries_and_reports_the_rest() {
    let pairs: Vec<(u128, u128)> = (2..=3_000).map(|id| (id, 1)).collect();
    let selected = select(edges(&pairs), (1..=3_000).map(Ulid).collect(), None, None);
    assert_eq!((selected.nodes.len(), selected.nodes[0]), (2_000, Ulid(1)));
    let message = left_out(&selected).unwrap();
    assert!(
        message.starts_with("1000 entries and 1000 links are left out"),
        "{message}"
    );
}

fn node(id: usize, title: &str, status: EntryStatus) -> GraphNode {
    GraphNode {
        id: id.to_string(),
        title: title.to_owned(),
        r#type: EntryType::Bug,
        status,
        project: None,
    }
}

fn edge_of(kind: RelationType, from: usize, to: usize) -> GraphEdge {
    GraphEdge {
        kind,
        from: from.to_string(),
        to: to.to_string(),
    }
}

fn graph_of(nodes: Vec<GraphNode>, edges: Vec<GraphEdge>) -> GraphData {
    GraphData {
        total_nodes: nodes.len(),
        total_edges: edges.len(),
        nodes,
        edges,
        centre: None,
        left_out: None,
    }
}

#[test]
fn hostile_titles_stay_inside_their_labels() {
    let graph = graph_of(
        vec![
            node(7, "a\"] --> x; click n0 call alert(1)", EntryStatus::Active),
            node(8, "%%{init: {}}%% <b>`#quot;\n&", EntryStatus::Obsolete),
            node(9, "连接池 é", EntryStatus::Active),
        ],
        vec![
            edge_of(RelationType::Supersedes, 7, 8),
            edge_of(RelationType::Related, 9, 7),
        ],
    );
    let expected = "flowchart LR
  n0[\"bug: a#34;#93; --#62; x#59; click n0 call alert#40;1#41;\"]
  n1[\"bug: #37;#37;#123;init: #123;#125;#125;#37;#37; #60;b#62;#96;#35;quot#59; #38;\"]:::obsolete
  n2[\"bug: 连接池 é\"]
  n0 -->|supersedes| n1
  n2 ---|related| n0
  classDef obsolete stroke-dasharray: 4
";
    assert_eq!(mermaid(&graph), expected);
}

#[test]
fn a_drawing_stays_within_mermaids_limits() {
    let nodes = (0..2_000).map(|id| node(id, &"\u{1f6e0}".repeat(100), EntryStatus::Active));
    let edges = (1..2_000).map(|id| edge_of(RelationType::DerivedFrom, id % 40, id % 39));
    let drawing = mermaid(&graph_of(nodes.collect(), edges.collect()));
    assert!(drawing.len() <= 50_000, "{}", drawing.len());
    assert_eq!(drawing.matches("-->").count(), 500);
    assert!(
        drawing.contains("more entries, 1499 more links"),
        "{drawing}"
    );
}
