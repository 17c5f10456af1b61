//! The npm package, used as its users do: installed from what npm packs, with Node, against a real
//! server.

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use recall_kit_tests::{Home, NpmClient, Server};
use serde_json::{Value, json};

#[tokio::test]
async fn experiences_are_shared_and_found_from_node() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let package = NpmClient::install(&home).await;
    let output = package.run("npm_client.mjs", &[server.wire.base()]).await;
    let said: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    for (step, status) in [
        ("stored", "stored"),
        ("cancelled", "not_sent"),
        ("waiting", "waiting"),
        ("declined", "not_sent"),
    ] {
        assert_eq!(said[step]["status"], status, "{step}: {said}");
    }
    // Of four submissions one was agreed to: as it was edited, and without its key.
    assert_eq!(said["found"]["total"], 1, "{said}");
    let found = &said["found"]["experiences"][0];
    assert_eq!(found["id"], said["stored"]["id"], "{said}");
    assert_eq!(found["title"], "React useState is one render behind");
    let context = found["context"].as_str().unwrap();
    assert!(context.contains("YOUR_API_KEY"), "{found}");
    let shown: Vec<_> = said["shown"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    assert_eq!(shown.len(), 2, "{said}");
    assert!(
        shown.iter().all(|preview| !preview.contains("A1b2")),
        "{said}"
    );
    assert_eq!(said["again"]["found"], json!(true), "{said}");
    assert_eq!(said["lost"], "PROGRAM_NOT_FOUND");
    let refused = said["refused"].as_str().unwrap();
    assert!(refused.contains("from 1 to 50"), "{refused}");
}

#[tokio::test]
async fn the_types_hold_what_they_promise() {
    let home = Home::new();
    let package = NpmClient::install(&home).await;
    let output = package.check_types("npm_types.ts").await;
    output.expect_code(0);
}

#[tokio::test]
async fn the_launcher_finds_the_program_and_not_itself() {
    let home = Home::new();
    let package = NpmClient::install(&home).await;
    let bin = home.path().join("node_modules/.bin");
    std::fs::create_dir_all(&bin).unwrap();
    let own = home
        .path()
        .join("node_modules/@recall-kit/mcp-client/bin/recall-kit-client.js");
    std::os::unix::fs::symlink(own, bin.join("recall-kit-client")).unwrap();
    // As package managers write them that do not link.
    let shims = home.path().join("shims");
    home.write(
        "shims/recall-kit-client",
        "#!/bin/sh\nexec node elsewhere.js \"$@\"\n",
    );
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(shims.join("recall-kit-client"), runs).unwrap();
    let none = package.launch(&[&bin, &shims], &["--version"]).await;
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.stderr.contains("cargo install --path cli"), "{none:?}");
    let built = recall_kit_tests::built("recall-kit-client");
    let folder = built.parent().unwrap_or(Path::new("/"));
    let found = package.launch(&[&bin, folder], &["--version"]).await;
    assert!(
        found.expect_code(0).starts_with("recall-kit-client "),
        "{found:?}"
    );
    let usage = package.launch(&[&bin, folder], &["no-such-command"]).await;
    assert_eq!(usage.code, Some(2), "{usage:?}");
}
