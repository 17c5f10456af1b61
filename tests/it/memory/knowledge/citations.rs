//! The files that entries cite: stored, shown, edited and transferred by the server, which reads none of them.

use std::fs;

use recall_kit_tests::{Home, Launch, Visitor, Wire, make_user, run, server_command};
use recall_kit_tests_postgres::Cluster;
use serde_json::{Value, json};

const CITATIONS: &str = "io.recallkit/citations";

fn cited(path: &str, digit: &str) -> Value {
    json!({"path": path, "sha256": digit.repeat(64)})
}

/// Adds an entry with citations, and returns the answer.
async fn add(wire: &Wire, title: &str, citations: Value) -> Value {
    let params = json!({
        "name": "rekall_add",
        "arguments": {"type": "pitfall", "title": title, "content": "The pool runs dry at night"},
        "_meta": {CITATIONS: citations},
    });
    let answer = wire.rpc("tools/call", params).await;
    answer["result"]["structuredContent"].clone()
}

async fn shown(wire: &Wire, id: &Value) -> Value {
    wire.call("rekall_show", json!({"id": id})).await["citations"].clone()
}

async fn citations_are_kept(home: Home) {
    make_user(&home, "writer", "writer", &[]).await;
    let server = Launch::new(&home).start().await;
    let wire = &server.wire;
    let files = json!([cited("src/pool.rs", "a"), cited("docs/größe 1.md", "0")]);
    let id = add(wire, "First", files.clone()).await["id"].clone();
    assert_eq!(shown(wire, &id).await, files);
    let plain = add(wire, "Second", Value::Null).await["id"].clone();
    assert_eq!(shown(wire, &plain).await, Value::Null);
    // A search has them if it asks for them.
    for (meta, expected) in [
        (json!({}), Value::Null),
        (json!({CITATIONS: true}), files.clone()),
    ] {
        let params = json!({
            "name": "rekall_search", "arguments": {"query": "First pool"}, "_meta": meta,
        });
        let found = wire.rpc("tools/call", params).await["result"]["structuredContent"].clone();
        assert_eq!(found["results"][0]["title"], "First", "{found}");
        assert_eq!(found["results"][0]["citations"], expected, "{found}");
    }
    // A form without the field keeps them, one with it replaces them.
    let mut writer = Visitor::signed_in(&server, "writer").await;
    let path = format!("/knowledge/{}", id.as_str().unwrap());
    let edit = format!("{path}/edit");
    let fields = [
        ("type", "pitfall"),
        ("title", "First"),
        ("content", "It runs dry at noon"),
        ("confidence", "3"),
        ("memory_type", "episodic"),
    ];
    let version = async |writer: &mut Visitor| {
        let form = writer.page(&edit).await.text;
        let value = form.split("name=\"version\" value=\"").nth(1).unwrap();
        value.split('"').next().unwrap().to_owned()
    };
    let known = version(&mut writer).await;
    let kept = [&fields[..], &[("version", &known)]].concat();
    assert_eq!(writer.fill_in(&edit, &edit, &kept).await.status, 303);
    assert_eq!(shown(wire, &id).await, files);
    let form = writer.page(&edit).await.text;
    assert!(
        form.contains(&format!("{}  src/pool.rs", "a".repeat(64))),
        "{form}"
    );
    let page = writer.page(&path).await.text;
    assert!(
        page.contains("Cited files") && page.contains("docs/größe 1.md"),
        "{page}"
    );
    let known = version(&mut writer).await;
    let line = format!("{} *src/pool.rs\r\n", "b".repeat(64));
    let replaced = [&fields[..], &[("version", &known), ("citations", &line)]].concat();
    assert_eq!(writer.fill_in(&edit, &edit, &replaced).await.status, 303);
    assert_eq!(shown(wire, &id).await, json!([cited("src/pool.rs", "b")]));
    let known = version(&mut writer).await;
    let wrong = [
        &fields[..],
        &[("version", &known), ("citations", "src/pool.rs")],
    ]
    .concat();
    let refused = writer.fill_in(&edit, &edit, &wrong).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(
        refused
            .text
            .contains("“Cited files”: write one line for each file"),
        "{}",
        refused.text
    );
    assert!(
        refused.text.contains("src/pool.rs</textarea>"),
        "{}",
        refused.text
    );
    // A refusal and a conflict show what was typed; of a form without the field, what is stored.
    let own = format!("{}  docs/other.md", "c".repeat(64));
    let stored = format!("{}  src/pool.rs", "b".repeat(64));
    let blank = ("title", " ");
    for (version, status) in [(known.as_str(), 400), ("1", 409)] {
        for (more, expected) in [
            (
                &[("version", version), ("citations", own.as_str())][..],
                &own,
            ),
            (&[("version", version)], &stored),
        ] {
            let mut sent = [&fields[..], more].concat();
            if status == 400 {
                sent[1] = blank;
            }
            let page = writer.fill_in(&edit, &edit, &sent).await;
            assert_eq!(page.status, status, "{}", page.text);
            let field = format!("{expected}</textarea>");
            assert!(
                page.text.contains(&field),
                "{status} {more:?}: {}",
                page.text
            );
            // The present text is beside it.
            let is_beside = page
                .text
                .contains(&format!("<pre dir=\"auto\">{stored}</pre>"));
            assert_eq!(is_beside, status == 409, "{}", page.text);
        }
    }
    assert_eq!(shown(wire, &id).await, json!([cited("src/pool.rs", "b")]));
    server.stop().await;

    let page = run(
        server_command(&home, &["entries", "show", id.as_str().unwrap()]),
        "",
    )
    .await;
    let short = format!("  cites       src/pool.rs ({}…)", "b".repeat(12));
    assert!(page.expect_code(0).contains(&short), "{page:?}");
    let exported = run(server_command(&home, &["export", "-"]), "").await;
    let exported = exported.expect_code(0);
    assert_eq!(exported.matches("\"citations\"").count(), 1, "{exported}");
    let other = Home::new();
    run(server_command(&other, &["import", "-"]), exported)
        .await
        .expect_code(0);
    let again = run(server_command(&other, &["export", "-"]), "").await;
    assert_eq!(again.expect_code(0), exported, "nothing changed on the way");
}

#[tokio::test]
async fn citations_are_kept_by_edits_exports_and_imports() {
    citations_are_kept(Home::new()).await;
}

#[tokio::test]
async fn citations_are_kept_in_postgresql() {
    let cluster = Cluster::start();
    let database = cluster.url(&cluster.database());
    citations_are_kept(Home::with_database(&database)).await;
}

#[tokio::test]
async fn bad_citations_are_refused_with_their_place_and_nothing_is_stored() {
    let home = Home::new();
    let server = Launch::new(&home).start().await;
    let many: Vec<Value> = (0..21)
        .map(|number| cited(&format!("{number}.rs"), "a"))
        .collect();
    for (citations, field, words) in [
        (
            json!("src/pool.rs"),
            "citations",
            "a list of files, not a string",
        ),
        (json!(many), "citations", "20 are allowed"),
        (
            json!([cited("a.rs", "a"), cited("../b.rs", "b")]),
            "citations[1].path",
            "..",
        ),
        (
            json!([cited("/etc/passwd", "a")]),
            "citations[0].path",
            "absolute",
        ),
        (
            json!([cited("a.rs", "A")]),
            "citations[0].sha256",
            "lower-case",
        ),
        (json!([{"path": "a.rs"}]), "citations[0]", "path and sha256"),
    ] {
        let answer = add(&server.wire, "First", citations).await;
        assert_eq!(answer["error"]["code"], "VALIDATION_ERROR", "{answer}");
        let error = answer["error"].to_string();
        assert!(
            error.contains(field) && error.contains(words),
            "{field}: {error}"
        );
    }
    let found = server
        .wire
        .call("rekall_search", json!({"query": "First"}))
        .await;
    assert_eq!(found["total"], 0, "{found}");
}

#[tokio::test]
async fn notes_carry_citations_and_generalizations_those_on_which_sources_agree() {
    let home = Home::new();
    let server = Launch::new(&home).start().await;
    let wire = &server.wire;
    let first = json!([cited("src/pool.rs", "a"), cited("src/a.rs", "a")]);
    let first = add(wire, "The pool runs dry", first).await["id"].clone();
    let second = json!([
        cited("src/pool.rs", "a"),
        cited("src/a.rs", "b"),
        cited("src/b.rs", "b")
    ]);
    let second = add(wire, "The pool runs dry again", second).await["id"].clone();
    server.stop().await;
    let command = async |args: &[&str]| {
        let output = run(server_command(&home, args), "").await;
        output.expect_code(0).to_owned()
    };
    let ids = [first.as_str().unwrap(), second.as_str().unwrap()];
    let general = command(&["generalize", ids[0], ids[1]]).await;
    let show = async |id: &str| {
        let shown = command(&["entries", "show", id.trim(), "--json"]).await;
        serde_json::from_str::<Value>(&shown).unwrap()["citations"].clone()
    };
    let agreed = json!([cited("src/pool.rs", "a"), cited("src/b.rs", "b")]);
    assert_eq!(show(&general).await, agreed);

    let folder = home.path().join("notes");
    let folder_name = folder.to_str().unwrap();
    command(&["entries", "export", folder_name]).await;
    let notes = fs::read_dir(&folder)
        .unwrap()
        .map(|note| note.unwrap().path());
    let note = notes
        .into_iter()
        .find(|path| path.to_string_lossy().contains(ids[0]));
    let note = note.expect("the first entry is a note");
    let text = fs::read_to_string(&note).unwrap();
    let line = format!("{}  src/a.rs", "a".repeat(64));
    assert!(
        text.contains("cited_files: [") && text.contains(&line),
        "{text}"
    );
    let unchanged = command(&["entries", "import", folder_name]).await;
    assert!(unchanged.contains("already there 3"), "{unchanged}");
    // A note that cites other files changes its entry; one without the field changes nothing of it.
    fs::write(
        &note,
        text.replace(&line, &format!("{}  src/c.rs", "c".repeat(64))),
    )
    .unwrap();
    command(&["entries", "import", folder_name]).await;
    let changed = json!([cited("src/pool.rs", "a"), cited("src/c.rs", "c")]);
    assert_eq!(show(ids[0]).await, changed);
    command(&["entries", "export", folder_name, "--force"]).await;
    let text = fs::read_to_string(&note).unwrap();
    let without: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("cited_files"))
        .collect();
    fs::write(&note, without.join("\n").replace("at night", "at noon")).unwrap();
    command(&["entries", "import", folder_name]).await;
    assert_eq!(show(ids[0]).await, changed);
}
