//! `init` from the cache of a package runner: what it writes starts the program through the runner, since the cache may be
//! gone tomorrow.

use std::fs;

use recall_kit_tests::{Home, built, run, shell};
use serde_json::{Value, json};

#[tokio::test]
async fn settings_name_the_runner_and_not_its_cache() {
    for (place, command, args) in [
        (
            ".npm/_npx/0f3a/node_modules/@recall-kit/cli-linux-x64/bin",
            "npx",
            json!(["-y", "@recall-kit/cli", "mcp"]),
        ),
        (
            ".cache/uv/archive-v0/x1/bin",
            "uvx",
            json!(["recall-kit", "mcp"]),
        ),
    ] {
        let home = Home::new();
        let folder = home.path().join(place);
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join("recall-kit-client");
        let original = built("recall-kit-client");
        if fs::hard_link(&original, &program).is_err() {
            fs::copy(&original, &program).unwrap();
        }
        let init = |more: &str| {
            let line = format!(
                "{} init --agent cursor --agent claude-code --yes --no-check {more}",
                program.display()
            );
            let command = shell(&home, &line);
            async { run(command, "").await }
        };
        init("--hooks").await.expect_code(0);
        let read = |file: &str| fs::read_to_string(home.path().join(file)).unwrap();
        let servers: Value = serde_json::from_str(&read(".cursor/mcp.json")).unwrap();
        let entry = &servers["mcpServers"]["recall-kit"];
        assert_eq!(
            (&entry["command"], &entry["args"]),
            (&json!(command), &args)
        );
        let hooks = read(".claude/settings.json");
        assert!(
            !hooks.contains("_npx") && !hooks.contains("archive-v0"),
            "{hooks}"
        );
        let words = args.as_array().unwrap().iter().filter_map(Value::as_str);
        let words: Vec<&str> = words.filter(|word| *word != "mcp").collect();
        let hook = format!("\"{command} {} hook auto\"", words.join(" "));
        assert!(hooks.contains(&hook), "{hooks}");
        // A second run finds its own entries, and --remove takes them out.
        init("--hooks").await.expect_code(0);
        assert_eq!(read(".claude/settings.json"), hooks);
        init("--remove").await.expect_code(0);
        let hooks = fs::read_to_string(home.path().join(".claude/settings.json"));
        assert!(!hooks.unwrap_or_default().contains("hook auto"));
    }
}
