//! What new users see on the pages, and the permissions of the stored files.

use recall_kit_tests::{Home, Launch, Server, Visitor, make_key, make_user, run, server_command};
use reqwest::Method;
use serde_json::{Value, json};

const BROWSER: (&str, &str) = ("accept", "text/html");

async fn added(server: &Server, title: &str, content: &str) -> String {
    let entry = json!({"type": "bug", "title": title, "content": content, "project": "shop"});
    let added = server.wire.call("rekall_add", entry).await;
    added["id"].as_str().expect("an id").to_owned()
}

async fn linked(server: &Server, source: &str, target: &str) {
    let link = json!({"source_id": source, "target_id": target, "relation_type": "related"});
    let linked = server.wire.call("rekall_link", link).await;
    assert_eq!(linked["created"], true, "{linked}");
}

#[tokio::test]
async fn the_graph_around_an_entry_has_a_depth_of_two_links() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut chain = Vec::new();
    for title in ["first", "second", "third", "fourth", "fifth"] {
        chain.push(added(&server, title, "A chain of notes.").await);
        if let [.., before, last] = chain.as_slice() {
            linked(&server, last, before).await;
        }
    }
    let around = format!("/knowledge/graph.json?around={}", chain[0]);
    let graph = server.wire.get(&around).await.json();
    let titles: Vec<&Value> = graph["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|node| &node["title"])
        .collect();
    assert_eq!(titles, ["first", "second", "third"]);
    assert_eq!(graph["centre"], 0);
    let all_entries = server.wire.get("/knowledge/graph.json").await.json();
    assert_eq!(all_entries["nodes"].as_array().map(Vec::len), Some(5));
}

#[tokio::test]
async fn an_unknown_address_shows_a_page_with_a_link_home() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for path in ["/nope", "/nope/deeper?q=1", "/experiences/a/b/c"] {
        let answer = server.wire.send(Method::GET, path, &[BROWSER], "").await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text.contains("Not found"), "{path}: {}", answer.text);
        assert!(answer.text.contains("href=\"/\""), "{path}");
    }
    // Other routes work as before, also for browsers.
    let health = server
        .wire
        .send(Method::GET, "/healthz", &[BROWSER], "")
        .await;
    assert_eq!(health.status, 200);
    let program = server
        .wire
        .send(Method::GET, "/nope", &[("accept", "*/*")], "")
        .await;
    assert_eq!(
        (program.status, program.text.contains("<html")),
        (404, false)
    );
}

#[tokio::test]
async fn the_command_on_an_empty_library_page_works() {
    let home = Home::new();
    home.write(
        "docs/README.md",
        "# Gin\n\nA web framework. Middleware wraps handlers.\n",
    );
    home.write(
        "other/README.md",
        "# Echo\n\nAnother framework. Middleware logs requests.\n",
    );
    let server = Server::start(&home).await;
    let page = server
        .wire
        .send(Method::GET, "/libraries", &[BROWSER], "")
        .await;
    let command = page.text.split("<code>").nth(1).expect("a command");
    let command = command.split("</code>").next().expect("its end");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(words[0], "ingest", "{command}");
    for (name, folder) in [("Gin", "docs"), ("Echo", "other")] {
        let folder = home.path().join(folder).display().to_string();
        let words = words.iter().map(|word| match *word {
            "NAME" => name,
            "PATH-OR-GIT-URL" => &folder,
            other => other,
        });
        let words: Vec<&str> = words.collect();
        run(server_command(&home, &words), "").await.expect_code(0);
    }

    // Each document names its library.
    let docs = json!({"topic": "middleware"});
    let found = server.wire.call("get-library-docs", docs).await;
    let mut names: Vec<&str> = found["documents"]
        .as_array()
        .expect("documents")
        .iter()
        .filter_map(|piece| piece["libraryName"].as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["Echo", "Gin"], "{found}");
    let docs = json!({"topic": "middleware", "libraryId": found["documents"][0]["libraryId"]});
    let one = server.wire.call("get-library-docs", docs).await;
    assert_eq!(
        one["libraryName"], found["documents"][0]["libraryName"],
        "{one}"
    );
    let path = "/?q=middleware&in=documentation";
    let page = server.wire.send(Method::GET, path, &[BROWSER], "").await;
    for name in ["Echo", "Gin"] {
        let label = format!("<span class=\"label\" dir=\"auto\">{name}</span>");
        assert!(page.text.contains(&label), "{name} in {}", page.text);
    }
}

#[tokio::test]
async fn suggestions_show_reasons_in_the_users_language_and_disappear_once_linked() {
    let home = Home::new();
    let server = Launch::new(&home).embeddings("builtin").start().await;
    let text = "Chunked uploads to the bucket stop after the proxy's timeout of sixty seconds.";
    let first = added(&server, "Uploads stop after sixty seconds", text).await;
    let second = added(&server, "Uploads stop after one minute", text).await;
    let waiting = server.wire.call("rekall_suggest_links", json!({})).await;
    assert_eq!(waiting["total_pending"], 1, "{waiting}");

    let headers = [BROWSER, ("cookie", "rk_language=fr")];
    let page = server
        .wire
        .send(Method::GET, "/knowledge/suggestions", &headers, "")
        .await;
    assert!(page.text.contains("même projet : shop"), "{}", page.text);
    assert!(!page.text.contains("same project"), "{}", page.text);

    linked(&server, &second, &first).await;
    let waiting = server.wire.call("rekall_suggest_links", json!({})).await;
    assert_eq!(waiting["total_pending"], 0, "{waiting}");
}

#[tokio::test]
async fn another_site_cannot_change_preferences() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let form = ("content-type", "application/x-www-form-urlencoded");
    let foreign = ("origin", "http://elsewhere.example");
    for sender in [("sec-fetch-site", "cross-site"), foreign] {
        let headers = [form, sender];
        let answer = server
            .wire
            .send(
                Method::POST,
                "/preferences",
                &headers,
                "language=fr&theme=dark",
            )
            .await;
        assert_eq!(answer.status, 403, "{sender:?}");
        assert!(!answer.headers.contains_key("set-cookie"), "{sender:?}");
    }
}

#[tokio::test]
async fn revoking_a_key_needs_confirmation() {
    let home = Home::new();
    make_user(&home, "admin", "admin", &[]).await;
    make_key(&home, "robot", "write").await;
    let server = Launch::new(&home).start().await;
    let mut admin = Visitor::signed_in(&server, "admin").await;
    let page = admin.page("/keys").await;
    let form = page.text.find("/revoke\"").expect("a form that revokes");
    let before = &page.text[..form];
    let (question, warning) = (before.rfind("<summary>Revoke…"), before.rfind("at once"));
    assert!(question.is_some() && warning > question, "{}", page.text);
}

#[cfg(unix)]
#[tokio::test]
async fn stored_files_are_readable_only_by_the_owner() {
    use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

    fn modes(path: &Path, all: &mut Vec<(String, u32)>) {
        let mode = fs::symlink_metadata(path)
            .expect("a file")
            .permissions()
            .mode();
        all.push((path.display().to_string(), mode & 0o777));
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            modes(&entry.path(), all);
        }
    }

    fn check(data: &Path) {
        let mut all = Vec::new();
        modes(data, &mut all);
        assert!(all.len() > 3, "{all:?}");
        for (path, mode) in all {
            assert_eq!(mode & 0o077, 0, "{path} has {mode:o}");
        }
    }

    let home = Home::new();
    let server = Server::start(&home).await;
    added(&server, "A note", "Kept from others.").await;
    let data = home.data_dir();
    check(&data);
    server.stop().await;
    // An older server created these files readable for everybody.
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    open(&data, 0o755).expect("the folder is ours");
    open(&data.join("index"), 0o755).expect("the folder is ours");
    open(&data.join("recall-kit.db"), 0o644).expect("the file is ours");
    let server = Server::start(&home).await;
    check(&data);
    drop(server);
}
