//! `recall-kit-server ingest` and `libraries`, and what readers see during an ingest.

use recall_kit_tests::{Home, Server, StdioPeer};
use serde_json::{Value, json};

use super::{events, ingest, server, write_docs};

#[tokio::test]
async fn libraries_are_ingested_refreshed_and_removed() {
    let home = Home::new();
    let none = server(&home, &["libraries", "list"]).await;
    assert_eq!(none.expect_code(0), "");
    assert!(
        none.stderr.contains("recall-kit-server ingest NAME SOURCE"),
        "{none:?}"
    );
    write_docs(&home);
    ingest(&home, "Gin", "v1").await;
    home.write(
        "docs/README.md",
        "# Gin\n\nA web framework.\n\n## Rendering\n\nTemplates become pages.\n",
    );
    home.write("docs/new.md", "# Groups\n\nGroups share a prefix.\n");
    std::fs::remove_file(home.path().join("docs/guide/routing.md")).unwrap();
    ingest(&home, "Gin", "v2").await;

    let since = [
        "libraries",
        "show",
        "gin",
        "--since",
        "v1",
        "--version",
        "v2",
    ];
    let shown = server(&home, &since).await;
    let expected = "Gin v2 since v1: 1 files new, 1 changed, 1 gone, 0 the same\n\
                    + new.md\n    Groups\n~ README.md\n";
    assert!(shown.expect_code(0).starts_with(expected), "{shown:?}");
    assert!(
        shown
            .stdout
            .contains("    Gin > Rendering\n- guide/routing.md\n"),
        "{shown:?}"
    );
    let shown = server(&home, &[&since[..], &["--json"]].concat()).await;
    let shown: Value = serde_json::from_str(shown.expect_code(0)).unwrap();
    let new = json!([{"path": "new.md", "titles": ["Groups"]}]);
    assert_eq!(
        (&shown["new"], &shown["gone"]),
        (&new, &json!(["guide/routing.md"]))
    );

    let set = [
        "libraries",
        "set",
        "Gin",
        "--default",
        "v2",
        "--description",
        "Web",
    ];
    server(&home, &set).await.expect_code(0);
    // Afterwards both versions have the current content of the folder.
    let refreshed = server(&home, &["libraries", "refresh", "Gin"]).await;
    assert_eq!(refreshed.expect_code(0).lines().count(), 2, "{refreshed:?}");
    let shown = server(&home, &since).await;
    assert!(
        shown
            .expect_code(0)
            .contains("0 files new, 0 changed, 0 gone, 2 the same")
    );
    let listed = server(&home, &["libraries", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(listed.expect_code(0)).unwrap();
    assert_eq!(listed[0]["defaultVersion"], "v2", "{listed}");
    assert_eq!(listed[0]["description"], "Web");
    let listed = server(&home, &["libraries", "list"]).await;
    assert!(
        listed.expect_code(0).contains("Gin   v2       2"),
        "{listed:?}"
    );

    for (args, words) in [
        (&["show", "Ginn"][..], "did you mean \"Gin\"?"),
        (&["show", "Gin", "--version", "v9"], "it has v2, v1"),
        (&["set", "Gin", "--default", "v9"], "it has v2, v1"),
        (&["remove", "Gin", "--version", "v9"], "it has v2, v1"),
        (&["refresh", "Other"], "there is no library \"Other\""),
    ] {
        let failed = server(&home, &[&["libraries"], args].concat()).await;
        failed.expect_code(1);
        assert!(failed.stderr.contains(words), "{args:?}: {}", failed.stderr);
    }
    server(&home, &["libraries", "remove", "Gin", "--version", "v1"])
        .await
        .expect_code(0);
    server(&home, &["libraries", "remove", "Gin"])
        .await
        .expect_code(0);
    let listed = server(&home, &["libraries", "list", "--json"]).await;
    assert_eq!(listed.expect_code(0).trim(), "[]");
}

#[tokio::test]
async fn libraries_are_listed_searched_and_read() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Gin", "v1").await;
    let running = Server::start(&home).await;
    let found = server(&home, &["libraries", "search", "gin"]).await;
    let found = found.expect_code(0);
    assert!(found.starts_with("NAME  SCORE  DEFAULT"), "{found}");
    assert!(found.contains("Gin   1.00   v1"), "{found}");
    let none = server(&home, &["libraries", "search", "chromodynamics"]).await;
    assert_eq!(none.expect_code(0), "");
    assert!(none.stderr.contains("libraries list"), "{none:?}");

    let read = server(
        &home,
        &["libraries", "docs", "gin", "register", "middleware"],
    )
    .await;
    let read = read.expect_code(0);
    for part in [
        "v1 · README.md#L",
        "  Middleware wraps handlers and runs around them.\n",
        "      r := gin.Default()\n",
    ] {
        assert!(read.contains(part), "{part}: {read}");
    }
    let args = [
        "libraries",
        "docs",
        "Gin",
        "middleware",
        "--mode",
        "code",
        "--json",
    ];
    let read = server(&home, &args).await;
    let read: Value = serde_json::from_str(read.expect_code(0)).unwrap();
    let documents = read["documents"].as_array().unwrap();
    assert!(!documents.is_empty(), "{read}");
    assert!(documents.iter().all(|one| one["mode"] == "code"), "{read}");
    let none = server(&home, &["libraries", "docs", "Gin", "chromodynamics"]).await;
    assert_eq!(none.expect_code(0), "");
    assert!(none.stderr.contains("try other words"), "{none:?}");
    for (args, words) in [
        (&["Ginn", "x"][..], "did you mean \"Gin\"?"),
        (&["Gin", "x", "--version", "v9"], "it has v1"),
    ] {
        let failed = server(&home, &[&["libraries", "docs"], args].concat()).await;
        failed.expect_code(1);
        assert!(failed.stderr.contains(words), "{args:?}: {}", failed.stderr);
    }
    running.stop().await;
}

#[tokio::test]
async fn json_output_reports_the_progress_of_an_ingest() {
    let home = Home::new();
    write_docs(&home);
    home.write("docs/logo.md", b"\0\x01\0\x02");
    let args = ["ingest", "Gin", "docs", "--json"];
    let output = server(&home, &args).await;
    let lines = events(output.expect_code(0));
    let names: Vec<_> = lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        (names[0], names.last()),
        ("reading", Some(&"done")),
        "{output:?}"
    );
    let progress = &lines[1];
    // The file that turns out to be no documentation was counted as well.
    assert_eq!(
        (&progress["event"], &progress["total"], &progress["files"]),
        (&json!("progress"), &json!(3), &json!(1)),
        "{output:?}"
    );
    let done = &lines[lines.len() - 1];
    assert_eq!(
        (&done["library"], &done["files"]),
        (&json!("Gin"), &json!(2))
    );
    assert_eq!(done["left"][0]["path"], "logo.md", "{done}");
    assert_eq!(output.stderr, "");
}

#[tokio::test]
async fn a_failed_ingest_leaves_the_old_version() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Gin", "v1").await;
    std::fs::create_dir(home.path().join("empty")).unwrap();
    home.write("broken.zip", b"PK\x03\x04 and no more");
    for (source, words) in [
        ("no-such-folder", "no-such-folder"),
        ("empty", "no documentation that can be read"),
        ("broken.zip", "the archive cannot be read"),
        ("http://127.0.0.1:9/docs.zip", "private"),
    ] {
        let failed = server(&home, &["ingest", "Gin", source, "--version", "v1"]).await;
        failed.expect_code(1);
        assert!(failed.stderr.contains(words), "{source}: {}", failed.stderr);
        assert!(
            failed.stderr.contains("was not ingested; it is unchanged"),
            "{}",
            failed.stderr
        );
        let args = ["ingest", "Gin", source, "--version", "v1", "--json"];
        let failed = server(&home, &args).await;
        failed.expect_code(1);
        let last = events(&failed.stdout).pop().unwrap();
        assert_eq!(
            (&last["event"], &last["version"]),
            (&json!("failed"), &json!("v1"))
        );
        assert!(last["error"].as_str().unwrap().contains(words), "{last}");
    }
    let mut peer = StdioPeer::start(&home, &[]);
    let call = json!({"name": "get-library-docs", "arguments": {"topic": "route path handler"}});
    let found = peer.request("tools/call", call).await;
    let first = &found["result"]["structuredContent"]["documents"][0];
    assert_eq!(first["title"], "Routing", "{found}");
}

#[tokio::test]
async fn readers_see_either_the_old_or_the_new_version() {
    let home = Home::new();
    let write = |word: &str| {
        for number in 0..8 {
            let text = format!("# Page {number}\n\nThe {word} page about wombats.\n");
            home.write(&format!("docs/{number}.md"), text);
        }
    };
    write("first");
    ingest(&home, "Wombats", "latest").await;
    let running = Server::start(&home).await;
    for word in ["second", "third", "fourth"] {
        write(word);
        let reading = async {
            loop {
                let answer = running
                    .wire
                    .call("get-library-docs", json!({"topic": "wombats"}))
                    .await;
                let documents = answer["documents"].as_array().unwrap();
                let texts = documents.iter().map(|one| one["content"].as_str().unwrap());
                let new = texts.filter(|text| text.contains(word)).count();
                assert_eq!(documents.len(), 8, "{answer}");
                assert!(new == 0 || new == 8, "half of {word}: {answer}");
                if new == 8 {
                    return;
                }
            }
        };
        tokio::join!(reading, ingest(&home, "Wombats", "latest"));
    }
}
