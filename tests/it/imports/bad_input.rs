//! Stores that are half-written, of an unknown version, locked, or not there.

use std::fs;

use recall_kit_tests::{Home, Server, lock_file};

use super::{count, counts, data, database, import};

#[tokio::test]
async fn a_store_that_cannot_be_read_is_an_error_that_says_why_and_nothing_is_imported() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let whole = database(&home, "claude-mem.sql", &[]).await;
    let bytes = fs::read(&whole).unwrap();
    let half = home.write("half.db", &bytes[..bytes.len() / 2]);
    let half_json = fs::read_to_string(data("mcp-memory-service.json")).unwrap();
    let half_json = home.write("half.json", &half_json[..half_json.len() / 2]);
    let more = ["alter table knowledge_units rename column data to body"];
    let renamed = database(&home, "cq.sql", &more).await;
    let text = home.write("notes.txt", "no database");
    for (source, path, reason) in [
        ("claude-mem", half.to_string_lossy(), "only half of it"),
        (
            "mcp-memory-service",
            half_json.to_string_lossy(),
            "only half of it",
        ),
        ("cq", renamed.as_str().into(), "lacks data; it has id, body"),
        ("engram", whole.as_str().into(), "lacks content"),
        ("mem0", whole.as_str().into(), "it has no table `history`"),
        ("mem0", text.to_string_lossy(), "the JSON has an error"),
        (
            "basic-memory",
            "/nowhere/at/all".into(),
            "cannot read /nowhere/at/all",
        ),
        ("claude-code", "/dev/zero".into(), "it is no regular file"),
    ] {
        let output = import(&home, &server, &[source, &path, "--yes"]).await;
        output.expect_code(1);
        assert!(output.stderr.contains(reason), "{source}: {output:?}");
        assert!(output.stderr.contains("hint: "), "{source}: {output:?}");
    }
    let unknown = import(&home, &server, &["memo", "--yes"]).await;
    unknown.expect_code(2);
    assert!(unknown.stderr.contains("basic-memory"), "{unknown:?}");
    assert_eq!(count(&home, "entries").await, 0);
}

#[tokio::test]
async fn a_pipe_and_a_folder_that_cannot_be_read_are_named_and_the_transcripts_beside_them_are_read()
 {
    let home = Home::new();
    let server = Server::start(&home).await;
    let sessions = home.path().join(".codex/sessions");
    let codex = fs::read(data("../transcripts/codex_rollout.jsonl")).unwrap();
    home.write(".codex/sessions/rollout-1.jsonl", codex);
    let before = counts(&import(&home, &server, &["history", "--dry-run", "--json"]).await);
    let pipe = sessions.join("pipe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let link = sessions.join("link.jsonl");
    std::os::unix::fs::symlink("rollout-1.jsonl", link).unwrap();
    // Nobody can open a folder whose path is too long, not even root. It gets there by renaming a part of it.
    let long = vec!["x".repeat(200); 11].join("/");
    let (one, two) = (sessions.join("one").join(&long), home.path().join("two"));
    fs::create_dir_all(&one).unwrap();
    fs::create_dir_all(two.join(&long)).unwrap();
    fs::rename(&two, one.join("two")).unwrap();

    let whole = counts(&import(&home, &server, &["history", "--dry-run", "--json"]).await);
    let skipped = whole["skipped"].to_string();
    assert!(
        skipped.contains("pipe.jsonl: it is no regular file"),
        "{whole}"
    );
    assert!(skipped.contains("xxx: cannot read "), "{whole}");
    assert!(
        skipped.contains("link.jsonl: it is a symbolic link"),
        "{whole}"
    );
    let found = |counts: &serde_json::Value| counts["found"].as_u64().unwrap();
    assert_eq!(whole["kept"], before["kept"], "{before} {whole}");
    assert_eq!(found(&whole), found(&before) + 3, "{before} {whole}");

    let named = import(
        &home,
        &server,
        &["history", &pipe.to_string_lossy(), "--dry-run"],
    )
    .await;
    named.expect_code(1);
    assert!(named.stderr.contains("it is no regular file"), "{named:?}");
}

#[tokio::test]
async fn columns_of_a_newer_version_are_listed_and_the_rest_is_read() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let more = ["alter table memories add column mood text"];
    let newer = database(&home, "mcp-memory-service.sql", &more).await;
    let args = ["mcp-memory-service", &newer, "--dry-run", "--json"];
    let output = import(&home, &server, &args).await;
    assert_eq!(counts(&output)["kept"], 100);
    assert!(
        output
            .stderr
            .contains("unknown columns of `memories` are not read: mood")
    );
}

#[tokio::test]
async fn another_programs_database_is_left_as_it_is_and_a_lock_is_waited_for_only_briefly() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let path = database(&home, "engram.sql", &[]).await;
    let before = fs::read(&path).unwrap();
    import(&home, &server, &["engram", &path, "--yes"])
        .await
        .expect_code(0);
    assert!(fs::read(&path).unwrap() == before);
    let folder = home.path().join("foreign");
    assert_eq!(
        fs::read_dir(folder).unwrap().count(),
        1,
        "nothing is left beside it"
    );

    let no_log = "pragma journal_mode = delete";
    let path = database(&home, "cq.sql", &[no_log]).await;
    let lock = lock_file(&home, path.as_ref(), "exclusive").await;
    let locked = import(&home, &server, &["cq", &path, "--yes"]).await;
    locked.expect_code(1);
    assert!(
        locked.stderr.contains("is locked by another program"),
        "{locked:?}"
    );
    lock.release().await;
    import(&home, &server, &["cq", &path, "--yes"])
        .await
        .expect_code(0);
    assert_eq!(count(&home, "experiences").await, 125);
}

#[tokio::test]
async fn a_link_that_leads_out_of_the_project_is_named_and_not_read() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs::write(outside.path(), "# Private\n\nNobody asked for this.\n").unwrap();
    std::os::unix::fs::symlink(outside.path(), home.path().join("AGENTS.md")).unwrap();
    home.write("CLAUDE.md", "# Style\n\nTabs, not spaces.\n");
    let listed = import(&home, &server, &["auto", "--dry-run", "--json"]).await;
    assert!(!listed.stdout.contains("Private"), "{listed:?}");
    assert!(listed.stdout.contains("outside the project"), "{listed:?}");
    assert_eq!(counts(&listed)[0]["kept"], 1, "{listed:?}");

    home.write("clone/README.md", "# Read me\n\nNo instructions.\n");
    std::os::unix::fs::symlink(outside.path(), home.path().join("clone/CLAUDE.md")).unwrap();
    let clone = ["claude-code", "clone", "--dry-run", "--json"];
    let listed = import(&home, &server, &clone).await;
    assert_eq!(counts(&listed)["kept"], 0, "{listed:?}");
    assert!(listed.stdout.contains("outside the project"), "{listed:?}");
}

#[tokio::test]
async fn a_named_source_that_cannot_be_read_at_its_usual_place_is_an_error() {
    let home = Home::new();
    let server = Server::start(&home).await;
    home.write(".engram/engram.db", "SQLite format 3\0and no more");
    let named = import(&home, &server, &["engram", "--yes"]).await;
    named.expect_code(1);
    assert!(
        named.stderr.contains("engram.db cannot be read"),
        "{named:?}"
    );
    import(&home, &server, &["auto", "--dry-run"])
        .await
        .expect_code(0);
}
