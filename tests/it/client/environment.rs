//! The versions that go with queries and reports: shown by `environment`, sent by `query` and hooks, and nothing private.

use recall_kit_tests::{Home, Recorder, Server, client, run};
use serde_json::{Value, json};

const KEY: &str = "io.recallkit/environment";
/// Stands in every private name.
const PRIVATE: &str = "quasar";

/// Writes a project of public and private packages below the home, and returns a home with it.
fn project() -> Home {
    let home = Home::new();
    let lock = json!({"name": format!("{PRIVATE}-shop"), "lockfileVersion": 3, "packages": {
        "": {"dependencies": {"react": "^19.0.0"}},
        "packages/ui": {"name": format!("@{PRIVATE}/ui"), "version": "1.0.0"},
        "node_modules/react": {"version": "19.0.0", "resolved": "https://registry.npmjs.org/react/-/react-19.0.0.tgz"},
        "node_modules/vite": {"version": "6.0.0", "resolved": "https://registry.npmjs.org/vite/-/vite-6.0.0.tgz"},
        format!("node_modules/{PRIVATE}-ledger"): {"version": "2.0.0", "resolved": "https://npm.acme.test/l.tgz"},
    }});
    home.write("work/shop/package-lock.json", lock.to_string());
    home.write("work/shop/.nvmrc", "20.11.0\n");
    home.write("work/shop/.git/HEAD", "");
    home
}

/// Runs the client in the project's folder, and returns what it writes.
async fn in_project(home: &Home, args: &[&str], input: &str) -> String {
    let mut command = client(home, args);
    command.current_dir(home.path().join("work/shop"));
    run(command, input).await.expect_code(0).to_owned()
}

fn text() -> String {
    format!("npm test: react fails with {PRIVATE}-ledger@2.0.0 and @{PRIVATE}/ui")
}

#[tokio::test]
async fn the_command_shows_what_would_be_sent_and_what_stays() {
    let home = project();
    let shown = |args: &'static [&'static str]| {
        let home = &home;
        async move {
            let args = [&["--json", "environment"], args].concat();
            let output = in_project(home, &args, &text()).await;
            serde_json::from_str::<Value>(&output).unwrap()
        }
    };
    let found = shown(&["--for", "-"]).await;
    let environment = &found["environment"];
    let expected = json!([{"purl": "pkg:npm/react", "version": "19.0.0"}]);
    assert_eq!(environment["packages"], expected, "{found}");
    let node = json!([{"name": "node", "version": "20.11.0"}]);
    assert_eq!(environment["runtimes"], node, "{found}");
    assert!(environment["os"].is_string(), "{found}");
    let held = json!({"other_registry": 1, "local": 2, "not_mentioned": 1});
    assert_eq!(found["held"], held, "{found}");
    assert!(!found.to_string().contains(PRIVATE), "{found}");
    let all = shown(&["--for", "-", "--all"]).await;
    assert_eq!(all["private"].as_array().unwrap().len(), 3, "{all}");
    // Without a text nothing would be sent.
    let unasked = shown(&[]).await;
    assert_eq!(unasked["environment"], json!({}), "{unasked}");
    assert_eq!(unasked["public"], 2, "{unasked}");
    let lines = in_project(&home, &["environment", "--for", "react"], "").await;
    assert!(lines.contains("pkg:npm/react 19.0.0"), "{lines}");
    // A broken file is named, and nothing beside it is public.
    home.write("work/shop/yarn.lock", "<");
    let broken = shown(&["--for", "-"]).await;
    assert_eq!(broken["environment"].get("packages"), None, "{broken}");
    assert!(
        broken["notes"].to_string().contains("yarn.lock"),
        "{broken}"
    );
}

#[tokio::test]
async fn queries_and_hooks_send_it_unless_it_is_off() {
    for (mode, is_sent) in [("relevant", true), ("off", false)] {
        let home = project();
        let server = Server::start(&home).await;
        let wire = Recorder::start(server.port(), true).await;
        home.configure_client(json!({"environment": mode}).to_string());
        let question = text();
        let url = wire.url();
        in_project(&home, &["--server", &url, "query", &question], "").await;
        let sent = wire.sent();
        assert_eq!(sent.contains(KEY), is_sent, "{mode}: {sent}");
        assert_eq!(sent.contains("pkg:npm/react"), is_sent, "{mode}: {sent}");
        let failed = json!({
            "hook_event_name": "PostToolUseFailure", "session_id": "s", "tool_name": "Bash", "tool_use_id": "1",
            "cwd": home.path().join("work/shop"), "tool_input": {"command": "npx vite build"},
            "error": "Exit code 1\nerror: vite cannot resolve node_modules/react/index.js",
        });
        let before = sent.len();
        in_project(
            &home,
            &["--server", &url, "hook", "auto"],
            &failed.to_string(),
        )
        .await;
        let sent = wire.sent();
        let by_hook = sent.get(before..).unwrap_or_default();
        assert!(by_hook.contains("query_experiences"), "{mode}: {by_hook}");
        assert_eq!(
            by_hook.contains("pkg:npm/vite"),
            is_sent,
            "{mode}: {by_hook}"
        );
        // The question itself names a private package; the environment does not.
        let environments = sent.split(KEY).skip(1);
        let environments = environments.map(|rest| rest.split("}]").next().unwrap_or_default());
        for environment in environments {
            assert!(!environment.contains(PRIVATE), "{environment}");
        }
    }
}
