//! API keys on the command line: they are created once, listed without their secret, and revoked. Also: what a
//! server on a public address requires of them.

use std::fs;

use recall_kit_tests::{Home, Launch, Output, Server, experience, python, run, server_command};
use serde_json::Value;

#[tokio::test]
async fn a_key_is_printed_alone_and_its_secret_is_stored_nowhere() {
    let home = Home::new();
    let server = Launch::new(&home)
        .args(&["--log-level", "trace"])
        .start()
        .await;
    let created = keys(&home, &["create", "--name", "ci"]).await;
    let key = created.expect_code(0).strip_suffix('\n').unwrap();
    let (prefix, secret) = key.rsplit_once('_').unwrap();
    assert!(prefix.starts_with("rk_") && prefix.len() == 11, "{prefix}");
    assert_eq!(secret.len(), 43);
    assert!(secret.chars().all(|c| c.is_ascii_alphanumeric()));
    for words in ["\"ci\"", "write", "never expires", "shown once"] {
        assert!(created.stderr.contains(words), "{}", created.stderr);
    }
    let again = keys(&home, &["create", "--name", "other"]).await;
    assert_ne!(again.expect_code(0).trim(), key);

    // More writes, so that the pages with the key have passed through the database file and its write-ahead
    // log.
    server.wire.submit(experience("Written afterwards")).await;
    for listing in [vec!["list"], vec!["list", "--json", "--all"]] {
        let listed = keys(&home, &listing).await;
        let text = listed.expect_code(0);
        assert!(text.contains(prefix) && !text.contains(secret), "{text}");
    }
    let files: Vec<_> = fs::read_dir(home.data_dir()).unwrap().flatten().collect();
    let mut found_prefix = false;
    for file in files.iter().filter(|file| file.path().is_file()) {
        let bytes = fs::read(file.path()).unwrap();
        let contains = |text: &str| {
            bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        found_prefix |= contains(prefix);
        assert!(!contains(secret), "the secret is in {:?}", file.file_name());
    }
    assert!(found_prefix, "the right files were searched");
    assert!(!created.stderr.contains(secret));
    let log = server.stop().await;
    assert!(log.contains("Tool called: submit_experience"), "{log}");
    assert!(!log.contains(secret));
}

#[tokio::test]
async fn keys_are_listed_with_scope_expiry_and_state() {
    let home = Home::new();
    let empty = keys(&home, &["list"]).await;
    assert_eq!(empty.expect_code(0), "");
    assert!(empty.stderr.contains("keys create"), "{}", empty.stderr);
    assert_eq!(listed(&home, &[]).await, Vec::<Value>::new());

    for args in [
        &["forever", "--scope", "read"][..],
        &[
            "limited",
            "--expires",
            "90d",
            "--project",
            "Shop",
            "--project",
            "Bank",
        ],
        &["old", "--scope", "admin"],
        &["gone", "--expires", "2999-12-31"],
    ] {
        let args = [&["create", "--name"][..], args].concat();
        keys(&home, &args).await.expect_code(0);
    }
    expire(&home, "old").await;
    keys(&home, &["revoke", "gone"]).await.expect_code(0);

    let records = listed(&home, &["--all"]).await;
    let seen: Vec<_> = records
        .iter()
        .map(|key| ["name", "scope", "state"].map(|field| key[field].as_str().unwrap()))
        .collect();
    assert_eq!(
        seen,
        [
            ["forever", "read", "active"],
            ["limited", "write", "active"],
            ["old", "admin", "expired"],
            ["gone", "write", "revoked"],
        ]
    );
    assert_eq!(records[0]["expires_at"], Value::Null);
    assert_eq!(records[0]["last_used_at"], Value::Null);
    let moment = |field: &str| records[1][field].as_str().unwrap().parse().unwrap();
    let (created, expires): (jiff::Timestamp, _) = (moment("created_at"), moment("expires_at"));
    assert_eq!(expires.duration_since(created).as_hours(), 90 * 24);
    assert_eq!(records[3]["expires_at"], "2999-12-31T00:00:00Z");

    let table = keys(&home, &["list"]).await;
    let lines: Vec<&str> = table.expect_code(0).lines().collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (line, expected) in lines.iter().zip([
        ["NAME", "SCOPE", "PROJECTS", "LAST USED", "STATE"],
        ["forever", "read", "all", "never", "active"],
        ["limited", "write", "Shop, Bank", "never", "active"],
        ["old", "admin", "all", "never", "expired"],
    ]) {
        let cells: Vec<&str> = line.split("  ").map(str::trim).collect();
        let cells: Vec<&str> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
        let [name, _, scope, projects, _created, _expires, used, state] = cells[..] else {
            panic!("{line}");
        };
        assert_eq!([name, scope, projects, used, state], expected);
    }
    assert!(table.stderr.contains("1 revoked"), "{}", table.stderr);
}

#[tokio::test]
async fn a_key_can_be_revoked_by_name_prefix_id_or_the_key_itself() {
    let home = Home::new();
    for field in ["name", "prefix", "id", "key"] {
        let created = keys(&home, &["create", "--name", "same", "--json"]).await;
        let record: Value = serde_json::from_str(created.expect_code(0)).unwrap();
        let which = record[field].as_str().unwrap();
        let revoked = keys(&home, &["revoke", which]).await;
        revoked.expect_code(0);
        let words = ["\"same\"", record["prefix"].as_str().unwrap(), "is revoked"];
        for word in words {
            assert!(revoked.stderr.contains(word), "{}", revoked.stderr);
        }
        let again = keys(&home, &["revoke", which]).await;
        again.expect_code(0);
        assert!(again.stderr.contains("revoked already"), "{}", again.stderr);
    }
    assert_eq!(listed(&home, &[]).await.len(), 0);
    assert_eq!(listed(&home, &["--all"]).await.len(), 4);
}

#[tokio::test]
async fn invalid_arguments_are_refused_with_a_message() {
    let home = Home::new();
    keys(&home, &["create", "--name", "taken"]).await;
    let long = "x".repeat(101);
    for (args, code, words) in [
        (vec!["create"], 2, vec!["--name"]),
        (vec!["create", "--name", ""], 2, vec!["1 to 100"]),
        (vec!["create", "--name", &long], 2, vec!["100", "101"]),
        (
            vec!["create", "--name", "taken"],
            1,
            vec!["taken", "revoke"],
        ),
        (
            vec!["create", "--name", "n", "--scope", "root"],
            2,
            vec!["root", "read", "write", "admin"],
        ),
        (
            vec!["create", "--name", "n", "--expires", "90"],
            2,
            vec!["12h, 90d, 2w, 1y", "date"],
        ),
        (
            vec!["create", "--name", "n", "--expires", "2001-01-01"],
            1,
            vec!["2001-01-01", "future"],
        ),
        (vec!["revoke"], 2, vec!["NAME|PREFIX|ID"]),
        (vec!["revoke", "nobody"], 1, vec!["nobody", "keys list"]),
        (
            vec!["list", "--database", "mysql://x/y"],
            1,
            vec!["sqlite:"],
        ),
    ] {
        let output = keys(&home, &args).await;
        assert_eq!(output.expect_code(code), "", "{args:?}");
        assert!(output.stderr.starts_with("error: "), "{}", output.stderr);
        for word in words {
            assert!(output.stderr.contains(word), "{args:?}: {}", output.stderr);
        }
    }
    assert_eq!(listed(&home, &["--all"]).await.len(), 1);
}

#[tokio::test]
async fn a_public_address_needs_a_key_or_explicit_consent() {
    let home = Home::new();
    let public = || Launch::new(&home).args(&["--host", "0.0.0.0"]);
    let refused = async || {
        let output = public().run().await;
        output.expect_code(1);
        for hint in ["keys create", "--access anonymous", "0.0.0.0:0"] {
            assert!(output.stderr.contains(hint), "{}", output.stderr);
        }
        let doctor = public().run_command("doctor").await;
        assert!(doctor.expect_code(1).contains("FAIL  access"));
    };
    refused().await;
    for consent in [
        &["--access", "anonymous"][..],
        &["--access", "anonymous-read"],
        &["--allow-anonymous"],
    ] {
        public().args(consent).start().await.stop().await;
    }
    let empty = public().args(&["--access", "required"]).start().await;
    empty.logged("no client can connect").await;

    keys(&home, &["create", "--name", "old"]).await;
    public().start().await.stop().await;
    let doctor = public().run_command("doctor").await;
    assert!(doctor.expect_code(0).contains("only with an API key"));
    expire(&home, "old").await;
    refused().await;
    keys(&home, &["create", "--name", "gone"]).await;
    keys(&home, &["revoke", "gone"]).await;
    refused().await;
    // On loopback the server starts with and without keys.
    Server::start(&home).await.stop().await;
}

async fn keys(home: &Home, args: &[&str]) -> Output {
    let args = [&["keys"], args].concat();
    run(server_command(home, &args), "").await
}

async fn listed(home: &Home, args: &[&str]) -> Vec<Value> {
    let args = [&["list", "--json"], args].concat();
    let output = keys(home, &args).await;
    serde_json::from_str(output.expect_code(0)).unwrap()
}

async fn expire(home: &Home, name: &str) {
    let database = home.database();
    let args = [&*database.to_string_lossy(), name];
    python(home, "expire_key.py", &args).await.expect_code(0);
}
