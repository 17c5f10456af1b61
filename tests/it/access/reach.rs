//! Keys that are limited to projects: entries of other projects are invisible on every transport.

use recall_kit_tests::{BothProtocols, Home, Launch, Output, Wire, make_key, run, server_command};
use serde_json::{Value, json};

/// Similar entries, so that links between them are suggested.
const DOCKER: [(&str, &str); 3] = [
    (
        "Docker fills the disk with old images",
        "Unused images pile up until no space is left; docker system prune frees it",
    ),
    (
        "Clean up unused Docker images",
        "Run docker image prune on the build machine, old images had filled the disk",
    ),
    (
        "Docker remplit le disque avec de vieilles images",
        "Les images inutilisées s'accumulent ; docker system prune libère la place",
    ),
];

async fn limited_key(home: &Home, name: &str, projects: &[&str]) -> String {
    let mut args = vec!["keys", "create", "--name", name];
    args.extend(projects.iter().flat_map(|project| ["--project", project]));
    let made: Output = run(server_command(home, &args), "").await;
    assert!(made.stderr.contains(projects[0]), "{}", made.stderr);
    made.expect_code(0).trim().to_owned()
}

fn with_key(base: &str, key: &str) -> Wire {
    Wire::with_headers(base, &[("X-API-Key", key)])
}

async fn add(wire: &Wire, project: Option<&str>, (title, content): (&str, &str)) -> Value {
    let mut entry = json!({"type": "bug", "title": title, "content": content});
    if let Some(project) = project {
        entry["project"] = json!(project);
    }
    wire.call("rekall_add", entry).await
}

fn id(answer: &Value) -> String {
    let id = answer["id"].as_str();
    id.unwrap_or_else(|| panic!("nothing was added: {answer}"))
        .to_owned()
}

/// Makes the same request about a hidden item and about one that does not exist. The answers must differ in
/// nothing but the id.
async fn check_looks_missing(
    protocols: &BothProtocols,
    (hidden, missing_id): (&str, &str),
    question: impl Fn(&str) -> (&'static str, Value),
) {
    let mut answers = Vec::new();
    for id in [hidden, missing_id] {
        let (method, params) = question(id);
        let mut answer = protocols.ask(method, params).await;
        if let Some(data) = answer["data"].as_object_mut() {
            data.remove("request_id");
        }
        answers.push(answer.to_string());
    }
    let [of_hidden, of_missing] = &answers[..] else {
        unreachable!("one of each");
    };
    assert!(
        of_missing.to_lowercase().contains("not found"),
        "{of_missing}"
    );
    assert_eq!(&of_hidden.replace(hidden, missing_id), of_missing);
}

fn tool(name: &str, arguments: Value) -> (&'static str, Value) {
    ("tools/call", json!({"name": name, "arguments": arguments}))
}

#[tokio::test]
async fn entries_of_other_projects_are_invisible_over_both_protocols() {
    let home = Home::new();
    let root = make_key(&home, "root", "admin").await;
    let shop = limited_key(&home, "shop", &["Shop"]).await;
    let args = ["--access", "required"];
    let server = Launch::new(&home)
        .embeddings("builtin")
        .args(&args)
        .start()
        .await;
    let base = server.wire.base();
    let (root, shop) = (with_key(base, &root), with_key(base, &shop));
    let hidden = id(&add(&root, Some("Bank"), DOCKER[0]).await);
    let without_project = id(&add(&root, None, ("Docker and nobody's project", "images")).await);
    let seen = id(&add(&root, Some("SHOP"), DOCKER[1]).await);
    let links = root.call("rekall_suggest_links", json!({})).await;
    let crossing = links["suggestions"][0]["id"].as_str().unwrap().to_owned();
    let link = json!({"source_id": hidden, "target_id": seen, "relation_type": "contradicts"});
    assert_eq!(root.call("rekall_link", link).await["created"], true);

    let protocols = BothProtocols::open(&shop).await;
    let missing_id = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";
    for hidden in [hidden.as_str(), without_project.as_str()] {
        let pair = (hidden, missing_id);
        check_looks_missing(&protocols, pair, |id| {
            tool("rekall_show", json!({"id": id}))
        })
        .await;
        check_looks_missing(&protocols, pair, |id| {
            let link = json!({"source_id": seen, "target_id": id, "relation_type": "related"});
            tool("rekall_link", link)
        })
        .await;
        check_looks_missing(&protocols, pair, |id| {
            let link = json!({"source_id": id, "target_id": seen, "relation_type": "related"});
            tool("rekall_link", link)
        })
        .await;
        check_looks_missing(&protocols, pair, |id| {
            let uri = format!("recall-kit:///knowledge/graph?around={id}");
            ("resources/read", json!({"uri": uri}))
        })
        .await;
    }
    for verb in ["accept", "reject"] {
        let name = format!("rekall_{verb}_suggestion");
        check_looks_missing(&protocols, (&crossing, missing_id), |id| {
            tool(&name, json!({"suggestion_id": id}))
        })
        .await;
    }
    for name in ["rekall_suggest_links", "rekall_suggest_generalize"] {
        let pending = protocols.call(name, json!({})).await;
        let pending = &pending["structuredContent"];
        assert_eq!(pending, &json!({"suggestions": [], "total_pending": 0}));
    }
    check_reading((&shop, &protocols), &seen, &hidden).await;
    check_adding(&shop, &seen).await;
}

/// Reading shows the one visible entry and nothing of the others.
async fn check_reading((shop, protocols): (&Wire, &BothProtocols), seen: &str, hidden: &str) {
    // The ids of both entries begin alike, since they were created in the same hour. For a caller who sees only
    // one of them the short id is unambiguous. Called over one protocol only, because showing an entry is
    // counted.
    let shown = shop.call("rekall_show", json!({"id": &seen[..6]})).await;
    assert_eq!(shown["id"], seen, "{shown}");
    assert_eq!(shown["links"], json!({"outgoing": [], "incoming": []}));

    let found = protocols
        .call("rekall_search", json!({"query": "docker images"}))
        .await;
    let found = &found["structuredContent"];
    assert_eq!(found["total"], 1, "{found}");
    let result = &found["results"][0];
    assert_eq!(result["id"], seen[..8], "{found}");
    assert!(
        result["contradicts"].as_array().is_none_or(Vec::is_empty),
        "{found}"
    );
    let others = json!({"query": "docker images", "project": "Bank"});
    let found = protocols.call("rekall_search", others).await;
    assert_eq!(found["structuredContent"]["total"], 0, "{found}");

    let uri = "recall-kit:///knowledge/graph";
    let read = protocols.ask("resources/read", json!({"uri": uri})).await;
    let text = read["contents"][0]["text"].as_str().unwrap();
    let graph: Value = serde_json::from_str(text).unwrap();
    assert_eq!(graph["nodes"][0]["id"], seen, "{graph}");
    assert_eq!(
        (&graph["total_nodes"], &graph["total_edges"]),
        (&json!(1), &json!(0))
    );
    assert!(!read.to_string().contains(hidden), "{read}");
    let params = json!({
        "ref": {"type": "ref/resource", "uri": format!("{uri}{{?project,depth,around}}")},
        "argument": {"name": "project", "value": ""},
    });
    let completed = protocols.ask("completion/complete", params).await;
    assert_eq!(completed["completion"]["values"], json!(["SHOP"]));
}

/// An added entry belongs to the key's only project, and names similar entries of that project.
async fn check_adding(shop: &Wire, seen: &str) {
    let added = add(shop, None, DOCKER[2]).await;
    let similar = added["similar_entries"].as_array().unwrap();
    assert_eq!(similar.len(), 1, "{added}");
    assert_eq!(similar[0]["id"], seen, "{added}");
    assert_eq!(added["suggestions_created"], 1, "{added}");
    let shown = shop.call("rekall_show", json!({"id": added["id"]})).await;
    assert_eq!(shown["project"], "Shop", "{shown}");
    let refused = add(shop, Some("Bank"), ("Elsewhere", "")).await;
    assert_eq!(refused["error"]["code"], "VALIDATION_ERROR", "{refused}");
    let refusal = refused.to_string();
    assert!(refusal.contains("these projects only: Shop"), "{refusal}");
}

#[tokio::test]
async fn a_key_with_several_projects_must_name_one_and_sees_all_experiences() {
    let home = Home::new();
    let both = limited_key(&home, "both", &["Shop", "Bank", "shop"]).await;
    let server = Launch::new(&home)
        .settings("knowledge.search_experiences = true")
        .start()
        .await;
    let experience = recall_kit_tests::experience("Wombats dig through the cellar");
    server.wire.submit(experience).await;
    let wire = with_key(server.wire.base(), &both);
    let refused = add(&wire, None, ("Without a project", "")).await;
    let refusal = refused.to_string();
    assert!(
        refusal.contains("these projects only: Shop, Bank"),
        "{refusal}"
    );
    for project in ["bank", "SHOP"] {
        id(&add(&wire, Some(project), ("Wombats in a project", "")).await);
    }
    // Without a project, so only callers without a limit see it.
    id(&add(&server.wire, None, ("Wombats of nobody", "")).await);
    let query = json!({"query": "wombats"});
    assert_eq!(wire.call("rekall_search", query.clone()).await["total"], 3);
    assert_eq!(server.wire.call("rekall_search", query).await["total"], 4);
    assert_eq!(
        wire.titles("wombats").await,
        ["Wombats dig through the cellar"]
    );
    for wrong in [
        vec!["--project", " "],
        vec!["--project", "a", "--scope", "admin"],
    ] {
        let args = [&["keys", "create", "--name", "wrong"][..], &wrong[..]].concat();
        let refused = run(server_command(&home, &args), "").await;
        assert!(refused.stderr.contains("project"), "{}", refused.stderr);
        assert_ne!(refused.code, Some(0));
    }
}
