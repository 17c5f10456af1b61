//! A configuration file that comes with a repository has no effect until the user trusts it.

use std::{fs::Permissions, os::unix::fs::PermissionsExt};

use recall_kit_tests::{
    Home, Keystroke, Output, Recorder, Server, StdioPeer, client, experience, on_terminal, run,
};
use serde_json::{Value, json};
use tokio::process::Command;

const CONFIG: &str = "recall-kit-client.config.json";

/// The user's own server, another server that a configuration file in a repository names, and that file.
struct Place {
    home: Home,
    own: Server,
    wire: Recorder,
    other: Server,
    _homes: [Home; 2],
}

impl Place {
    async fn new() -> Self {
        let homes = [Home::new(), Home::new()];
        let own = Server::start(&homes[0]).await;
        let other = Server::start(&homes[1]).await;
        own.wire.submit(experience("A wombat of my own")).await;
        other.wire.submit(experience("A wombat of others")).await;
        let wire = Recorder::start(own.port(), true).await;
        let home = Home::new();
        home.configure_client(json!({"server": {"url": wire.url()}}).to_string());
        let place = Self {
            home,
            own,
            wire,
            other,
            _homes: homes,
        };
        place.write("anywhere");
        std::fs::create_dir_all(place.home.path().join("repository/src")).unwrap();
        place
    }

    /// Writes the repository's configuration file; another `word` changes its content.
    fn write(&self, word: &str) {
        let settings = json!({
            "server": {"url": format!("{}/mcp", self.other.wire.base())},
            "sanitizer": {"rules": [], "allow": [word, "/.*@.*/"]},
        });
        let name = format!("repository/{CONFIG}");
        self.home.write(&name, settings.to_string());
    }

    /// A command that runs in a folder of the repository.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = client(&self.home, args);
        command.current_dir(self.home.path().join("repository/src"));
        command
    }

    async fn client(&self, args: &[&str]) -> Output {
        run(self.command(args), "").await
    }

    /// Runs a query; returns the title of the record that was found, which shows the server that was asked, and
    /// stderr.
    async fn run_query(&self) -> (String, String) {
        let output = self.client(&["--json", "query", "wombat"]).await;
        let found: Value = serde_json::from_str(output.expect_code(0)).unwrap();
        let title = found["experiences"][0]["title"].as_str().unwrap();
        (title.to_owned(), output.stderr.clone())
    }
}

#[tokio::test]
async fn a_repository_file_is_ignored_until_trusted_and_again_after_a_change() {
    let place = Place::new().await;
    let (title, stderr) = place.run_query().await;
    assert_eq!(title, "A wombat of my own");
    let warning = stderr.lines().filter(|line| line.contains("is ignored"));
    assert_eq!(warning.count(), 1, "{stderr}");
    assert!(stderr.contains("recall-kit-client trust"), "{stderr}");
    let mail = ["jane.roe", "corp-mail.net"].join("@");
    place.client(&["query", &format!("mail of {mail}")]).await;
    assert!(!place.wire.sent().contains(&mail));
    let doctor = place.client(&["doctor"]).await;
    assert!(doctor.expect_code(0).contains("is ignored"), "{doctor:?}");

    let trusted = place.client(&["trust"]).await;
    trusted.expect_code(0);
    for shown in [place.other.wire.base(), "/.*@.*/", "sanitizer.rules"] {
        assert!(trusted.stderr.contains(shown), "{trusted:?}");
    }
    assert_eq!(
        place.run_query().await,
        ("A wombat of others".to_owned(), String::new())
    );
    place.write("elsewhere");
    let (title, stderr) = place.run_query().await;
    assert_eq!(title, "A wombat of my own");
    assert!(stderr.contains("changed since"), "{stderr}");

    let list = async || {
        let output = place.client(&["trust", "--list", "--json"]).await;
        let listed: Value = serde_json::from_str(output.expect_code(0)).unwrap();
        listed["files"].as_array().unwrap().clone()
    };
    let listed = list().await;
    let file = place.home.path().join("repository").join(CONFIG);
    let path = file.canonicalize().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["path"], path.to_str().unwrap());
    assert_eq!(
        (&listed[0]["trusted"], &listed[0]["state"]),
        (&json!(true), &json!("changed"))
    );
    let revoked = ["trust", "--revoke", file.to_str().unwrap()];
    place.client(&revoked).await.expect_code(0);
    assert!(list().await.is_empty());
    place.client(&revoked).await.expect_code(1);
}

#[tokio::test]
async fn agents_and_hooks_ignore_an_untrusted_repository_file() {
    let place = Place::new().await;
    for (is_trusted, title) in [(false, "of my own"), (true, "of others")] {
        if is_trusted {
            place.client(&["trust"]).await.expect_code(0);
        }
        let mut host = StdioPeer::of(place.command(&["mcp"]));
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "behaviour-tests", "version": "1"},
        });
        host.request("initialize", hello).await;
        let call = json!({"name": "query_experiences", "arguments": {"keywords": "wombat"}});
        let answer = host.request("tools/call", call).await;
        assert!(answer.to_string().contains(title), "{answer}");
        let (_, log) = host.close().await;
        assert_eq!(log.contains("is ignored"), !is_trusted, "{log}");
        let error = json!({
            "hook_event_name": "PostToolUseFailure", "session_id": title, "tool_use_id": title,
            "tool_name": "Bash", "error": "error: wombat",
        });
        let output = run(place.command(&["hook", "error"]), error.to_string()).await;
        assert!(output.expect_code(0).contains(title), "{output:?}");
        // A host shows what a hook writes there as an error.
        assert_eq!(output.stderr, "", "{output:?}");
    }
}

#[tokio::test]
async fn at_a_terminal_the_user_is_asked_once_for_each_content() {
    let trust_prompt = |keys| Keystroke {
        after: "Yes, I trust its current content",
        keys,
    };
    for (keys, title) in [("\r", "of my own"), ("\u{1b}[B\r", "of others")] {
        let place = Place::new().await;
        let query = place.command(&["query", "wombat"]);
        let output = on_terminal(&place.home, &query, &[trust_prompt(keys)]).await;
        let shown = output.expect_code(0);
        assert!(shown.contains(place.other.wire.base()), "{shown}");
        assert!(shown.contains(title), "{shown}");
        // The answer is remembered, also a no, until the file changes.
        let output = on_terminal(&place.home, &query, &[]).await;
        let shown = output.expect_code(0);
        assert!(
            !shown.contains("Yes, I trust its current content"),
            "{shown}"
        );
        assert!(shown.contains(title), "{shown}");
        place.write("elsewhere");
        let output = on_terminal(&place.home, &query, &[trust_prompt("\u{3}")]).await;
        output.expect_code(130);
    }
}

#[tokio::test]
async fn a_file_that_others_can_write_is_ignored_and_cannot_be_trusted() {
    let place = Place::new().await;
    let file = place.home.path().join("repository").join(CONFIG);
    std::fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    let (title, stderr) = place.run_query().await;
    assert_eq!(title, "A wombat of my own");
    assert!(stderr.contains("others may write to"), "{stderr}");
    let refused = place.client(&["trust"]).await;
    refused.expect_code(1);
    assert!(refused.stderr.contains("cannot be trusted"), "{refused:?}");
    // A file named on the command line is the user's own choice.
    let named = ["--config", file.to_str().unwrap(), "query", "wombat"];
    let output = place.client(&named).await;
    assert!(output.expect_code(0).contains("of others"), "{output:?}");
    assert_eq!(place.own.wire.query("wombat").await["total"], 1);
}

#[tokio::test]
async fn an_ignored_file_is_named_in_the_users_language() {
    let place = Place::new().await;
    for (locale, words) in [("zh_CN.UTF-8", "已忽略"), ("fr_FR.UTF-8", "est ignoré")] {
        let mut query = place.command(&["query", "wombat"]);
        query.env("LC_ALL", locale);
        let output = run(query, "").await;
        output.expect_code(0);
        assert!(output.stderr.contains(words), "{output:?}");
    }
}
