//! The web pages, as a browser and as an attacker see them.

pub(crate) mod account;
pub(crate) mod first_use;
pub(crate) mod insights;
pub(crate) mod libraries;
pub(crate) mod pages;
#[cfg(feature = "pictures")]
pub(crate) mod pictures;
pub(crate) mod records;

use recall_kit_tests::{
    Home, HttpAnswer, Server, Wire, experience, run, run_browser_flow, server_command,
};
use reqwest::Method;
use serde_json::{Value, json};

/// A text that must never be executed, wherever it is shown.
const HOSTILE: &str = "hostile <script>window.owned=1</script><img src=x onerror=window.owned=1>\
    <svg onload=window.owned=1></svg>[x](javascript:window.owned=1) ![p](http://192.0.2.1/p.png) \
    \u{202e}turned\u{1b}[31m \"'><b>";

/// The maximum number of entries that the graph shows at once.
const NODES: usize = 2_000;

/// Fills a server with records that the pages show; returns their ids.
async fn filled(server: &Server) -> Value {
    let wire = &server.wire;
    let mut docker = experience("docker volumes vanish after a restart");
    docker["solution"] = json!("Name the volume:\n\n```sh\ndocker volume create data\n```");
    docker["context"] = json!("Docker 28, Linux");
    let plain = wire.submit(docker).await;
    let mut hostile = experience(HOSTILE);
    for field in ["problem_description", "root_cause", "solution", "context"] {
        hostile[field] = json!(HOSTILE);
    }
    let hostile = wire.submit(hostile).await;
    let kinds = [
        "bug",
        "pattern",
        "decision",
        "pitfall",
        "config",
        "reference",
    ];
    let mut entries: Vec<String> = Vec::new();
    for (number, kind) in kinds.iter().enumerate() {
        let title = format!("docker note {number} on images and volumes");
        entries.push(added(wire, kind, &title, "Use `docker image prune`.").await);
        if let [.., before, last] = entries.as_slice() {
            let link = json!({"source_id": last, "target_id": before, "relation_type": "related"});
            wire.call("rekall_link", link).await;
        }
    }
    let title: String = HOSTILE.chars().take(100).collect();
    let hostile_entry = added(wire, "bug", &title, HOSTILE).await;
    json!({
        "experience": plain,
        "entry": entries[0],
        "hostile": hostile,
        "hostile_entry": hostile_entry,
    })
}

async fn added(wire: &Wire, kind: &str, title: &str, content: &str) -> String {
    let entry = json!({"type": kind, "title": title, "content": content,
        "tags": ["docker"], "project": "shop"});
    let added = wire.call("rekall_add", entry).await;
    let id = &added["id"];
    id.as_str().unwrap_or_else(|| panic!("{added}")).to_owned()
}

async fn run_flow(flow: &str) {
    let home = Home::new();
    let server = Server::start(&home).await;
    let ids = filled(&server).await;
    run_browser_flow(&home, "browser.mjs", flow, server.wire.base(), &ids).await;
}

#[tokio::test]
async fn results_appear_while_typing_and_can_be_navigated_by_keyboard() {
    run_flow("search").await;
}

#[tokio::test]
async fn every_page_works_without_javascript() {
    run_flow("plain").await;
}

#[tokio::test]
async fn pages_are_accessible_on_large_and_small_screens() {
    run_flow("accessible").await;
}

#[tokio::test]
async fn stored_markup_is_never_executed() {
    run_flow("harmless").await;
}

#[tokio::test]
async fn the_graph_settles_and_opens_the_clicked_entry() {
    run_flow("graph").await;
}

/// Returns an export with as many entries as the graph shows, each linked to two others.
fn large_graph() -> String {
    let id = |number: usize| format!("01M83CXKZXEHF4DW{number:010}");
    let at = "2026-01-02T03:04:05Z";
    let head = json!({"format": "recall-kit-export", "version": 1, "embedding_model": null});
    let entries = (0..NODES).map(|number| {
        json!({"type": "entry", "id": id(number), "entry_type": "pattern",
            "title": format!("Entry {number}"), "content": "Something of it.", "tags": [],
            "project": format!("project {}", number % 7), "context": null, "confidence": 3,
            "memory_type": "semantic", "status": "active", "access_count": 0,
            "last_accessed": null, "created_at": at, "updated_at": at})
    });
    let links = (0..2 * NODES).map(|number| {
        let source = number / 2;
        // A tree, and a ring through all entries.
        let target = if number % 2 == 0 {
            source / 3
        } else {
            (source + 1) % NODES
        };
        json!({"type": "link", "id": id(NODES + number), "source_id": id(source),
            "target_id": id(target), "relation_type": "related", "created_at": at})
    });
    let not_to_itself = |link: &Value| link["source_id"] != link["target_id"];
    let lines = std::iter::once(head)
        .chain(entries)
        .chain(links.filter(not_to_itself));
    lines.map(|line| format!("{line}\n")).collect()
}

#[tokio::test]
async fn a_graph_of_2000_entries_is_usable() {
    let home = Home::new();
    let import = server_command(&home, &["import", "-"]);
    run(import, large_graph()).await.expect_code(0);
    let server = Server::start(&home).await;
    let parameters = json!({ "nodes": NODES });
    run_browser_flow(
        &home,
        "browser.mjs",
        "large_graph",
        server.wire.base(),
        &parameters,
    )
    .await;
}

const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml");

async fn page(server: &Server, path: &str) -> HttpAnswer {
    server.wire.send(Method::GET, path, &[HTML], "").await
}

#[tokio::test]
async fn every_answer_has_strict_security_headers() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let ids = filled(&server).await;
    let experience = format!("/experiences/{}", ids["experience"].as_str().unwrap());
    let paths = [
        "/",
        "/?q=docker",
        "/?page=0",
        "/knowledge",
        "/knowledge/graph",
        "/knowledge/graph.json",
        "/libraries",
        "/assets/style.css",
        "/assets/none",
        "/experiences/none",
        &experience,
    ];
    for path in paths {
        let answer = page(&server, path).await;
        let header = |name: &str| answer.headers[name].to_str().unwrap();
        let policy = header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(header("x-frame-options"), "DENY", "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "same-origin", "{path}");
    }
}

#[tokio::test]
async fn the_first_page_is_small_and_its_assets_are_cached_permanently() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let first = page(&server, "/").await;
    assert_eq!(first.headers["cache-control"], "no-store");
    let mut transferred = first.text.len();
    let addresses: Vec<&str> = first
        .text
        .split('"')
        .filter(|part| part.starts_with("/assets/"))
        .collect();
    assert!(addresses.len() >= 4, "{addresses:?}");
    for address in addresses {
        let packed = [("accept-encoding", "gzip")];
        let file = server.wire.send(Method::GET, address, &packed, "").await;
        assert_eq!(file.headers["content-encoding"], "gzip", "{address}");
        assert!(
            file.headers["cache-control"]
                .to_str()
                .unwrap()
                .contains("immutable"),
            "{address}"
        );
        let length = file.headers["content-length"].to_str().unwrap();
        transferred += length.parse::<usize>().unwrap();
    }
    assert!(transferred <= 100_000, "{transferred} bytes");
}

#[tokio::test]
async fn changing_preferences_redirects_only_to_own_pages() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for (back, expected) in [
        ("/knowledge%3Ftype%3Dbug", "/knowledge?type=bug"),
        ("https://elsewhere.example/", "/"),
        ("//elsewhere.example/", "/"),
        ("/%5Celsewhere.example", "/"),
        ("/%09/elsewhere.example", "/"),
        ("%0d%0aset-cookie:%20a=b", "/"),
    ] {
        let form = format!("language=fr&theme=dark&back={back}");
        let headers = "content-type: application/x-www-form-urlencoded\r\n";
        let request = format!(
            "POST /preferences HTTP/1.1\r\nhost: localhost\r\n{headers}content-length: {}\r\n\r\n{form}",
            form.len()
        );
        let answer = server.ask(&request).await;
        assert_eq!(answer.status, 303, "{back}");
        assert_eq!(answer.header("location"), Some(expected), "{back}");
    }
    let chosen = [HTML, ("cookie", "rk_language=fr; rk_theme=dark")];
    let wire = Wire::with_headers(server.wire.base(), &chosen);
    let french = wire.get("/").await;
    assert!(
        french.text.contains("lang=\"fr\" data-theme=\"dark\""),
        "{}",
        french.text
    );
}

#[tokio::test]
async fn a_wrong_address_is_explained() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for (path, status, words) in [
        ("/?page=0", 400, "page must be"),
        ("/?in=mars", 400, "in must be one of"),
        ("/?type=x", 400, "type must be one of"),
        ("/?q=a&library=none", 404, "Not found"),
        ("/knowledge?status=x", 400, "status must be one of"),
        ("/knowledge/graph?type=x", 400, "type must be one of"),
        ("/knowledge/01M83CXKZXEHF4DWV7WD4BGP2Z", 404, "Not found"),
        ("/experiences/a%2Fb", 404, "Not found"),
        ("/experiences/none", 404, "Not found"),
    ] {
        let answer = page(&server, path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.text.contains(words), "{path}: {}", answer.text);
    }
    // A request of a program for the same address is answered as without pages.
    let program = server
        .wire
        .send(Method::GET, "/", &[("accept", "application/json")], "")
        .await;
    assert_eq!(program.status, 405);
}

#[tokio::test]
async fn viewing_pages_counts_no_queries() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let ids = filled(&server).await;
    for _ in 0..3 {
        assert!(
            page(&server, "/?q=docker")
                .await
                .text
                .contains("docker volumes vanish")
        );
    }
    let path = format!("/experiences/{}/json", ids["experience"].as_str().unwrap());
    let record: Value = serde_json::from_str(&page(&server, &path).await.text).unwrap();
    assert_eq!(record["query_count"], 0, "{record}");
    assert_eq!(record["title"], "docker volumes vanish after a restart");
}
