//! `recall-kit-client init --agent`: what it writes into the agents' settings files, and removes again.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use recall_kit_tests::{Home, Keystroke, Output, client, on_terminal, run};
use serde_json::{Value, json};

/// Each agent, its settings file in a home directory, and the one in a project.
const FILES: [(&str, &str, Option<&str>); 6] = [
    ("claude-code", ".claude.json", Some(".mcp.json")),
    ("cursor", ".cursor/mcp.json", Some(".cursor/mcp.json")),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        Some(".vscode/mcp.json"),
    ),
    ("windsurf", ".codeium/windsurf/mcp_config.json", None),
    ("codex", ".codex/config.toml", Some(".codex/config.toml")),
    (
        "gemini",
        ".gemini/settings.json",
        Some(".gemini/settings.json"),
    ),
];

/// Settings that the user already has in such files.
const OTHERS_JSON: &str = r#"{
  // mine
  "numStartups": 12,
  "mcpServers": {
    "github": { "type": "http", "url": "https://api.example.com/mcp" } // the last one
  },
  "theme": "dark"
}"#;
const OTHERS_VSCODE: &str = "{\r\n\t\"inputs\": [],\r\n\t\"servers\": {\r\n\t\t/* one */\r\n\t\t\"a\": {\"command\": \"a\"},\r\n\t}\r\n}\r\n";
const OTHERS_TOML: &str = "# mine\nmodel = \"o3\" # why\n\n[mcp_servers.docs]\ncommand = \"npx\"\nargs = [\"-y\", \"docs\"]\n\n[tui]\ntheme = 'x'\n# the end\n";

#[tokio::test]
async fn every_agent_is_set_up_once_and_removed_again() {
    for (agent, file, project_file) in FILES {
        for (flags, file) in [(&[][..], Some(file)), (&["--project"], project_file)] {
            let Some(file) = file else { continue };
            let home = Home::new();
            let path = home.path().join(file);
            set_up(&home, agent, flags).await.expect_code(0);
            let written = read(&path);
            let (command, args) = entry(agent, &written);
            match flags.is_empty() {
                true => assert!(Path::new(&command).is_absolute(), "{command}"),
                false => assert_eq!(command, "recall-kit-client"),
            }
            assert_eq!(args, ["mcp"], "{written}");
            let output = set_up(&home, agent, flags).await;
            output.expect_code(0);
            assert!(output.stderr.contains("up to date"), "{}", output.stderr);
            assert_eq!(read(&path), written);
            assert_eq!(backups(&path), 0);
            remove_agent(&home, agent, flags).await.expect_code(0);
            assert!(!path.exists(), "{agent}: {}", read(&path));
        }
    }
}

#[tokio::test]
async fn existing_settings_stay_byte_for_byte_and_are_restored() {
    for (agent, file, _) in FILES {
        let home = Home::new();
        let others = others(agent);
        let path = home.write(file, others);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let output = set_up(&home, agent, &[]).await;
        output.expect_code(0);
        let written = read(&path);
        assert_eq!(without_entry(others, &written), others, "{written}");
        let lines = written.lines().filter(|line| !others.contains(line.trim()));
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let shown = format!("+ {line}");
            assert!(output.stderr.contains(&shown), "{}", output.stderr);
        }
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{agent}");
        assert_eq!(backups(&path), 1, "{agent}");
        remove_agent(&home, agent, &[]).await.expect_code(0);
        assert_eq!(read(&path), others, "{agent}");
        assert_eq!(backups(&path), 0, "{agent}");

        // The same when something else was written since, so that the backup cannot be restored.
        set_up(&home, agent, &[]).await.expect_code(0);
        let more = written.replacen("mine", "mine and more", 1);
        fs::write(&path, &more).unwrap();
        remove_agent(&home, agent, &[]).await.expect_code(0);
        let left = read(&path);
        let expected = others.replacen("mine", "mine and more", 1);
        assert_eq!(left, expected, "{agent}");
    }
}

#[tokio::test]
async fn a_broken_file_and_a_foreign_entry_are_left_alone() {
    for (agent, file, _) in FILES {
        let home = Home::new();
        let (broken, foreign) = match agent {
            "codex" => (
                "[mcp_servers\n".to_owned(),
                "[mcp_servers.recall-kit]\ncommand = \"other\"\n".to_owned(),
            ),
            _ => {
                let servers = json!({"recall-kit": {"command": "other", "args": ["--key", "k3y"]}});
                let container = container(agent);
                (
                    format!("{{\"{container}\": "),
                    json!({container: servers}).to_string(),
                )
            }
        };
        let path = home.write(file, &broken);
        let output = set_up(&home, agent, &[]).await;
        output.expect_code(1);
        let stderr = &output.stderr;
        assert!(
            stderr.contains(file) && stderr.contains("by hand"),
            "{stderr}"
        );
        assert!(stderr.contains("line 1"), "{stderr}");
        assert!(stderr.contains("recall-kit-client"), "{stderr}");
        assert_eq!(read(&path), broken);

        fs::write(&path, &foreign).unwrap();
        let output = set_up(&home, agent, &[]).await;
        output.expect_code(1);
        let stderr = &output.stderr;
        assert!(
            stderr.contains("`other`") && stderr.contains("--force"),
            "{stderr}"
        );
        assert!(!stderr.contains("k3y"), "{stderr}");
        remove_agent(&home, agent, &[]).await.expect_code(0);
        assert_eq!(read(&path), foreign);
        set_up(&home, agent, &["--force"]).await.expect_code(0);
        assert_eq!(entry(agent, &read(&path)).1, ["mcp"]);
        remove_agent(&home, agent, &[]).await.expect_code(0);
        assert_eq!(read(&path), foreign, "{agent}");
    }
}

#[tokio::test]
async fn rules_are_written_between_markers_and_removed() {
    let files = [
        ("claude-code", ".claude/CLAUDE.md", "CLAUDE.md"),
        ("codex", ".codex/AGENTS.md", "AGENTS.md"),
        ("gemini", ".gemini/GEMINI.md", "GEMINI.md"),
        (
            "vscode",
            ".config/Code/User/prompts/recall-kit.instructions.md",
            ".github/copilot-instructions.md",
        ),
    ];
    for (agent, own, shared) in files {
        for (flags, file) in [(&["--rules"][..], own), (&["--rules", "--project"], shared)] {
            let home = Home::new();
            set_up(&home, agent, flags).await.expect_code(0);
            let path = home.path().join(file);
            let rules = read(&path);
            assert!(rules.contains("→ recall"), "{file}: {rules}");
            assert!(rules.lines().count() <= 8, "{rules}");
            remove_agent(&home, agent, &flags[1..]).await.expect_code(0);
            assert!(!path.exists(), "{}", read(&path));

            fs::write(&path, "# Ours\n\nBe brief.").unwrap();
            set_up(&home, agent, flags).await.expect_code(0);
            let with = read(&path);
            assert!(with.starts_with("# Ours\n\nBe brief.\n\n<!--"), "{with}");
            set_up(&home, agent, flags).await.expect_code(0);
            assert_eq!(read(&path), with);
            remove_agent(&home, agent, &flags[1..]).await.expect_code(0);
            assert_eq!(read(&path), "# Ours\n\nBe brief.");
        }
    }
    let home = Home::new();
    let output = set_up(&home, "cursor", &["--rules"]).await;
    output.expect_code(0);
    assert!(
        output.stderr.contains("share_experience"),
        "{}",
        output.stderr
    );
    set_up(&home, "cursor", &["--rules", "--project"])
        .await
        .expect_code(0);
    let rules = read(&home.path().join(".cursor/rules/recall-kit.mdc"));
    assert!(
        rules.starts_with("---\n") && rules.contains("alwaysApply: true"),
        "{rules}"
    );
}

#[tokio::test]
async fn nothing_is_written_without_consent_or_for_unsupported_agents() {
    let home = Home::new();
    let file = home.path().join(".cursor/mcp.json");
    let output = run(client(&home, &["init", "--agent", "cursor"]), "").await;
    output.expect_code(2);
    assert!(output.stderr.contains("--yes"), "{}", output.stderr);
    assert!(output.stderr.contains("+   "), "{}", output.stderr);
    let output = run(
        client(&home, &["init", "--agent", "cursor", "--dry-run"]),
        "",
    )
    .await;
    let shown = output.expect_code(0);
    assert!(
        shown.contains("+ ") && shown.contains("recall-kit"),
        "{shown}"
    );
    assert!(!file.exists());

    let key = ["ghp", &"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"[..36]].join("_");
    home.write(
        ".cursor/mcp.json",
        format!("{{\"mcpServers\": {{\n  \"a\": {{\"env\": {{\"TOKEN\": \"{key}\"}}}}\n}}}}"),
    );
    let output = set_up(&home, "cursor", &[]).await;
    output.expect_code(0);
    assert!(!output.stderr.contains(&key), "{}", output.stderr);
    assert!(read(&file).contains(&key));

    let no_agent = run(client(&home, &["init", "--remove"]), "").await;
    no_agent.expect_code(2);
    let unknown = run(client(&home, &["init", "--agent", "emacs", "--yes"]), "").await;
    unknown.expect_code(2);
    let windsurf = set_up(&home, "windsurf", &["--project"]).await;
    windsurf.expect_code(1);
    assert!(windsurf.stderr.contains("--project"), "{}", windsurf.stderr);
    assert!(!home.path().join("recall-kit-client.config.json").exists());
}

#[tokio::test]
async fn a_symlinked_file_is_written_at_its_target_and_few_backups_are_kept() {
    let home = Home::new();
    let target = home.write("dotfiles/cursor.json", "{}\n");
    fs::create_dir(home.path().join(".cursor")).unwrap();
    let link = home.path().join(".cursor/mcp.json");
    std::os::unix::fs::symlink("../dotfiles/cursor.json", &link).unwrap();
    for round in 0..6 {
        let url = format!("http://127.0.0.1:{round}/mcp");
        let args = [
            "--server",
            &url,
            "init",
            "--agent",
            "cursor",
            "--yes",
            "--no-check",
        ];
        run(client(&home, &args), "").await.expect_code(0);
        let (_, args) = entry("cursor", &read(&target));
        assert_eq!(args, ["--server", &url, "mcp"]);
    }
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(backups(&target), 3);
}

#[tokio::test]
async fn agent_all_means_the_agents_found_on_this_machine() {
    let home = Home::new();
    let output = set_up(&home, "all", &[]).await;
    output.expect_code(1);
    assert!(output.stderr.contains("--agent"), "{}", output.stderr);
    home.write(".codex/AGENTS.md", "");
    home.write(".gemini/settings.json", "{}");
    let output = set_up(&home, "all", &["--json"]).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    let files = answer["files"].as_array().unwrap();
    let agents: Vec<_> = files.iter().map(|file| &file["agent"]).collect();
    assert_eq!(agents, ["Codex", "Gemini CLI"]);
    assert_eq!(files[0]["action"], "written");
    assert!(!home.path().join(".cursor").exists());
}

#[tokio::test]
async fn init_says_when_there_is_nothing_to_do() {
    let home = Home::new();
    home.write(".gemini/settings.json", "{}");
    home.write(".codex/AGENTS.md", "");
    for flag in ["--yes", "--dry-run"] {
        let args = ["init", "--agent", "gemini", "--remove", flag];
        let output = run(client(&home, &args), "").await;
        assert_eq!(output.expect_code(0), "");
        let words = "does not contain RecallKit";
        assert!(output.stderr.contains(words), "{flag}: {output:?}");
    }
    // An agent without any settings yet.
    let output = remove_agent(&home, "cursor", &[]).await;
    output.expect_code(0);
    assert!(output.stderr.contains("nothing to remove"), "{output:?}");
    set_up(&home, "all", &[]).await.expect_code(0);
    let again = run(client(&home, &["init", "--agent", "all", "--dry-run"]), "").await;
    assert_eq!(again.expect_code(0), "");
    assert_eq!(
        again.stderr.matches("is up to date").count(),
        2,
        "{again:?}"
    );
}

#[tokio::test]
async fn a_person_confirms_or_declines_the_change() {
    for (keys, is_written) in [("\r", true), ("\u{1b}[B\r", false)] {
        let home = Home::new();
        let mut command = client(&home, &["init", "--agent", "gemini"]);
        command.env("LC_ALL", "fr_FR.UTF-8");
        let step = Keystroke { after: "Non", keys };
        let output = on_terminal(&home, &command, &[step]).await;
        let shown = output.expect_code(0);
        assert!(shown.contains("Écrire ceci\u{a0}?"), "{shown}");
        assert_eq!(
            home.path().join(".gemini/settings.json").exists(),
            is_written
        );
    }
}

#[tokio::test]
async fn init_without_arguments_offers_the_agents_that_are_found() {
    let name = "recall-kit-client.config.json";
    for (place, file) in [
        ("\r", name.to_owned()),
        ("\u{1b}[B\r", format!(".config/recall-kit/{name}")),
    ] {
        let home = Home::new();
        home.write(".codex/AGENTS.md", "");
        let mut command = client(&home, &["init"]);
        command.env("LC_ALL", "zh_CN.UTF-8");
        let mut steps = vec![("我的所有项目", place), ("服务器", "\r"), ("var_001", "\r")];
        // A project's file may not decide whether the user is asked, so this question comes only for the user's
        // own file.
        let is_own = file.starts_with(".config");
        steps.extend(is_own.then_some(("直接发送", "\u{1b}[B\r")));
        steps.extend([("Codex", "\r"), ("否", "\r")]);
        let steps: Vec<_> = steps
            .into_iter()
            .map(|(after, keys)| Keystroke { after, keys })
            .collect();
        let output = on_terminal(&home, &command, &steps).await;
        output.expect_code(0);
        let (_, args) = entry("codex", &read(&home.path().join(".codex/config.toml")));
        assert_eq!(args, ["mcp"]);
        let settings = read(&home.path().join(file));
        assert_eq!(
            settings.contains("\"autoSubmit\": true"),
            is_own,
            "{settings}"
        );
        // The written configuration is accepted.
        let hint = run(client(&home, &["summarize", "no-such-file"]), "").await;
        assert!(!hint.stderr.contains("configuration"), "{hint:?}");
    }
}

#[tokio::test]
async fn init_offers_agents_even_if_the_existing_file_is_kept() {
    let home = Home::new();
    home.write(".codex/AGENTS.md", "");
    let config = "{\"server\": {\"timeout\": 1234}}";
    let file = home.write("recall-kit-client.config.json", config);
    let steps = [
        ("for all my projects", "\r"),
        ("Overwrite it", "\r"),
        ("Codex", "\r"),
        ("No", "\r"),
    ];
    let steps = steps.map(|(after, keys)| Keystroke { after, keys });
    let output = on_terminal(&home, &client(&home, &["init"]), &steps).await;
    let shown = output.expect_code(0);
    assert!(shown.contains("kept "), "{shown}");
    assert_eq!(read(&file), config);
    let (_, args) = entry("codex", &read(&home.path().join(".codex/config.toml")));
    assert_eq!(args, ["mcp"]);
}

#[tokio::test]
async fn an_interrupted_init_says_what_was_not_done() {
    for (steps, words) in [
        (&["for all my projects"][..], "nothing was written"),
        (
            &["for all my projects", "team's server", "var_001", "Codex"],
            "no agent was set up",
        ),
    ] {
        let home = Home::new();
        home.write(".codex/AGENTS.md", "");
        let last = steps.len() - 1;
        let keys = |at| if at == last { "\u{3}" } else { "\r" };
        let steps = steps.iter().enumerate();
        let steps: Vec<_> = steps
            .map(|(at, after)| Keystroke {
                after,
                keys: keys(at),
            })
            .collect();
        let output = on_terminal(&home, &client(&home, &["init"]), &steps).await;
        let shown = output.expect_code(130);
        assert!(shown.contains(&format!("interrupted: {words}")), "{shown}");
        let is_written = home.path().join("recall-kit-client.config.json").exists();
        assert_eq!(is_written, last > 0, "{shown}");
        assert!(!home.path().join(".codex/config.toml").exists());
    }
}

async fn set_up(home: &Home, agent: &str, flags: &[&str]) -> Output {
    let args = [&["init", "--agent", agent, "--yes", "--no-check"], flags].concat();
    run(client(home, &args), "").await
}

async fn remove_agent(home: &Home, agent: &str, flags: &[&str]) -> Output {
    set_up(home, agent, &[&["--remove"], flags].concat()).await
}

fn container(agent: &str) -> &'static str {
    match agent {
        "vscode" => "servers",
        _ => "mcpServers",
    }
}

fn others(agent: &str) -> &'static str {
    match agent {
        "vscode" => OTHERS_VSCODE,
        "codex" => OTHERS_TOML,
        _ => OTHERS_JSON,
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the command and the arguments of the agent's entry, read as the agent reads them.
fn entry(agent: &str, text: &str) -> (String, Vec<String>) {
    let (command, args) = if agent == "codex" {
        let settings: toml::Table = text.parse().unwrap();
        let entry = settings["mcp_servers"]["recall-kit"].clone();
        let args = entry["args"].as_array().unwrap().clone();
        let args = args.iter().map(|arg| arg.as_str().unwrap().to_owned());
        (
            entry["command"].as_str().unwrap().to_owned(),
            args.collect(),
        )
    } else {
        let settings: Value = serde_json::from_str(text).unwrap_or_else(|_| {
            let plain = text.lines().filter(|line| !line.trim().starts_with("//"));
            serde_json::from_str(&plain.collect::<String>()).unwrap()
        });
        let entry = &settings[container(agent)]["recall-kit"];
        let args = entry["args"].as_array().unwrap().iter();
        let args = args.map(|arg| arg.as_str().unwrap().to_owned());
        (
            entry["command"].as_str().unwrap().to_owned(),
            args.collect(),
        )
    };
    (command, args)
}

/// Removes the added characters: everything in `after` that `before` does not have at that point.
fn without_entry(before: &str, after: &str) -> String {
    let mut common = String::new();
    let mut rest = before.chars().peekable();
    for c in after.chars() {
        if rest.peek() == Some(&c) {
            common.push(c);
            rest.next();
        }
    }
    common
}

fn backups(path: &Path) -> usize {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let is_backup = |name_of: &str| name_of.starts_with(&format!("{name}.recall-kit-backup-"));
    let entries = fs::read_dir(path.parent().unwrap()).unwrap().flatten();
    entries
        .filter(|entry| is_backup(&entry.file_name().to_string_lossy()))
        .count()
}
