//! The knowledge base as an agent uses it: documented examples, search, links, access counts.

mod bridges;
mod citations;
mod conversations;
mod graph;
mod refusals;
mod suggestions;

use recall_kit_tests::{BothProtocols, Home, Launch, Server, StdioPeer, Wire, envelope, python};
use serde_json::{Value, json};

/// The documented example of an addition.
pub(crate) fn timeout_entry() -> Value {
    json!({
        "type": "bug",
        "title": "Fix timeout authentication API",
        "content": "Le timeout par défaut de 30s est insuffisant pour l'API d'auth...",
        "tags": ["timeout", "auth", "api"],
        "context": "L'utilisateur signale des erreurs de connexion intermittentes...",
        "project": "myapp",
        "confidence": 4,
    })
}

/// Adds an entry with a title, and returns its id.
pub(crate) async fn add(wire: &Wire, kind: &str, title: &str, content: &str) -> String {
    let entry = json!({"type": kind, "title": title, "content": content});
    let added = wire.call("rekall_add", entry).await;
    let id = added["id"].as_str();
    id.unwrap_or_else(|| panic!("refused: {added}")).to_owned()
}

/// Searches and returns the titles, best first.
async fn titles(wire: &Wire, arguments: Value) -> Vec<String> {
    let found = wire.call("rekall_search", arguments).await;
    let results = found["results"].as_array().expect("results are a list");
    let titles = results.iter().map(|one| one["title"].as_str().unwrap());
    titles.map(str::to_owned).collect()
}

#[tokio::test]
async fn the_documented_examples_work_on_every_transport() {
    let home = Home::new();
    // Long waits, so that the records and queries get vectors even on a busy machine.
    let server = Launch::new(&home)
        .embeddings("builtin")
        .env("RECALL_KIT_EMBEDDINGS__RECORD_WAIT_MS", 60_000)
        .env("RECALL_KIT_EMBEDDINGS__QUERY_WAIT_MS", 60_000)
        .start()
        .await;
    let wire = &server.wire;
    let cors = json!({
        "type": "bug",
        "title": "Fix CORS Safari header",
        "content": "Safari ne supporte pas certains headers CORS...",
        "tags": ["cors", "safari", "ios"],
    });
    let first = wire.call("rekall_add", cors).await;
    let practices = json!({
        "type": "pattern",
        "title": "Cross-origin requests best practices",
        "content": "Pour les requêtes cross-origin, toujours...",
        "tags": ["cors", "api"],
    });
    wire.call("rekall_add", practices).await;

    let protocols = BothProtocols::open(wire).await;
    let question = json!({
        "query": "erreur navigateur Apple",
        "context": "Bug CORS sur Safari iOS",
        "limit": 3,
    });
    let found = protocols.call("rekall_search", question.clone()).await;
    let found = &found["structuredContent"];
    assert_eq!(found["query"], "erreur navigateur Apple");
    let [best, other] = [0, 1].map(|at| &found["results"][at]);
    assert_eq!(best["title"], "Fix CORS Safari header", "{found}");
    // The second result shares a tag with the first one, which the context names.
    assert_eq!(
        other["title"], "Cross-origin requests best practices",
        "{found}"
    );
    assert_eq!(other["tags"], json!(["cors", "api"]));
    assert_eq!(found["total"], 2, "{found}");
    assert_eq!(best["tags"], json!(["cors", "safari", "ios"]));
    // Tags are searched like words.
    let by_tag = titles(wire, json!({"query": "ios"})).await;
    assert_eq!(by_tag, ["Fix CORS Safari header"]);
    assert!(
        found["hint"]
            .as_str()
            .unwrap()
            .starts_with("Use rekall_show(id)")
    );
    let short = best["id"].as_str().unwrap();
    assert!(first["id"].as_str().unwrap().starts_with(short), "{found}");

    let added = wire.call("rekall_add", timeout_entry()).await;
    assert_eq!(added["created"], true, "{added}");
    assert_eq!(added["embeddings_calculated"], true, "{added}");
    assert_eq!(added["id"].as_str().unwrap().len(), 26, "{added}");
    assert_eq!(added["type"], "bug");
    assert!(added.get("notes").is_none(), "{added}");

    let mut peer = StdioPeer::start(&home, &[]);
    let params = json!({"name": "rekall_show", "arguments": {"id": short}});
    let shown = envelope(&peer.request("tools/call", params).await);
    assert_eq!(
        shown["content"],
        "Safari ne supporte pas certains headers CORS..."
    );
    let unset = json!({"project": null, "confidence": 3, "memory_type": "episodic"});
    for (field, value) in unset.as_object().unwrap() {
        assert_eq!(&shown[field], value, "{shown}");
    }
    let help = protocols.call("rekall_help", json!({})).await;
    let help = &help["structuredContent"];
    for word in ["Search", "Capture", "rekall_show(id)", "Citations", "[01HX"] {
        assert!(
            help["guide"].as_str().unwrap().contains(word),
            "{word}: {help}"
        );
    }
    let topics = json!(["search", "capture", "links", "citations", "all"]);
    assert_eq!(help["topics_available"], topics);
}

#[tokio::test]
async fn answers_are_short() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let filler = "It took an afternoon to find out, and a colleague to believe it. ".repeat(20);
    for (title, content, tags) in [
        (
            "Fix CORS Safari header",
            "Safari on iOS refuses the wildcard in Access-Control-Allow-Headers with credentials.",
            json!(["cors", "safari", "ios"]),
        ),
        (
            "Cross-origin requests best practices",
            "The preflight OPTIONS request of CORS must answer with every header sent later on.",
            json!(["cors", "api"]),
        ),
        (
            "Proxy strips CORS headers",
            "The default configuration of the proxy removes CORS headers from error responses.",
            json!(["cors", "proxy", "nginx"]),
        ),
    ] {
        let content = format!("{filler}{content} {filler}");
        let entry = json!({"type": "bug", "title": title, "content": content, "tags": tags});
        server.wire.call("rekall_add", entry).await;
    }
    let search = json!({"query": "CORS headers", "limit": 3});
    let found = server.wire.call("rekall_search", search).await;
    assert_eq!(found["results"].as_array().unwrap().len(), 3, "{found}");
    for one in found["results"].as_array().unwrap() {
        let snippet = one["snippet"].as_str().unwrap();
        assert!(
            snippet.contains("CORS") || snippet.contains("Headers"),
            "{one}"
        );
        assert!((50..=100).contains(&snippet.chars().count()), "{one}");
    }
    let help = server.wire.call("rekall_help", json!({})).await;
    let guide = help["guide"].as_str().unwrap();
    check_tokens(&home, found.to_string(), 200).await;
    check_tokens(&home, guide.to_owned(), 450).await;
}

/// Checks that a text has at most `most` tokens.
async fn check_tokens(home: &Home, text: String, most: u32) {
    let file = home.write("text", &text);
    let args = [&*file.to_string_lossy(), "o200k_base"];
    let counted = python(home, "count_tokens.py", &args).await;
    let tokens: u32 = counted.expect_code(0).trim().parse().unwrap();
    assert!(tokens <= most, "{tokens} tokens, {most} allowed: {text}");
}

#[tokio::test]
async fn exact_words_are_found_and_filters_keep_totals_exact() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let wire = &server.wire;
    for number in 0..30 {
        let title = format!("A common error in the build number {number}");
        add(wire, "bug", &title, "the build fails with an error").await;
    }
    add(
        wire,
        "pitfall",
        "C++ templates",
        "error messages fill the screen",
    )
    .await;
    add(
        wire,
        "bug",
        "Borrow checker",
        "it prints error: E0502 in a loop",
    )
    .await;
    for (query, title) in [
        ("C++", "C++ templates"),
        ("error: E0502", "Borrow checker"),
        ("e0502", "Borrow checker"),
    ] {
        let found = titles(wire, json!({"query": query})).await;
        assert_eq!(found.first().map(String::as_str), Some(title), "{query}");
    }
    let entry = json!({"type": "config", "title": "A common error of ours", "project": "Shop"});
    wire.call("rekall_add", entry).await;
    for (filter, total) in [
        (json!({}), 33),
        (json!({"type": "config"}), 1),
        (json!({"type": "pitfall"}), 1),
        (json!({"project": "shop"}), 1),
        (json!({"project": "shop", "type": "bug"}), 0),
        (json!({"project": "elsewhere"}), 0),
    ] {
        for limit in [1, 20] {
            let mut search = json!({"query": "error", "limit": limit});
            search
                .as_object_mut()
                .unwrap()
                .extend(filter.as_object().unwrap().clone());
            let found = wire.call("rekall_search", search).await;
            assert_eq!(found["total"], total, "{filter}: {found}");
            let shown = found["results"].as_array().unwrap().len();
            assert_eq!(shown as u64, total.min(limit), "{filter}: {found}");
        }
    }
}

#[tokio::test]
async fn related_entries_are_shown_together() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let wire = &server.wire;
    let old = add(
        wire,
        "decision",
        "Sessions in cookies",
        "sessions sessions sessions",
    )
    .await;
    let other = add(
        wire,
        "decision",
        "Sessions never in Redis",
        "sessions and Redis",
    )
    .await;
    add(
        wire,
        "decision",
        "Sessions and logs",
        "sessions, besides much else about logs",
    )
    .await;
    let new = add(
        wire,
        "decision",
        "Where state lives",
        "of users: sessions go to Redis now",
    )
    .await;
    let link = |source: &str, target: &str, relation: &str| {
        let link = json!({"source_id": source, "target_id": target, "relation_type": relation});
        wire.call("rekall_link", link)
    };
    let linked = link(&new[..24], &old, "supersedes").await;
    let ends = [&linked["source"]["title"], &linked["target"]["title"]];
    assert_eq!(
        ends,
        ["Where state lives", "Sessions in cookies"],
        "{linked}"
    );
    link(&other, &new, "contradicts").await;

    let found = wire
        .call("rekall_search", json!({"query": "sessions"}))
        .await;
    let results = found["results"].as_array().unwrap();
    let place = |title: &str| {
        results
            .iter()
            .position(|one| one["title"] == title)
            .unwrap()
    };
    let at = place("Where state lives");
    assert_eq!(place("Sessions in cookies"), at + 1, "{found}");
    assert_eq!(place("Sessions never in Redis"), at + 2, "{found}");
    assert_eq!(
        results[at + 1]["superseded_by"],
        results[at]["id"],
        "{found}"
    );
    assert_eq!(
        results[at]["contradicts"],
        json!([results[at + 2]["id"]]),
        "{found}"
    );

    let shown = wire.call("rekall_show", json!({"id": old})).await;
    assert_eq!(shown["status"], "obsolete", "{shown}");
    let incoming = json!([{
        "source_id": new, "source_title": "Where state lives", "relation_type": "supersedes",
    }]);
    assert_eq!(
        shown["links"],
        json!({"outgoing": [], "incoming": incoming})
    );
}

#[tokio::test]
async fn access_counts_survive_a_restart() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let id = add(&server.wire, "bug", "Remembered", "for a while").await;
    let first = server.wire.call("rekall_show", json!({"id": id})).await;
    assert_eq!(
        [&first["access_count"], &first["last_accessed"]],
        [&json!(0), &Value::Null]
    );
    assert_eq!(first["consolidation_score"], 0.4, "{first}");
    server.wire.call("rekall_show", json!({"id": id})).await;
    server.stop().await;

    let server = Server::start(&home).await;
    let id = id.to_lowercase();
    let third = server.wire.call("rekall_show", json!({"id": id})).await;
    assert_eq!(third["access_count"], 2, "{third}");
    assert!(third["last_accessed"].is_string(), "{third}");
    assert_eq!(third["consolidation_score"], 0.53, "{third}");
    assert_eq!(
        titles(&server.wire, json!({"query": "remembered"})).await,
        ["Remembered"]
    );
}
