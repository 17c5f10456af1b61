//! The server's settings: their sources, which one takes precedence, and what is refused at the start.

use recall_kit_tests::{Home, Launch, Server, run, server_command};
use serde_json::json;
use tokio::net::TcpListener;

#[tokio::test]
async fn flags_override_the_environment_which_overrides_the_file() {
    let home = Home::new();
    let config = home.write(
        "server.toml",
        "[query]\ntimeout_ms = 5000\n[limits]\nbody_bytes = 70\n",
    );
    let config = config.to_string_lossy();
    let server = Launch::new(&home)
        .args(&["--config", &config])
        .env("RECALL_KIT_LIMITS__BODY_BYTES", 200)
        .env("RECALL_KIT_PORT", 1)
        .start()
        .await;
    assert_ne!(server.port(), 1, "the flag wins over the environment");
    let call = |size: usize| json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y".repeat(size)}});
    let small = server.wire.post("/mcp", call(100).to_string()).await;
    assert_eq!(small.status, 200, "the environment wins over the file");
    let large = server.wire.post("/mcp", call(200).to_string()).await;
    assert_eq!(large.status, 413, "the environment wins over the default");
}

#[tokio::test]
async fn other_names_of_the_http_transport_work() {
    let home = Home::new();
    for transport in ["sse", "http-stream"] {
        let launch = Launch::new(&home).args(&["--transport", transport]);
        launch.start().await.stop().await;
    }
}

#[tokio::test]
async fn invalid_settings_are_refused_with_a_message() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    home.write("typo.toml", "[query]\ntimeout = 5\n");
    for (args, code, words) in [
        (vec!["--port", port.as_str()], 1, vec![port.as_str()]),
        (
            vec!["--port", "0", "--host", "0.0.0.0"],
            1,
            vec!["--access anonymous", "keys create"],
        ),
        (
            vec!["--config", "typo.toml"],
            1,
            vec!["query.timeout", "query.timeout_ms"],
        ),
        (vec!["--config", "missing.toml"], 1, vec!["missing.toml"]),
        (vec!["--database", "mysql://x/y"], 1, vec!["sqlite:"]),
        (vec!["--port", "many"], 2, vec!["--port"]),
        (vec!["--transprot", "http"], 2, vec!["--transport"]),
    ] {
        let output = run(server_command(&home, &args), "").await;
        output.expect_code(code);
        assert!(output.stderr.contains("error: "), "{}", output.stderr);
        for word in words {
            assert!(output.stderr.contains(word), "{args:?}: {}", output.stderr);
        }
    }
    let mut command = server_command(&home, &["--port", "0"]);
    command.env("RECALL_KIT_QUERY__TIMOUT_MS", "5");
    let output = run(command, "").await;
    output.expect_code(1);
    assert!(
        output.stderr.contains("query.timeout_ms"),
        "{}",
        output.stderr
    );
}

#[tokio::test]
async fn a_database_in_another_folder_is_created_and_used() {
    let home = Home::new();
    let path = home.path().join("elsewhere/deep/own.db");
    let url = format!("sqlite:{}", path.display());
    let server = Launch::new(&home).args(&["--database", &url]).start().await;
    server.wire.query("anything").await;
    server.stop().await;
    assert!(path.exists());
    assert!(!home.database().exists());
    Server::start(&home).await;
    assert!(home.database().exists());
}
