//! The versions that go with queries, reports and submissions: shown by `environment` and in previews, sent by `query`,
//! hooks and `submit`, and nothing private.

use recall_kit_tests::{
    Home, Keystroke, Output, Recorder, Server, StdioPeer,
    answers::{CONFIRM, EDIT},
    client, experience, on_terminal, run,
};
use serde_json::{Value, json};

use crate::agents::served::greet;

const KEY: &str = "io.recallkit/environment";
const APPLIES: &str = "io.recallkit/applies";
const UNCOUNTED: &str = "io.recallkit/uncounted";
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

/// Runs `submit` in the project's folder with a problem that names public and private packages.
fn submission(home: &Home, url: &str, args: &[&str]) -> tokio::process::Command {
    let problem = format!(
        "With vite before 5, react is not drawn again. {PRIVATE}-ledger@2.0.0 and @{PRIVATE}/ui@1.0.0 are there, too."
    );
    let draft = [
        "--server",
        url,
        "submit",
        "--title",
        "Nothing is drawn",
        "--problem",
        &problem,
        "--solution",
        "Upgrade it",
    ];
    let mut command = client(home, &[&draft, args].concat());
    command.current_dir(home.path().join("work/shop"));
    command
}

/// Returns where the records that were sent are said to apply, in the order in which they were sent.
fn stated(wire: &Recorder) -> Vec<Value> {
    let sent = wire.sent();
    // `_meta` stands before the name of the tool.
    let mut calls: Vec<&str> = sent.split("\"submit_experience\"").collect();
    calls.pop();
    let stated = calls.into_iter().map(|call| {
        let list = call.rsplit_once(APPLIES).map_or("", |(_, list)| list);
        let list = list.trim_start_matches("\":");
        let end = list.find(']').map_or(0, |end| end + 1);
        serde_json::from_str(&list[..end]).unwrap_or_default()
    });
    stated.collect()
}

#[tokio::test]
async fn a_person_sees_and_changes_the_versions_before_the_yes() {
    let home = project();
    let server = Server::start(&home).await;
    let wire = Recorder::start(server.port(), true).await;
    // The editor writes an empty range first, then another one, and adds a line.
    let script = "#!/bin/sh\n\
        if grep -q 'react 19' \"$1\"; then sed -i 's/react 19/react >2 <1/' \"$1\"\n\
        else sed -i 's/react >2 <1/react <20/; s/^npm vite <5$/node 20/' \"$1\"; fi\n";
    let editor = home.write("editor.sh", script);
    let mut command = submission(&home, &wire.url(), &[]);
    command.env("EDITOR", format!("sh {}", editor.display()));
    let step = |after, keys| Keystroke { after, keys };
    let steps = [
        step("Esc cancels", EDIT),
        step("Edit again", "\r"),
        step("Esc cancels", CONFIRM),
    ];
    let output: Output = on_terminal(&home, &command, &steps).await;
    let shown = output.expect_code(0);
    for part in [
        "Applies to: npm vite <5; npm react 19",
        "`npm react >2 <1` cannot be read: no version is in the range `>2 <1`",
        "Applies to: node 20; npm react <20",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let expected = json!([
        {"runtime": "node", "range": "vers:generic/>=20|<21", "source": "stated"},
        {"purl": "pkg:npm/react", "range": "vers:npm/<20", "source": "stated"},
    ]);
    assert_eq!(stated(&wire), [expected], "{}", wire.sent());
    // It left once, with the record.
    assert_eq!(wire.sent().matches(APPLIES).count(), 1, "{}", wire.sent());
}

#[tokio::test]
async fn without_asking_only_what_an_option_states_is_sent() {
    let home = project();
    let server = Server::start(&home).await;
    let wire = Recorder::start(server.port(), true).await;
    for (number, lines) in [None, Some("npm react >=18 <20; windows"), Some("none")]
        .into_iter()
        .enumerate()
    {
        let keyword = format!("number{number}");
        let mut args = vec!["--yes", "--keywords", &keyword];
        args.extend(lines.into_iter().flat_map(|lines| ["--applies-to", lines]));
        let output = run(submission(&home, &wire.url(), &args), "").await;
        output.expect_code(0);
    }
    let of_option = json!([
        {"purl": "pkg:npm/react", "range": "vers:npm/>=18|<20", "source": "stated"},
        {"os": "windows", "source": "stated"},
    ]);
    assert_eq!(stated(&wire), [Value::Null, of_option, json!([])]);
    for (lines, reason) in [
        ("npm react >2 <1", "no version is in the range `>2 <1`"),
        ("foo bar 1", "`foo` is not a known ecosystem"),
    ] {
        let args = ["--yes", "--applies-to", lines];
        let output = run(submission(&home, &wire.url(), &args), "").await;
        output.expect_code(2);
        assert!(output.stderr.contains(reason), "{output:?}");
    }
    assert_eq!(stated(&wire).len(), 3, "{}", wire.sent());
    // A dry run shows what a person would be asked about; without lock files it is what the texts say.
    for (mode, more) in [("relevant", true), ("off", false)] {
        home.configure_client(json!({"environment": mode}).to_string());
        let mut command = submission(&home, &wire.url(), &["--dry-run"]);
        command.arg("--json");
        let output = run(command, "").await;
        let call: Value = serde_json::from_str(output.expect_code(0)).unwrap();
        let applies = call["_meta"][APPLIES].to_string();
        assert!(applies.contains("vers:npm/<5"), "{mode}: {applies}");
        assert_eq!(applies.contains("pkg:npm/react"), more, "{mode}: {applies}");
        assert!(!applies.contains(PRIVATE), "{mode}: {applies}");
    }
}

/// Returns the environments that were sent after a mark, each as text.
fn environments(wire: &Recorder, from: usize) -> Vec<String> {
    let sent = wire.sent();
    let sent = sent.get(from..).unwrap_or_default();
    let values = sent.split(KEY).skip(1);
    values
        .map(|rest| rest.split("}]").next().unwrap_or_default().to_owned())
        .collect()
}

/// Returns how often a record was opened or listed.
async fn access_count(server: &Server, id: &str) -> u64 {
    let params =
        json!({"name": "rekall_show", "arguments": {"id": id}, "_meta": {UNCOUNTED: true}});
    let answer = server.wire.rpc("tools/call", params).await;
    let count = answer["result"]["structuredContent"]["access_count"].as_u64();
    count.unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test]
async fn outcomes_by_hand_and_calls_that_are_passed_through_send_it_unless_it_is_off() {
    for (mode, is_sent) in [("relevant", true), ("off", false)] {
        let home = project();
        let server = Server::start(&home).await;
        // What the record mentions matters: the public package of both, and nothing private.
        let mut record = experience("react draws the list twice");
        record["solution"] = json!(format!("Give each a key; {PRIVATE}-ledger needs nothing"));
        let id = server.wire.submit(record).await;
        let wire = Recorder::start(server.port(), true).await;
        home.configure_client(json!({"environment": mode}).to_string());
        let url = wire.url();
        let check = |from: usize, what: &str| {
            let sent = environments(&wire, from);
            assert_eq!(sent.len(), usize::from(is_sent), "{mode} {what}: {sent:?}");
            for environment in &sent {
                assert!(
                    environment.contains("pkg:npm/react"),
                    "{what}: {environment}"
                );
                assert!(!environment.contains(PRIVATE), "{what}: {environment}");
                assert!(!environment.contains("vite"), "{what}: {environment}");
            }
        };
        let outcome = ["--server", &url, "outcome", &id, "worked"];
        in_project(&home, &outcome, "").await;
        check(0, "outcome");
        assert_eq!(access_count(&server, &id).await, 0, "nobody opened it");

        let mut command = client(&home, &["--server", &url, "mcp", "--profile", "full"]);
        command.current_dir(home.path().join("work/shop"));
        let mut agent = StdioPeer::of(command);
        greet(&mut agent, json!({})).await;
        let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
        let from = wire.sent().len();
        let recall = call("recall", json!({"query": "react draws a list twice"}));
        let answer = agent.request("tools/call", recall).await;
        check(from, "recall");
        let listed = access_count(&server, &id).await;
        assert_eq!(
            answer["result"]["structuredContent"]["results"][0]["family"], "experience",
            "{answer}"
        );
        let from = wire.sent().len();
        let report = call(
            "report_outcome",
            json!({"experience_id": id, "outcome": "worked"}),
        );
        let answer = agent.request("tools/call", report).await;
        assert_eq!(
            answer["result"]["structuredContent"]["success"], true,
            "{answer}"
        );
        check(from, "report_outcome");
        assert_eq!(access_count(&server, &id).await, listed, "{mode}");
        server.wire.call("rekall_show", json!({"id": id})).await;
        assert_eq!(access_count(&server, &id).await, listed + 1, "{mode}");
    }
}

#[tokio::test]
async fn recall_says_how_an_experience_fits() {
    let home = project();
    let server = Server::start(&home).await;
    let mut record = experience("the list is drawn twice");
    record["context"] = json!("react 18.2.0");
    server.wire.submit(record).await;
    let url = format!("{}/mcp", server.wire.base());
    let mut command = client(&home, &["--server", &url, "mcp"]);
    command.current_dir(home.path().join("work/shop"));
    let mut agent = StdioPeer::of(command);
    greet(&mut agent, json!({})).await;
    let question = "react: the list is drawn twice";
    let recall = json!({"name": "recall", "arguments": {"query": question}});
    let answer = agent.request("tools/call", recall).await["result"].clone();
    let fits = "stated for react 18.2.0; you have 19.0.0";
    assert_eq!(
        answer["structuredContent"]["results"][0]["fits"], fits,
        "{answer}"
    );
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(fits), "{text}");
    let at_terminal = in_project(&home, &["--server", &url, "recall", question], "").await;
    assert!(at_terminal.contains(fits), "{at_terminal}");
}
