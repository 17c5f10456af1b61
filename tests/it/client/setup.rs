//! The client's other commands: `init`, `doctor`, `completions`, `demo`, and its configuration.

use recall_kit_tests::{Home, Server, client, run};
use serde_json::Value;

const CONFIG: &str = "recall-kit-client.config.json";

#[tokio::test]
async fn init_writes_a_working_configuration_and_overwrites_none() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    let output = run(client(&home, &["init", "--yes", "--server", &url]), "").await;
    output.expect_code(0);
    let written = std::fs::read_to_string(home.path().join(CONFIG)).unwrap();
    let config: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(config["server"]["url"], url.as_str());
    assert!(config.get("ai").is_none(), "no key came with it: {written}");

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
async fn the_documented_configuration_is_accepted() {
    let home = Home::new();
    home.write(CONFIG, include_str!("../../data/client_config.json"));
    let snippet = "const apiKey = load();\n";
    run(client(&home, &["trust"]), "").await.expect_code(0);
    let output = run(client(&home, &["query", "anything"]), "").await;
    output.expect_code(0);
    let sanitize = async |args: &[&str]| {
        let output = run(client(&home, &[&["sanitize"], args].concat()), snippet).await;
        output.expect_code(0).to_owned()
    };
    // The rules of the configuration apply unless `--rules` names others.
    assert_eq!(sanitize(&[]).await, snippet.replace("apiKey", "var_001"));
    assert_eq!(sanitize(&["--rules", "remove_urls"]).await, snippet);
    home.write(CONFIG, "{}");
    run(client(&home, &["trust"]), "").await.expect_code(0);
    assert_eq!(sanitize(&[]).await, snippet);
}

#[tokio::test]
async fn an_error_in_the_configuration_is_located() {
    for (content, word) in [
        ("{\"server\": {\"timeot\": 5}}", "timeout"),
        ("{\"server\": {\"timeout\": \"soon\"}}", "timeout"),
        ("{", CONFIG),
        ("[]", CONFIG),
    ] {
        let home = Home::new();
        home.write(CONFIG, content);
        let output = run(
            client(&home, &["--config", CONFIG, "query", "anything"]),
            "",
        )
        .await;
        output.expect_code(1);
        let stderr = &output.stderr;
        assert!(
            stderr.contains("error: ") && stderr.contains(word),
            "{content}: {stderr}"
        );
    }
}

#[tokio::test]
async fn doctor_reports_a_reachable_and_an_unreachable_server() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    let output = run(client(&home, &["--server", &url, "doctor"]), "").await;
    let output_text = output.expect_code(0);
    assert!(output_text.contains(server.wire.base()), "{output_text}");
    server.stop().await;
    let output = run(client(&home, &["--server", &url, "doctor"]), "").await;
    output.expect_code(1);
    let output_text = format!("{}{}", output.stdout, output.stderr);
    assert!(output_text.contains(&url), "{output_text}");
}

#[tokio::test]
async fn doctor_checks_no_server_if_the_configuration_is_unreadable() {
    let home = Home::new();
    let server = Server::start(&home).await;
    home.configure_client("{");
    let output = run(client(&home, &["doctor"]), "").await;
    let report = output.expect_code(1);
    assert!(report.contains("is not JSON"), "{report}");
    assert!(report.contains("not checked"), "{report}");
    let works: Vec<_> = report
        .lines()
        .filter(|line| line.starts_with("ok"))
        .collect();
    assert!(
        works.iter().all(|line| line.contains("error log")),
        "{report}"
    );
    // A server that is named on the command line is checked nevertheless.
    let url = format!("{}/mcp", server.wire.base());
    let output = run(client(&home, &["--server", &url, "--json", "doctor"]), "").await;
    let report: Value = serde_json::from_str(output.expect_code(1)).unwrap();
    let status = |name: &str| {
        let checks = report["checks"].as_array().unwrap().iter();
        let mut named = checks.filter(|check| check["name"] == name);
        named.next().map(|check| check["status"].as_str().unwrap())
    };
    assert_eq!(status("configuration"), Some("fail"));
    assert_eq!(status("tools"), Some("ok"), "{report}");
    assert_eq!(status("sanitizer"), Some("skip"));
}

#[tokio::test]
async fn an_invalid_server_url_is_quoted_but_a_key_is_masked() {
    let home = Home::new();
    let key = ["gh", "p_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].concat();
    for (typed, named) in [("foo", "`foo`"), (key.as_str(), "`***`")] {
        let output = run(client(&home, &["--server", typed, "query", "x"]), "").await;
        output.expect_code(1);
        assert!(output.stderr.contains(named), "{}", output.stderr);
        assert!(output.stderr.contains("mcp://host"), "{}", output.stderr);
    }
}

#[tokio::test]
async fn completion_scripts_are_printed_for_each_shell() {
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
async fn the_demo_needs_no_setup_and_leaves_nothing_behind() {
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
