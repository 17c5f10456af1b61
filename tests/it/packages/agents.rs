//! `init` of an installed package: what it writes into the settings of six agents starts that package.

use std::{fs, path::Path};

use recall_kit_tests::{Home, package, packages, python, run_in, virtual_environment};
use serde_json::Value;

use super::{npm, wheel};

/// An agent, its settings, and the field of its servers.
const AGENTS: [(&str, &str, &str); 6] = [
    ("claude-code", ".claude.json", "mcpServers"),
    ("cursor", ".cursor/mcp.json", "mcpServers"),
    ("vscode", ".config/Code/User/mcp.json", "servers"),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "mcpServers",
    ),
    ("codex", ".codex/config.toml", "mcp_servers"),
    ("gemini", ".gemini/settings.json", "mcpServers"),
];

/// Returns the command with its arguments that an agent's settings name.
fn entry(home: &Home, file: &str, servers: &str) -> Vec<String> {
    let text = fs::read_to_string(home.path().join(file)).unwrap();
    let settings: Value = match file.ends_with(".toml") {
        true => toml::from_str(&text).unwrap(),
        false => serde_json::from_str(&text).unwrap(),
    };
    let entry = &settings[servers]["recall-kit"];
    let args = entry["args"].as_array().unwrap().iter();
    let words = std::iter::once(&entry["command"]).chain(args);
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

/// Sets up six agents with an installed client, and starts what each of them was told. The program has to be the one at
/// `installed`.
async fn check_agents(home: &Home, client: &Path, installed: &Path) {
    // Beside other tests, the start of a server may take longer than a user would wait.
    home.configure_client(r#"{"server": {"timeout": 60000}}"#);
    let agents = AGENTS.map(|(agent, ..)| ["--agent", agent]).concat();
    let args = [&["init", "--yes", "--json"], &agents[..]].concat();
    let output = run_in(home, client, &args).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    // `doctor` found nothing wrong, and the written command answered.
    assert_eq!(
        answer["check"]["first_calls"][0]["tool"], "recall",
        "{answer}"
    );
    for (agent, file, servers) in AGENTS {
        let words = entry(home, file, servers);
        let program = fs::canonicalize(&words[0]).unwrap();
        assert_eq!(
            program,
            fs::canonicalize(installed).unwrap(),
            "{agent}: {words:?}"
        );
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let host = python(home, "mcp_host.py", &words).await;
        let seen: Value = serde_json::from_str(host.expect_code(0)).unwrap();
        assert_eq!(
            seen["found"]["results"],
            serde_json::json!([]),
            "{agent}: {seen}"
        );
    }
    let removed = [&["init", "--remove", "--yes"], &agents[..]].concat();
    run_in(home, client, &removed).await.expect_code(0);
    for (agent, file, _) in AGENTS {
        assert!(!home.path().join(file).exists(), "{agent}");
    }
}

#[tokio::test]
async fn six_agents_start_the_program_that_npm_installed() {
    let home = Home::new();
    npm::install(&home, &npm::archives().await, &[]).await;
    let modules = home.path().join("node_modules");
    let scope = fs::read_dir(modules.join("@recall-kit")).unwrap();
    let folders = scope.map(|entry| entry.unwrap().path().join("bin/recall-kit-client"));
    let programs: Vec<_> = folders.filter(|path| path.is_file()).collect();
    let [installed] = programs.as_slice() else {
        panic!("{programs:?}")
    };
    check_agents(&home, &modules.join(".bin/recall-kit-client"), installed).await;
}

#[tokio::test]
async fn six_agents_start_the_program_that_pip_installed() {
    let home = Home::new();
    let archive = package(&packages().await, "recall_kit-", ".whl");
    let scripts = virtual_environment(&home).await;
    wheel::install(&home, &scripts, &archive).await;
    let installed = scripts.join("recall-kit-client");
    check_agents(&home, &scripts.join("recall-kit"), &installed).await;
}
