//! Maintained experiences: when one program hides, deletes or edits a record, every server's results change.

use recall_kit_tests::{Home, Launch, Output, Server, experience, run, server_command};
use serde_json::{Value, json};

async fn records(home: &Home, args: &[&str]) -> Output {
    run(server_command(home, &[&["records"], args].concat()), "").await
}

async fn total(server: &Server, words: &str) -> Value {
    server.wire.query(words).await["total"].clone()
}

#[tokio::test]
async fn a_hidden_or_deleted_record_is_found_through_no_server() {
    let home = Home::new();
    let (one, other) = (Server::start(&home).await, Server::start(&home).await);
    let id = one.wire.submit(experience("wombat tunnels collapse")).await;
    let other_id = one.wire.submit(experience("wombat tunnels flood")).await;
    for (change, undo) in [("hide", "unhide"), ("delete", "restore")] {
        assert_eq!(total(&one, "wombat tunnels").await, 2);
        let done = records(&home, &[change, &id]).await;
        done.expect_code(0);
        for server in [&one, &other] {
            let found = server.wire.query("wombat tunnels").await;
            assert_eq!(found["total"], 1, "{change}: {found}");
            assert_eq!(found["experiences"][0]["id"], other_id.as_str(), "{change}");
        }
        let promoted = run(server_command(&home, &["entries", "promote", &id]), "").await;
        assert!(promoted.stderr.contains("not found"), "{promoted:?}");
        // A server that starts meanwhile does not find the record either.
        let late = Server::start(&home).await;
        assert_eq!(total(&late, "wombat tunnels").await, 1, "{change}");
        late.stop().await;
        records(&home, &[undo, &id]).await.expect_code(0);
    }
    for server in [one, other] {
        assert_eq!(total(&server, "wombat tunnels").await, 2);
    }
}

#[tokio::test]
async fn an_edited_record_is_found_by_its_new_text() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let id = server
        .wire
        .submit(experience("wombat tunnels collapse"))
        .await;
    let edited = records(&home, &["edit", &id, "--title", "koala trees fall"]).await;
    edited.expect_code(0);
    assert!(edited.stderr.contains("visible, version 2"), "{edited:?}");
    assert_eq!(total(&server, "wombat tunnels").await, 0);
    let found = server.wire.query("koala trees").await;
    assert_eq!(
        found["experiences"][0]["title"], "koala trees fall",
        "{found}"
    );

    let late = ["edit", &id, "--title", "too late", "--if-version", "1"];
    let late = records(&home, &late).await;
    assert!(late.stderr.contains("it is at version 2 now"), "{late:?}");
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let leaky = records(&home, &["edit", &id, "--solution", &secret]).await;
    assert_eq!(leaky.code, Some(1), "{leaky:?}");
    assert!(!leaky.stderr.contains(&secret), "{leaky:?}");

    records(&home, &["delete", &id]).await.expect_code(0);
    let listed = records(&home, &["list", "--state", "deleted"]).await;
    assert!(listed.expect_code(0).contains(&id), "{listed:?}");
    let shown = records(&home, &["show", &id]).await;
    let shown: Value = serde_json::from_str(shown.expect_code(0)).unwrap();
    assert_eq!(shown["title"], "koala trees fall");
}

#[tokio::test]
async fn the_beginning_of_an_id_names_a_record() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let id = server.wire.submit(experience("wombat tunnels flood")).await;
    let other = server
        .wire
        .submit(experience("wombat tunnels collapse"))
        .await;
    let alike = id
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let short = &id[..alike + 1];
    for (change, undo) in [("hide", "unhide"), ("delete", "restore")] {
        records(&home, &[change, short]).await.expect_code(0);
        let shown = records(&home, &["show", &short.to_uppercase()]).await;
        assert!(
            shown.expect_code(0).contains("wombat tunnels flood"),
            "{shown:?}"
        );
        records(&home, &[undo, short]).await.expect_code(0);
    }
    let edit = ["edit", short, "--title", "koala trees fall"];
    records(&home, &edit).await.expect_code(0);

    let ambiguous = records(&home, &["show", &id[..alike]]).await;
    ambiguous.expect_code(1);
    for words in [&id, &other, "koala trees fall", "use more characters"] {
        assert!(ambiguous.stderr.contains(words), "{words}: {ambiguous:?}");
    }
    for (typed, words) in [
        ("fffff", "records list"),
        ("ffff", "at least its first 5 characters"),
        ("wombat", "at least its first 5 characters"),
    ] {
        let failed = records(&home, &["hide", typed]).await;
        failed.expect_code(1);
        assert!(failed.stderr.contains(words), "{typed}: {failed:?}");
    }
}

/// Returns whether any file of the data directory contains a text.
fn is_stored(home: &Home, text: &str) -> bool {
    let files = std::fs::read_dir(home.data_dir()).unwrap();
    let files = files.map(|file| file.unwrap().path());
    files.filter(|path| path.is_file()).any(|path| {
        let bytes = std::fs::read(path).unwrap();
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

#[tokio::test]
async fn queries_are_stored_sanitized_and_only_if_enabled() {
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let question = format!("Wombat  TUNNELS refuse {secret}");
    for (keep_days, expected) in [(90, true), (0, false)] {
        let home = Home::new();
        let settings = format!("[insights]\nkeep_days = {keep_days}\n");
        let server = Launch::new(&home)
            .settings(&settings)
            .env("RECALL_KIT_LOG__LEVEL", "debug")
            .start()
            .await;
        server.wire.query(&question).await;
        let library = json!({"libraryName": "wombats"});
        server.wire.call("search-libraries", library).await;
        let log = server.stop().await;
        for called in ["query_experiences", "search-libraries"] {
            let called = format!("Tool called: {called}");
            assert!(log.contains(&called), "no {called:?} in {log}");
        }
        assert_eq!(is_stored(&home, "wombat tunnels refuse "), expected);
        assert_eq!(is_stored(&home, "wombats"), expected);
        for text in [secret.as_str(), &secret.to_lowercase()] {
            assert!(!is_stored(&home, text) && !log.contains(text));
        }
        assert!(!log.to_lowercase().contains("wombat"), "{log}");
    }
}
