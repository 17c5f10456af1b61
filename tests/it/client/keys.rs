//! `recall-kit-client keys`: scripts store the key of a server, and a damaged store is an error that says what to do.

use std::{fs, os::unix::fs::PermissionsExt as _};

use recall_kit_tests::{Home, Launch, Output, Server, client, make_key, run};
use serde_json::Value;

const STORE: &str = ".config/recall-kit/server-keys.json";

/// Runs the client on a machine without a keyring.
async fn run_client(home: &Home, args: &[&str], input: &str) -> Output {
    home.write_program("bin/secret-tool", "#!/bin/sh\nexit 1\n");
    let mut command = client(home, args);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env(
        "PATH",
        format!("{}:{path}", home.path().join("bin").display()),
    );
    run(command, input).await
}

#[tokio::test]
async fn a_script_stores_a_key_from_standard_input_after_the_server_has_accepted_it() {
    let home = Home::new();
    let key = make_key(&home, "ada", "write").await;
    let server = Launch::new(&home)
        .args(&["--access", "required"])
        .start()
        .await;
    let url = format!("{}/mcp", server.wire.base());
    let set = ["keys", "set", "--server", &url];
    let refused = run_client(&home, &set, "rk_wrong\n").await;
    refused.expect_code(1);
    assert!(
        refused.stderr.contains("does not accept this key"),
        "{refused:?}"
    );
    for (input, told) in [
        ("", "standard input has no key"),
        ("two words\n", "something else than a key"),
    ] {
        let refused = run_client(&home, &set, input).await;
        refused.expect_code(2);
        assert!(refused.stderr.contains(told), "{refused:?}");
        assert!(refused.stderr.contains("< FILE"), "{refused:?}");
    }
    // As an argument every user of the machine could see it.
    let argument = [&set[..], &[&key]].concat();
    run_client(&home, &argument, "").await.expect_code(2);
    assert!(!home.path().join(STORE).exists());

    let stored = run_client(&home, &set, &format!("{key}\n")).await;
    stored.expect_code(0);
    let mode = fs::metadata(home.path().join(STORE))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let query = ["--server", &url, "query", "anything"];
    run_client(&home, &query, "").await.expect_code(0);
    let listed = run_client(&home, &["keys", "list", "--json"], "").await;
    let keys: Value = serde_json::from_str(listed.expect_code(0)).unwrap();
    let expected = serde_json::json!([{"server": server.wire.base(), "stored_in": "file"}]);
    assert_eq!(keys["keys"], expected);
    for output in [&refused, &stored, &listed] {
        assert!(!format!("{output:?}").contains(&key));
    }

    // The configured server is meant if none is named. Nobody is asked with --no-check.
    home.configure_client(r#"{"server": {"url": "http://127.0.0.1:9/mcp"}}"#);
    let unchecked = ["keys", "set", "--no-check", "--json"];
    let stored = run_client(&home, &unchecked, "rk_other").await;
    let answer: Value = serde_json::from_str(stored.expect_code(0)).unwrap();
    assert_eq!(
        answer,
        serde_json::json!({"server": "http://127.0.0.1:9/mcp", "stored_in": "file"})
    );
    let listed = run_client(&home, &["keys", "list"], "").await;
    assert_eq!(listed.expect_code(0).lines().count(), 2);
    let open = [
        "keys",
        "set",
        "--no-check",
        "--server",
        "http://memory.example.org/mcp",
    ];
    let refused = run_client(&home, &open, "rk_other").await;
    refused.expect_code(1);
    assert!(refused.stderr.contains("--unencrypted"), "{refused:?}");
    let local = ["keys", "set", "--server", "mcp://recall-kit-server"];
    run_client(&home, &local, "rk_other").await.expect_code(2);
}

#[tokio::test]
async fn a_removed_key_is_no_longer_sent_and_others_stay() {
    let home = Home::new();
    let key = make_key(&home, "ada", "write").await;
    let server = Launch::new(&home)
        .args(&["--access", "required"])
        .start()
        .await;
    let url = format!("{}/mcp", server.wire.base());
    let other = "https://memory.example.org/mcp";
    let set = ["keys", "set", "--no-check", "--server"];
    run_client(&home, &[&set[..], &[&url]].concat(), &key)
        .await
        .expect_code(0);
    run_client(&home, &[&set[..], &[other]].concat(), "rk_other")
        .await
        .expect_code(0);
    let query = ["--server", &url, "query", "anything"];
    run_client(&home, &query, "").await.expect_code(0);

    let remove = ["keys", "remove", "--json", "--server", &url];
    let removed = run_client(&home, &remove, "").await;
    let answer: Value = serde_json::from_str(removed.expect_code(0)).unwrap();
    let expected = serde_json::json!({"server": url, "removed_from": "file"});
    assert_eq!(answer, expected);
    assert!(!format!("{removed:?}").contains(&key));
    run_client(&home, &query, "").await.expect_code(1);
    let store = fs::read_to_string(home.path().join(STORE)).unwrap();
    assert!(!store.contains(&key) && store.contains("rk_other"));

    let again = run_client(&home, &remove, "").await;
    again.expect_code(1);
    assert!(again.stderr.contains("no key of"), "{again:?}");
    assert!(again.stderr.contains("keys list"), "{again:?}");
    let local = ["keys", "remove", "--server", "mcp://recall-kit-server"];
    run_client(&home, &local, "").await.expect_code(2);
    // With several servers one has to be named.
    let settings =
        serde_json::json!({"servers": [{"name": "a", "url": url}, {"name": "b", "url": other}]});
    home.configure_client(settings.to_string());
    let unnamed = run_client(&home, &["keys", "remove"], "").await;
    unnamed.expect_code(2);
    assert!(unnamed.stderr.contains("--server URL"), "{unnamed:?}");
    let named = ["keys", "remove", "--server", other];
    run_client(&home, &named, "").await.expect_code(0);
    let listed = run_client(&home, &["keys", "list"], "").await;
    assert_eq!(listed.expect_code(0), "");
}

#[tokio::test]
async fn a_damaged_store_of_keys_is_an_error_with_the_way_out_of_it() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    let half = "{\"version\": 1, \"servers\": {\"https://memory.example.org\": {\"key\": \"rk_se";
    let store = home.write(STORE, half);
    let set = ["keys", "set", "--server", &url];
    for args in [
        &["--server", &url, "query", "x"][..],
        &["keys", "list"],
        &["keys", "remove", "--server", &url],
        &set,
    ] {
        let output = run_client(&home, args, "rk_new").await;
        output.expect_code(1);
        for told in ["server-keys.json", "it is damaged", "keys set --server URL"] {
            assert!(output.stderr.contains(told), "{args:?}: {output:?}");
        }
        assert!(!output.stderr.contains("rk_se"), "{output:?}");
    }
    let doctor = run_client(&home, &["--server", &url, "doctor"], "").await;
    assert!(
        doctor.expect_code(1).contains("it is damaged"),
        "{doctor:?}"
    );
    assert_eq!(fs::read_to_string(&store).unwrap(), half);
    // The program on this machine needs no key.
    run_client(&home, &["query", "x"], "").await.expect_code(0);

    fs::rename(&store, home.path().join("moved.json")).unwrap();
    let output = run_client(&home, &["--server", &url, "query", "x"], "").await;
    output.expect_code(0);
}
