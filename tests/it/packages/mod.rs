//! The packages, installed into fresh places as users do: their programs run, and what is broken says so.

mod agents;
mod files;
mod installer;
mod npm;
mod wheel;

use std::path::Path;

use recall_kit_tests::{Home, Output, command_in, python, run, run_in};
use serde_json::Value;

/// Runs the client and the server that a package installed, and uses the client as an agent does.
async fn check_installed(home: &Home, client: &Path, server: &Path) {
    for (program, name) in [
        (client, "recall-kit-client "),
        (server, "recall-kit-server "),
    ] {
        let version = run_in(home, program, &["--version"]).await;
        assert!(version.expect_code(0).starts_with(name), "{version:?}");
    }
    // Beside other tests, the start of a server may take longer than a user would wait.
    home.configure_client(r#"{"server": {"timeout": 60000}}"#);
    let client = client.to_string_lossy();
    let host = python(home, "mcp_host.py", &[&client, "mcp"]).await;
    let seen: Value = serde_json::from_str(host.expect_code(0)).unwrap();
    let tools = seen["tools"].as_array().unwrap();
    assert!(tools.contains(&"share_experience".into()), "{seen}");
    // A question for an empty memory is answered by the server that the client found beside it.
    assert_eq!(seen["found"]["results"], serde_json::json!([]), "{seen}");
}

/// Runs the demo of an installed client with the model in the program.
async fn demo(home: &Home, client: &Path, args: &[&str]) -> Output {
    let mut command = command_in(home, client, args);
    command.env_remove("RECALL_KIT_EMBEDDINGS__PROVIDER");
    let output = run(command, "").await;
    let shown = output.expect_code(0);
    assert!(shown.contains("Docker build fails with"), "{shown}");
    output
}
