//! The graph of the knowledge base as a resource, on every transport.

use recall_kit_tests::{BothProtocols, Home, Launch, Server, StdioPeer, Wire};
use serde_json::{Value, json};

use super::add;

const GRAPH: &str = "recall-kit:///knowledge/graph";

async fn link(wire: &Wire, source: &str, relation: &str, target: &str) {
    let link = json!({"source_id": source, "target_id": target, "relation_type": relation});
    let linked = wire.call("rekall_link", link).await;
    assert_eq!(linked["created"], true, "{linked}");
}

/// Reads the graph at an address and returns its JSON and its drawing.
async fn graph(protocols: &BothProtocols, query: &str) -> (Value, String) {
    let uri = format!("{GRAPH}{query}");
    let read = protocols.ask("resources/read", json!({"uri": uri})).await;
    let text = |at: usize, kind: &str| {
        let content = &read["contents"][at];
        assert_eq!(
            (&content["uri"], &content["mimeType"]),
            (&json!(uri), &json!(kind)),
            "{read}"
        );
        content["text"].as_str().unwrap().to_owned()
    };
    let json = text(0, "application/json");
    (
        serde_json::from_str(&json).unwrap(),
        text(1, "text/vnd.mermaid"),
    )
}

fn titles(graph: &Value) -> Vec<&str> {
    let nodes = graph["nodes"].as_array().unwrap();
    nodes
        .iter()
        .map(|node| node["title"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn the_graph_is_listed_and_read_completely_or_in_part() {
    let home = Home::new();
    let server = Launch::new(&home).start().await;
    let wire = &server.wire;
    let protocols = BothProtocols::open(wire).await;
    let listed = protocols.ask("resources/list", json!({})).await;
    assert_eq!(listed, json!({"resources": []}));
    let (empty, drawing) = graph(&protocols, "").await;
    assert_eq!(
        (&empty["nodes"], &empty["total_nodes"]),
        (&json!([]), &json!(0))
    );
    assert!(drawing.starts_with("flowchart LR\n"), "{drawing}");

    let shop = json!({"type": "bug", "title": "Pool \"dry\"] --> x", "project": "Shop"});
    let pool = wire.call("rekall_add", shop).await;
    let pool = pool["id"].as_str().unwrap();
    let old = add(wire, "config", "Pool of ten", "").await;
    let rule = add(wire, "pattern", "Size pools by load", "").await;
    add(wire, "decision", "Something else", "").await;
    link(wire, pool, "supersedes", &old).await;
    link(wire, &rule, "derived_from", pool).await;

    let listed = protocols.ask("resources/list", json!({})).await;
    assert_eq!(listed["resources"][0]["uri"], GRAPH, "{listed}");
    for (argument, typed, expected) in [
        ("project", "sh", json!(["Shop"])),
        ("project", "x", json!([])),
        ("around", "", json!([])),
        ("depht", "", Value::Null),
    ] {
        let params = json!({
            "ref": {"type": "ref/resource", "uri": format!("{GRAPH}{{?project,depth,around}}")},
            "argument": {"name": argument, "value": typed},
        });
        let completed = protocols.ask("completion/complete", params).await;
        assert_eq!(completed["completion"]["values"], expected, "{completed}");
    }
    let (complete, drawing) = graph(&protocols, "").await;
    assert_eq!(complete["total_nodes"], 4);
    assert_eq!(
        complete["nodes"][0],
        json!({"id": pool, "title": "Pool \"dry\"] --> x", "type": "bug", "status": "active", "project": "Shop"})
    );
    assert_eq!(
        complete["edges"],
        json!([
            {"kind": "supersedes", "from": pool, "to": old},
            {"kind": "derived_from", "from": rule, "to": pool},
        ])
    );
    assert!(
        drawing.contains("[\"bug: Pool #34;dry#34;#93; --#62; x\"]"),
        "{drawing}"
    );
    assert!(drawing.contains("  n0 -->|supersedes| n1\n"), "{drawing}");
    assert!(drawing.contains(":::obsolete"), "{drawing}");
    let near = format!("?around={}&depth=1", &rule[..20]);
    assert_eq!(
        titles(&graph(&protocols, &near).await.0)[0],
        "Size pools by load"
    );
    assert_eq!(titles(&graph(&protocols, &near).await.0).len(), 2);
    assert_eq!(titles(&graph(&protocols, "?depth=1").await.0).len(), 3);
    let (of_project, _) = graph(&protocols, "?project=shop").await;
    assert_eq!(
        (titles(&of_project).len(), &of_project["edges"]),
        (1, &json!([]))
    );

    let mut peer = StdioPeer::start(&home, &[]);
    let read = peer.request("resources/read", json!({"uri": GRAPH})).await;
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), complete);
}

#[tokio::test]
async fn wrong_addresses_are_refused_with_the_reason() {
    let home = Home::new();
    let server: Server = Launch::new(&home).start().await;
    for (query, code, words) in [
        ("?depth=many", -32602, "`depth` must be a whole number"),
        ("?root=1", -32602, "unknown parameter `root`"),
        ("?around=01", -32602, "at least its first 5 characters"),
        ("?around=01ABCDEFG", -32003, "not found"),
        ("s", -32003, "there is no resource"),
    ] {
        let params = json!({"uri": format!("{GRAPH}{query}")});
        let answer = server.wire.rpc("resources/read", params).await;
        assert_eq!(answer["error"]["code"], code, "{query}: {answer}");
        assert!(answer.to_string().contains(words), "{query}: {answer}");
    }
}
