//! The questions of `recall-kit-client init` at a terminal, by where the memory is: on this machine, on the team's
//! server, or where the settings that are there already say.

use std::{fs, path::Path};

use recall_kit_tests::{Home, Keystroke, Output, Server, client, experience, on_terminal};
use serde_json::Value;

const CONFIG: &str = "recall-kit-client.config.json";
const DOWN: &str = "\u{1b}[B\r";

/// Answers the questions of `init`.
async fn init(home: &Home, steps: &[(&'static str, &'static str)]) -> Output {
    let steps = steps.iter();
    let steps: Vec<Keystroke> = steps
        .map(|(after, keys)| Keystroke { after, keys })
        .collect();
    on_terminal(home, &client(home, &["init"]), &steps).await
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the arguments of Codex's entry.
fn codex_args(home: &Home) -> Vec<String> {
    let text = read(&home.path().join(".codex/config.toml"));
    let settings: Value = toml::from_str(&text).unwrap();
    let args = settings["mcp_servers"]["recall-kit"]["args"].as_array();
    let args = args.unwrap().iter().map(|arg| arg.as_str().unwrap());
    args.map(str::to_owned).collect()
}

#[tokio::test]
async fn this_machine_needs_no_address_and_the_agent_gets_an_answer() {
    let home = Home::new();
    home.write(".codex/AGENTS.md", "");
    let output = init(
        &home,
        &[
            ("for all my projects", DOWN),
            // The cursor starts on this machine.
            ("Where is the memory?", "\r"),
            ("var_001", "\r"),
            ("without asking", "\r"),
            ("Codex", "\r"),
            ("Write this?", "\r"),
        ],
    )
    .await;
    let shown = output.expect_code(0);
    let written = home.path().join(".config/recall-kit").join(CONFIG);
    let config: Value = serde_json::from_str(&read(&written)).unwrap();
    assert_eq!(config["server"]["url"], "mcp://recall-kit-server");
    assert_eq!(
        (&config["autoSubmit"], &config["promptOnSubmit"]),
        (&false.into(), &true.into())
    );
    assert!(!shown.contains("Your key"), "{shown}");
    assert!(shown.contains("first call as in"), "{shown}");
    assert!(shown.contains("the memory is empty"), "{shown}");
    assert_eq!(codex_args(&home), ["mcp"]);
    assert!(!home.path().join(CONFIG).exists());
}

#[tokio::test]
async fn the_teams_server_is_asked_who_it_is_and_what_it_knows_is_shown() {
    let home = Home::new();
    home.write(".codex/AGENTS.md", "");
    let server = Server::start(&home).await;
    server
        .wire
        .submit(experience("How RecallKit works for agents"))
        .await;
    let url: &'static str = format!("{}/mcp\r", server.wire.base()).leak();
    let output = init(
        &home,
        &[
            ("for all my projects", DOWN),
            ("my team's server", DOWN),
            ("such as", url),
            // Takes the first group of rules away, and lets submissions be sent without a question.
            ("var_001", " \r"),
            ("without asking", DOWN),
            ("Codex", "\r"),
            ("Write this?", "\r"),
        ],
    )
    .await;
    let shown = output.expect_code(0);
    assert!(shown.contains("/mcp answers: recall-kit-server"), "{shown}");
    assert!(
        shown.contains("1 found, first: How RecallKit works"),
        "{shown}"
    );
    let written = home.path().join(".config/recall-kit").join(CONFIG);
    let config: Value = serde_json::from_str(&read(&written)).unwrap();
    assert_eq!(config["server"]["url"], url.trim());
    assert_eq!(
        (&config["autoSubmit"], &config["promptOnSubmit"]),
        (&true.into(), &false.into())
    );
    let rules = config["sanitizer"]["rules"].as_array().unwrap();
    assert!(
        !rules.is_empty() && !rules.contains(&"remove_api_keys".into()),
        "{rules:?}"
    );
    // The agent reads the address from the settings.
    assert_eq!(codex_args(&home), ["mcp"]);
}

#[tokio::test]
async fn settings_that_are_kept_stay_as_they_are_and_the_agents_are_set_up() {
    let home = Home::new();
    home.write(".codex/AGENTS.md", "");
    let server = Server::start(&home).await;
    server
        .wire
        .submit(experience("How RecallKit works for agents"))
        .await;
    // Written by hand: in another order, and with settings that `init` does not ask for.
    let url = format!("{}/mcp", server.wire.base());
    let mine = format!(
        "{{\n\n  \"promptOnSubmit\": true,\n  \"server\": {{\"timeout\": 60000, \"url\": \"{url}\"}} }}"
    );
    let config = home.configure_client(&mine);
    let output = init(
        &home,
        &[
            ("for all my projects", DOWN),
            ("already exists", "\r"),
            ("Codex", "\r"),
            ("Write this?", "\r"),
        ],
    )
    .await;
    let shown = output.expect_code(0);
    assert!(shown.contains("kept "), "{shown}");
    assert!(!shown.contains("Where is the memory?"), "{shown}");
    assert_eq!(read(&config), mine);
    assert_eq!(codex_args(&home), ["mcp"]);
    assert!(
        shown.contains("1 found, first: How RecallKit works"),
        "{shown}"
    );

    // Overwriting asks everything, and the user may still leave: then nothing has changed.
    let output = init(
        &home,
        &[
            ("for all my projects", DOWN),
            ("already exists", DOWN),
            ("Where is the memory?", "\u{1b}"),
        ],
    )
    .await;
    let shown = output.expect_code(130);
    assert!(shown.contains("nothing was written"), "{shown}");
    assert_eq!(read(&config), mine);
    let output = init(
        &home,
        &[
            ("for all my projects", DOWN),
            ("already exists", DOWN),
            ("Where is the memory?", "\r"),
            ("var_001", "\r"),
            ("without asking", "\r"),
            // No agent this time.
            ("Codex", " \r"),
        ],
    )
    .await;
    let shown = output.expect_code(0);
    assert!(shown.contains("no agent was set up"), "{shown}");
    assert!(read(&config).contains("mcp://recall-kit-server"));
}
