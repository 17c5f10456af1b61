//! The client's other commands: `init`, `doctor`, `completions`, `demo`, and its configuration.

use recall_kit_tests::{Home, Server, client, run};
use serde_json::Value;

const CONFIG: &str = "recall-kit-client.config.json";

#[tokio::test]
async fn init_writes_a_configuration_that_works_and_overwrites_none() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    let output = run(client(&home, &["init", "--yes", "--server", &url]), "").await;
    output.expect_code(0);
    let written = std::fs::read_to_string(home.path().join(CONFIG)).unwrap();
    let config: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(config["server"]["url"], url.as_str());

    run(client(&home, &["query", "anything"]), "")
        .await
        .expect_code(0);
    assert_eq!(server.wire.query("anything").await["total"], 0);

    let again = run(client(&home, &["init", "--yes"]), "").await;
    again.expect_code(1);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    run(client(&home, &["init", "--yes", "--force"]), "")
        .await
        .expect_code(0);
    let rewritten = std::fs::read_to_string(home.path().join(CONFIG)).unwrap();
    assert_ne!(rewritten, written);
}

#[tokio::test]
async fn the_protocols_configuration_is_accepted() {
    let home = Home::new();
    home.write(CONFIG, include_str!("../data/client_config.json"));
    let snippet = "const apiKey = load();\n";
    let output = run(client(&home, &["query", "anything"]), "").await;
    output.expect_code(0);
    let output = run(client(&home, &["sanitize"]), snippet).await;
    // `sanitize` takes its rules from --rules, not from the configuration of submissions.
    assert_eq!(output.expect_code(0), snippet);
}

#[tokio::test]
async fn a_wrong_configuration_is_named() {
    for (content, word) in [
        ("{\"server\": {\"timeot\": 5}}", "timeout"),
        ("{\"server\": {\"timeout\": \"soon\"}}", "timeout"),
        ("{", CONFIG),
        ("[]", CONFIG),
    ] {
        let home = Home::new();
        home.write(CONFIG, content);
        let output = run(client(&home, &["query", "anything"]), "").await;
        output.expect_code(1);
        let said = &output.stderr;
        assert!(
            said.contains("error: ") && said.contains(word),
            "{content}: {said}"
        );
    }
}

#[tokio::test]
async fn doctor_says_what_works_and_what_does_not() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    let output = run(client(&home, &["--server", &url, "doctor"]), "").await;
    let said = output.expect_code(0);
    assert!(said.contains(server.wire.base()), "{said}");
    server.stop().await;
    let output = run(client(&home, &["--server", &url, "doctor"]), "").await;
    output.expect_code(1);
    let said = format!("{}{}", output.stdout, output.stderr);
    assert!(said.contains(&url), "{said}");
}

#[tokio::test]
async fn completions_are_scripts_of_the_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(client(&home, &["completions", shell]), "").await;
        let script = output.expect_code(0);
        assert!(script.contains("recall-kit-client"), "{shell}");
        assert!(script.contains("sanitize"), "{shell}");
    }
    run(client(&home, &["completions", "cmd"]), "")
        .await
        .expect_code(2);
}

#[tokio::test]
async fn the_demo_runs_by_itself_and_leaves_nothing_behind() {
    let home = Home::new();
    let mut command = client(&home, &["demo"]);
    command
        .env_remove("RECALL_KIT_EMBEDDINGS__PROVIDER")
        .env("LC_ALL", "fr_FR.UTF-8");
    let output = run(command, "").await;
    let shown = output.expect_code(0);
    assert!(!home.database().exists());
    let chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    assert!(shown.contains(chinese), "{shown}");
    assert!(shown.contains("expériences nettoyées"), "{shown}");
    assert!(!output.stderr.contains("error"), "{}", output.stderr);
}
