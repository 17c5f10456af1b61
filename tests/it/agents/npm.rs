//! The npm package, used as its users do: installed from what npm packs, run with Node, against a real server.

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use recall_kit_tests::{Home, NpmClient, Server};
use serde_json::{Value, json};

#[tokio::test]
async fn experiences_are_shared_and_found_from_node() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let package = NpmClient::install(&home).await;
    let output = package.run("npm_client.mjs", &[server.wire.base()]).await;
    let report: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    for (step, status) in [
        ("stored", "stored"),
        ("cancelled", "not_sent"),
        ("waiting", "waiting"),
        ("declined", "not_sent"),
    ] {
        assert_eq!(report[step]["status"], status, "{step}: {report}");
    }
    // Of four submissions one was confirmed: it is stored as edited, and without its secret.
    assert_eq!(report["found"]["total"], 1, "{report}");
    let found = &report["found"]["experiences"][0];
    assert_eq!(found["id"], report["stored"]["id"], "{report}");
    assert_eq!(found["title"], "React useState is one render behind");
    let context = found["context"].as_str().unwrap();
    assert!(context.contains("YOUR_API_KEY"), "{found}");
    let shown: Vec<_> = report["shown"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    assert_eq!(shown.len(), 2, "{report}");
    assert!(
        shown.iter().all(|preview| !preview.contains("A1b2")),
        "{report}"
    );
    assert_eq!(report["again"]["found"], json!(true), "{report}");
    assert_eq!(report["lost"], "PROGRAM_NOT_FOUND");
    let refused = report["refused"].as_str().unwrap();
    assert!(refused.contains("from 1 to 50"), "{refused}");
}

#[tokio::test]
async fn the_type_declarations_type_check() {
    let home = Home::new();
    let package = NpmClient::install(&home).await;
    let output = package.check_types("npm_types.ts").await;
    output.expect_code(0);
}

#[tokio::test]
async fn the_launcher_finds_the_program_and_skips_itself() {
    let home = Home::new();
    let package = NpmClient::install(&home).await;
    let bin = home.path().join("node_modules/.bin");
    std::fs::create_dir_all(&bin).unwrap();
    let own = home
        .path()
        .join("node_modules/@recall-kit/mcp-client/bin/recall-kit-client.js");
    std::os::unix::fs::symlink(own, bin.join("recall-kit-client")).unwrap();
    // A wrapper script, as written by package managers that do not create links.
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
