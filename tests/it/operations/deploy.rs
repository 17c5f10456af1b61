//! The files in `server/deploy` name only flags, commands and settings that exist.

use std::{collections::BTreeSet, fs, path::Path};

use recall_kit_tests::{Home, Launch, Server, run, server_command};

const PROGRAM: &str = "recall-kit-server";

#[tokio::test]
async fn the_files_use_existing_flags_commands_and_settings() {
    let home = Home::new();
    let help = run(server_command(&home, &["--help"]), "").await;
    let help = help.expect_code(0);
    let settings = settings(&read("recall-kit-server.example.toml"));
    for file in ["recall-kit-server.service", "Dockerfile", "compose.yaml"] {
        let text = read(file);
        assert!(text.contains(PROGRAM), "{file}");
        let (mut words, mut names) = (0, 0);
        for arguments in text.lines().filter_map(arguments) {
            for word in arguments {
                let known = help.split_whitespace().any(|it| it == word);
                assert!(known, "{file}: the program has no `{word}`");
                words += 1;
            }
        }
        for name in text.split(|c: char| !(c.is_ascii_uppercase() || c == '_')) {
            let Some(setting) = name.strip_prefix("RECALL_KIT_") else {
                continue;
            };
            let setting = setting.to_lowercase().replace("__", ".");
            assert!(
                settings.contains(&setting),
                "{file}: no setting `{setting}`"
            );
            names += 1;
        }
        // `compose.yaml` runs the image without arguments.
        let runs = file != "compose.yaml";
        assert_eq!((words > 0, names > 0), (runs, true), "{file}");
    }
}

#[tokio::test]
async fn the_example_settings_start_a_server() {
    let home = Home::new();
    let config = home.write("server.toml", read("recall-kit-server.example.toml"));
    let config = config.to_string_lossy();
    let launch = Launch::new(&home).args(&["--config", &config]);
    launch.start().await.stop().await;
}

#[tokio::test]
async fn health_reports_a_running_and_a_missing_server() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let port = server.port().to_string();
    for host in ["127.0.0.1", "0.0.0.0"] {
        let health = run(
            server_command(&home, &["health", "--host", host, "--port", &port]),
            "",
        );
        assert!(health.await.expect_code(0).starts_with("ready: "), "{host}");
    }
    server.stop().await;
    let health = run(server_command(&home, &["health", "--port", &port]), "").await;
    health.expect_code(1);
    assert!(
        health
            .stderr
            .contains(&format!("no server answers at 127.0.0.1:{port}")),
        "{}",
        health.stderr
    );
    let health = run(server_command(&home, &["health", "--port", "0"]), "").await;
    health.expect_code(1);
    assert!(health.stderr.contains("--port"), "{}", health.stderr);
}

/// Returns the flags and commands that a line passes to the program; `None` if the line does not run it.
fn arguments(line: &str) -> Option<Vec<&str>> {
    let starts = [
        "ExecStart=",
        "ENTRYPOINT ",
        "CMD ",
        "HEALTHCHECK ",
        "command:",
    ];
    if !starts
        .iter()
        .any(|start| line.trim_start().starts_with(start))
    {
        return None;
    }
    let words = line.split(|c: char| c.is_whitespace() || "[]\",".contains(c));
    let words = words.filter(|word| !word.is_empty());
    let after: Vec<&str> = match line.contains(PROGRAM) {
        true => words
            .skip_while(|word| !word.ends_with(PROGRAM))
            .skip(1)
            .collect(),
        false => words.skip(1).collect(),
    };
    let is_value = |word: &&str| !word.contains('/');
    Some(after.into_iter().filter(is_value).collect())
}

/// Returns every setting of the example, such as `log.level`.
fn settings(example: &str) -> BTreeSet<String> {
    let mut section = String::new();
    let mut found = BTreeSet::new();
    for line in example.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned() + ".";
        }
        if let Some((key, _)) = line
            .strip_prefix('#')
            .and_then(|line| line.split_once(" = "))
            && !key.starts_with(' ')
        {
            found.insert(format!("{section}{key}"));
        }
    }
    found
}

fn read(file: &str) -> String {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/deploy");
    fs::read_to_string(deploy.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}
