//! `recall-kit-client init` from its questions to the first call: the server and its key, the agents that are found,
//! other programs that write meanwhile, the service, and what is checked at the end.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use recall_kit_tests::{
    Home, Keystroke, Launch, Output, Server, client, experience, make_key, on_terminal, run,
};
use serde_json::Value;

const CONFIG: &str = "recall-kit-client.config.json";
const DOWN: &str = "\u{1b}[B\r";

/// The file of each agent that `init` writes.
const FILES: [&str; 6] = [
    ".claude.json",
    ".cursor/mcp.json",
    ".config/Code/User/mcp.json",
    ".codeium/windsurf/mcp_config.json",
    ".codex/config.toml",
    ".gemini/settings.json",
];

#[tokio::test]
async fn six_agents_are_set_up_from_the_questions_to_the_first_call() {
    let home = Home::new();
    let server = Server::start(&home).await;
    server
        .wire
        .submit(experience("How RecallKit works for agents"))
        .await;
    for folder in [
        ".claude",
        ".cursor",
        ".config/Code/User",
        ".codeium/windsurf",
        ".codex",
    ] {
        fs::create_dir_all(home.path().join(folder)).unwrap();
    }
    // An agent without settings is found by its program.
    home.write_program("bin/gemini", "#!/bin/sh\n");
    let mut command = client(&home, &["init"]);
    command.env("PATH", with_bin(&home));
    let url: &'static str = format!("{}\r", server.wire.base()).leak();
    let output = on_terminal(
        &home,
        &command,
        &steps(&[
            ("for all my projects", DOWN),
            ("Where is the memory?", DOWN),
            ("such as", url),
            ("var_001", "\r"),
            ("without asking", "\r"),
            ("Gemini CLI", "\r"),
            ("Yes, all of it", "\r"),
        ]),
    )
    .await;
    let shown = output.expect_code(0);
    for file in FILES {
        let written = read(&home.path().join(file));
        assert!(
            written.contains("recall-kit-client") && written.contains("mcp"),
            "{written}"
        );
    }
    let config: Value =
        serde_json::from_str(&read(&home.path().join(".config/recall-kit").join(CONFIG))).unwrap();
    assert_eq!(config["server"]["url"], server.wire.base());
    assert!(shown.contains("/ answers: recall-kit-server"), "{shown}");
    // The checks of `doctor`, and one call for the one command that all entries have in common.
    assert!(shown.contains("sanitizer"), "{shown}");
    assert_eq!(shown.matches("first call as in").count(), 1, "{shown}");
    assert!(
        shown.contains("1 found, first: How RecallKit works"),
        "{shown}"
    );
    // All of it is taken out again.
    let mut command = client(&home, &["init", "--agent", "all", "--remove", "--yes"]);
    command.env("PATH", with_bin(&home));
    run(command, "").await.expect_code(0);
    for file in FILES {
        assert!(!home.path().join(file).exists(), "{file}");
    }
}

#[tokio::test]
async fn scripts_get_the_result_of_the_checks_and_an_exit_code() {
    let home = Home::new();
    home.write(".codex/AGENTS.md", "");
    let args = [
        "init",
        "--server",
        "this-machine",
        "--agent",
        "codex",
        "--yes",
        "--json",
    ];
    let output = run(client(&home, &args), "").await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer["files"][0]["action"], "written");
    assert_eq!(answer["check"]["first_calls"][0]["tool"], "recall");
    let settings: toml::Table = read(&home.path().join(".codex/config.toml"))
        .parse()
        .unwrap();
    let args = settings["mcp_servers"]["recall-kit"]["args"]
        .as_array()
        .unwrap();
    let args: Vec<_> = args.iter().filter_map(|arg| arg.as_str()).collect();
    assert_eq!(args, ["--server", "mcp://recall-kit-server", "mcp"]);

    // Nobody answers: the settings are written, and the exit code says that they do not work.
    let nobody = [
        "init",
        "--server",
        "http://127.0.0.1:9/mcp",
        "--agent",
        "cursor",
        "--yes",
    ];
    let output = run(client(&home, &nobody), "").await;
    output.expect_code(1);
    assert!(
        output.stderr.contains("a check failed"),
        "{}",
        output.stderr
    );
    assert!(home.path().join(".cursor/mcp.json").exists());
    run(client(&home, &[&nobody[..], &["--no-check"]].concat()), "")
        .await
        .expect_code(0);
    // Without a terminal and without --yes it shows what it would write.
    for (flag, code) in [(None, 2), (Some("--dry-run"), 0)] {
        let output = run(client(&home, &[&["init"], flag.as_slice()].concat()), "").await;
        output.expect_code(code);
        let shown = format!("{}{}", output.stdout, output.stderr);
        assert!(shown.contains("+   \"server\": {"), "{shown}");
        assert!(shown.contains("Codex"), "{shown}");
        assert!(!home.path().join(CONFIG).exists());
    }
}

#[tokio::test]
async fn a_key_is_asked_for_and_kept_where_only_the_user_can_read_it() {
    for has_keyring in [false, true] {
        let home = Home::new();
        home.write(".codex/AGENTS.md", "");
        let key = make_key(&home, "ada", "write").await;
        let server = Launch::new(&home)
            .args(&["--access", "required"])
            .start()
            .await;
        let path = with_keyring(&home, has_keyring);
        let mut command = client(&home, &["init"]);
        command.env("PATH", &path);
        let url: &'static str = format!("{}/mcp\r", server.wire.base()).leak();
        let typed: &'static str = format!("{key}\r").leak();
        let output = on_terminal(
            &home,
            &command,
            &steps(&[
                ("for all my projects", DOWN),
                ("Where is the memory?", DOWN),
                ("such as", url),
                ("Your key for 127.0.0.1", "rk_wrong\r"),
                ("Enter another key", "\r"),
                ("Your key", typed),
                ("var_001", "\r"),
                ("without asking", "\r"),
                ("Codex", "\r"),
                ("Write this?", "\r"),
            ]),
        )
        .await;
        let shown = output.expect_code(0);
        assert!(shown.contains("does not accept this key"), "{shown}");
        assert!(shown.contains("first call as in"), "{shown}");
        assert!(!shown.contains(&key), "{shown}");
        let stored = home.path().join(".config/recall-kit/server-keys.json");
        assert_eq!(read(&stored).contains(&key), !has_keyring);
        let config = home.path().join(".config/recall-kit").join(CONFIG);
        for file in [&stored, &config] {
            let mode = fs::metadata(file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
        for file in [
            ".config/recall-kit/recall-kit-client.config.json",
            ".codex/config.toml",
        ] {
            assert!(!read(&home.path().join(file)).contains(&key), "{file}");
        }
        // Every command sends it to that server, and to no other.
        let query = async |url: &str| {
            let mut query = client(&home, &["--server", url, "query", "anything"]);
            query.env("PATH", &path);
            run(query, "").await
        };
        query(&format!("{}/mcp", server.wire.base()))
            .await
            .expect_code(0);
        let other = format!("http://localhost:{}/mcp", server.port());
        let refused = query(&other).await;
        refused.expect_code(1);
        assert!(
            refused.stderr.contains("denied access"),
            "{}",
            refused.stderr
        );
    }
}

#[tokio::test]
async fn init_accepts_the_url_of_a_team_server() {
    let home = Home::new();
    let steps = [
        ("for all my projects", "\r"),
        ("team's server", "\u{1b}[B\r"),
        ("such as", "ftp://memory\r"),
        ("is not supported", "\u{15}http://127.0.0.1:9/mcp\r"),
        ("may be reachable later", "\u{1b}[B\r"),
        ("var_001", "\r"),
    ];
    let steps = steps.map(|(after, keys)| Keystroke { after, keys });
    let output = on_terminal(&home, &client(&home, &["init"]), &steps).await;
    output.expect_code(0);
    let written = read(&home.path().join("recall-kit-client.config.json"));
    let config: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(config["server"]["url"], "http://127.0.0.1:9/mcp");
}

#[tokio::test]
async fn the_wrong_scheme_is_named_and_the_right_one_offered() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url: &'static str = format!("https://127.0.0.1:{}\r", server.port()).leak();
    let output = on_terminal(
        &home,
        &client(&home, &["init"]),
        &steps(&[
            ("for all my projects", "\r"),
            ("Where is the memory?", DOWN),
            ("such as", url),
            ("Use http://127.0.0.1", "\r"),
            ("var_001", "\r"),
        ]),
    )
    .await;
    let shown = output.expect_code(0);
    assert!(shown.contains("speaks http://, not https://"), "{shown}");
    let config: Value = serde_json::from_str(&read(&home.path().join(CONFIG))).unwrap();
    let endpoint = format!("{}/mcp", server.wire.base());
    assert_eq!(config["server"]["url"], endpoint.as_str());
}

#[tokio::test]
async fn what_another_program_writes_meanwhile_is_kept_and_shown_anew() {
    let home = Home::new();
    let target = home.write("dotfiles/gemini.json", "{\"theme\": \"dark\"}");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(home.path().join(".gemini")).unwrap();
    let link = home.path().join(".gemini/settings.json");
    std::os::unix::fs::symlink("../dotfiles/gemini.json", &link).unwrap();
    let output = on_terminal(
        &home,
        &client(&home, &["init", "--agent", "gemini", "--no-check"]),
        &steps(&[
            (
                "Write this?",
                "sh printf '{\"theme\": \"light\"}' > dotfiles/gemini.json",
            ),
            ("", "\r"),
            ("Write this?", "\r"),
        ]),
    )
    .await;
    let shown = output.expect_code(0);
    assert!(shown.contains("changed by another program"), "{shown}");
    let written: Value = serde_json::from_str(&read(&link)).unwrap();
    assert_eq!(written["theme"], "light");
    assert_eq!(written["mcpServers"]["recall-kit"]["args"][0], "mcp");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let mode = fs::metadata(&target).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[tokio::test]
async fn agents_are_chosen_one_by_one_and_a_file_that_fails_does_not_stop_the_others() {
    let home = Home::new();
    home.write(".codex/config.toml", "[broken\n");
    // A file where a folder should be.
    home.write(".gemini", "");
    let agents = ["cursor", "windsurf", "codex", "gemini"];
    let agents = agents.map(|agent| ["--agent", agent]).concat();
    let args = [&["init", "--no-check"], &agents[..]].concat();
    let output = on_terminal(
        &home,
        &client(&home, &args),
        &steps(&[
            ("Ask for each one", DOWN),
            ("Cursor: write this?", "\r"),
            ("Windsurf: write this?", DOWN),
        ]),
    )
    .await;
    let shown = output.expect_code(1);
    assert!(home.path().join(".cursor/mcp.json").exists(), "{shown}");
    assert!(!home.path().join(".codeium").exists(), "{shown}");
    assert!(shown.contains("config.toml was not changed"), "{shown}");
    assert!(
        shown.contains("cannot read") && shown.contains(".gemini"),
        "{shown}"
    );
    assert_eq!(read(&home.path().join(".codex/config.toml")), "[broken\n");
}

#[tokio::test]
async fn the_service_is_written_started_and_taken_away() {
    let unit = ".config/systemd/user/recall-kit.service";
    // Without systemd it says what starts it.
    let home = Home::new();
    let path = with_systemctl(&home, "echo 'Failed to connect to bus' >&2; exit 1");
    let output = service(&home, &path, &["--yes"]).await;
    output.expect_code(0);
    let stderr = &output.stderr;
    assert!(stderr.contains("Failed to connect to bus"), "{stderr}");
    assert!(
        stderr.contains("systemctl --user enable recall-kit.service"),
        "{stderr}"
    );
    let written = read(&home.path().join(unit));
    for line in [
        "recall-kit-server\" serve",
        "NoNewPrivileges=yes",
        "WantedBy=default.target",
    ] {
        assert!(written.contains(line), "{written}");
    }
    service(&home, &path, &["--remove", "--yes"])
        .await
        .expect_code(0);
    assert!(!home.path().join(unit).exists());

    // With one that answers, it is enabled before and disabled after. A file that somebody else wrote comes back.
    let path = with_systemctl(&home, "echo \"$*\" >> \"$HOME/calls\"");
    let theirs = home.write(unit, "[Service]\nExecStart=/mine\n");
    let refused = service(&home, &path, &["--yes"]).await;
    refused.expect_code(1);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert!(!home.path().join("calls").exists());
    let dry = service(&home, &path, &["--force", "--dry-run"]).await;
    assert!(
        dry.expect_code(0).contains("+ NoNewPrivileges=yes"),
        "{dry:?}"
    );
    let started = service(&home, &path, &["--force", "--yes"]).await;
    started.expect_code(0);
    assert!(
        started.stderr.contains("recall-kit.service"),
        "{}",
        started.stderr
    );
    service(&home, &path, &["--remove", "--yes"])
        .await
        .expect_code(0);
    assert_eq!(read(&theirs), "[Service]\nExecStart=/mine\n");
    let calls = read(&home.path().join("calls"));
    let calls: Vec<&str> = calls.lines().collect();
    assert_eq!(
        calls,
        [
            "--user daemon-reload",
            "--user enable recall-kit.service",
            "--user restart recall-kit.service",
            "--user disable --now recall-kit.service",
        ]
    );
}

async fn service(home: &Home, path: &str, flags: &[&str]) -> Output {
    let mut command = client(home, &[&["init", "--service"], flags].concat());
    command.env("PATH", path);
    run(command, "").await
}

fn steps(steps: &[(&'static str, &'static str)]) -> Vec<Keystroke> {
    let steps = steps.iter();
    steps
        .map(|(after, keys)| Keystroke { after, keys })
        .collect()
}

/// Returns the `PATH` with the folder `bin` of the home before everything else.
fn with_bin(home: &Home) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", home.path().join("bin").display())
}

fn with_systemctl(home: &Home, commands: &str) -> String {
    home.write_program("bin/systemctl", format!("#!/bin/sh\n{commands}\n"));
    with_bin(home)
}

/// Creates a `secret-tool` that keeps its secret in the home, or that fails.
fn with_keyring(home: &Home, works: bool) -> String {
    let script = match works {
        true => {
            "case \"$1\" in store) cat >\"$HOME/secret\" ;; lookup) cat \"$HOME/secret\" ;; esac"
        }
        false => "echo 'no such service' >&2; exit 1",
    };
    home.write_program("bin/secret-tool", format!("#!/bin/sh\n{script}\n"));
    with_bin(home)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
