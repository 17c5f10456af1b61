//! Each format as agents and people write it: pieces are added, added again, updated and removed.

#![allow(clippy::unwrap_used)]

mod published;

use super::{
    Agent, EditError,
    call::{Call, quoted, runner_of},
    change::{Change, ChangeError},
    hooks::HookFormat,
    piece::Piece,
};

fn call(program: &str) -> Call {
    Call {
        program: program.to_owned(),
        options: Vec::new(),
    }
}

const PROGRAM: &str = "/usr/local/bin/recall-kit-client";

/// Every format, with a text that people wrote.
fn samples() -> Vec<(Piece, &'static str)> {
    let server = |agent| Piece::server(agent, call(PROGRAM));
    let hooks = |agent| Piece::Hooks {
        format: HookFormat::of(agent),
        program: PROGRAM.to_owned(),
    };
    let rules = Piece::Rules { front_matter: None };
    vec![
        (server(Agent::Cursor), ""),
        (server(Agent::Cursor), "{}"),
        (
            server(Agent::Cursor),
            "{\"mcpServers\":{\"a\":{\"url\":\"x\"}},\"z\":1}",
        ),
        (
            server(Agent::VsCode),
            "// mine\r\n{\r\n\t\"inputs\": [], // none\r\n\t\"servers\": {\r\n\t\t\"a\": { \"type\": \"http\", \"url\": \"x\" }, // last\r\n\t},\r\n}\r\n",
        ),
        (
            server(Agent::ClaudeCode),
            "\u{feff}{\n    \"numStartups\": 7,\n    \"projects\": {\n        \"/a\": {}\n    }\n}",
        ),
        (
            server(Agent::Codex),
            "# mine\nmodel = 'x' # why\n\n[mcp_servers.a]\ncommand = \"a\"\n# the end\n",
        ),
        (
            server(Agent::Codex),
            "mcp_servers = { a = { command = \"a\" } }\r\nmodel = \"x\"",
        ),
        (server(Agent::Codex), "mcp_servers.a.command = \"a\"\n"),
        (hooks(Agent::ClaudeCode), "{\n  \"model\": \"opus\"\n}\n"),
        (hooks(Agent::Codex), ""),
        (
            hooks(Agent::Gemini),
            "{\"theme\": \"x\", \"hooks\": {\"AfterTool\": [{\"hooks\": [{\"command\": \"log\"}]}]}}",
        ),
        (
            hooks(Agent::Cursor),
            "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"say done\" }]\n  }\n}\n",
        ),
        (hooks(Agent::VsCode), "{\"version\": 1}"),
        (
            hooks(Agent::Windsurf),
            "{\"hooks\": {\"post_run_command\": [{\"command\": \"log\"}]}}",
        ),
        (
            Piece::Several(vec![server(Agent::Gemini), hooks(Agent::Gemini)]),
            "{\n  \"theme\": \"x\"\n}\n",
        ),
        (
            hooks(Agent::ClaudeCode),
            "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }\n    ]\n  }\n}\n",
        ),
        (rules.clone(), "# Rules\n\nBe brief."),
        (rules, "# Rules\n"),
    ]
}

/// Returns the piece of another copy of the program.
fn moved(piece: &Piece) -> Piece {
    const ELSEWHERE: &str = "/elsewhere/recall-kit-client";
    match piece {
        Piece::JsonServer { shape, .. } => Piece::JsonServer {
            shape: *shape,
            call: call(ELSEWHERE),
        },
        Piece::TomlServer { .. } => Piece::TomlServer {
            call: call(ELSEWHERE),
        },
        Piece::Hooks { format, .. } => Piece::Hooks {
            format: *format,
            program: ELSEWHERE.to_owned(),
        },
        Piece::Several(pieces) => Piece::Several(pieces.iter().map(moved).collect()),
        Piece::Rules { .. } | Piece::Service { .. } => piece.clone(),
    }
}

#[test]
fn hooks_of_earlier_versions_are_brought_up_to_date() {
    let old = r#"{"hooks": {
        "PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "recall-kit-client hook error", "timeout": 5}]}],
        "PostToolUseFailure": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "recall-kit-client hook error", "timeout": 5}, {"type": "command", "command": "say"}
        ]}],
        "Stop": [{"hooks": [{"type": "command", "command": "recall-kit-client hook solved", "timeout": 5}]}]
    }}"#;
    let piece = Piece::Hooks {
        format: HookFormat::of(Agent::ClaudeCode),
        program: PROGRAM.to_owned(),
    };
    let updated = piece.added(old, false).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&updated).unwrap();
    let hooks = &settings["hooks"];
    assert_eq!(hooks.as_object().unwrap().len(), 5, "{updated}");
    assert_eq!(
        hooks["PostToolUse"].as_array().unwrap().len(),
        1,
        "{updated}"
    );
    assert_eq!(
        hooks["PostToolUse"][0]["matcher"],
        "Bash|Edit|Write|MultiEdit"
    );
    // A group that also has other hooks keeps its matcher.
    assert_eq!(hooks["PostToolUseFailure"][0]["matcher"], "Bash");
    assert_eq!(updated.matches(" hook auto\"").count(), 5, "{updated}");
    assert!(!updated.contains("hook error"), "{updated}");
    let removed = piece.removed(&updated).unwrap().unwrap();
    assert_eq!(removed.matches("command\":").count(), 1, "{removed}");
}

#[test]
fn a_hook_of_the_user_that_mentions_the_program_is_kept() {
    let piece = |program: &str| Piece::Hooks {
        format: HookFormat::of(Agent::ClaudeCode),
        program: program.to_owned(),
    };
    let with = |command: &str| {
        let hook = serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}});
        hook.to_string()
    };
    for own in [
        "~/notify.sh recall-kit-client hook fired",
        "~/notify.sh recall-kit-client hook auto",
        "recall-kit-client hook fired",
        "recall-kit-client hook autos",
        "recall-kit-client-wrapper hook auto",
        "/opt/recall-kit-client/log.sh hook auto",
        "npx -y @recall-kit/clipboard hook auto",
        "uvx recall-kit-other hook error",
        "echo \"recall-kit-client hook auto",
        "say hook auto",
        "recall-kit-client status",
    ] {
        let text = with(own);
        let piece = piece("recall-kit-client");
        assert_eq!(piece.installed(&text), None, "{own}");
        assert_eq!(piece.removed(&text).unwrap(), None, "{own}");
        let added = piece.added(&text, false).unwrap();
        let removed = piece.removed(&added).unwrap().unwrap();
        for text in [added, removed] {
            let quoted = serde_json::Value::from(own).to_string();
            assert!(text.contains(&quoted), "{own}: {text}");
        }
    }
    for ours in [
        "recall-kit-client hook auto",
        "/usr/bin/recall-kit-client hook error",
        "\"/home/Jane Doe/recall-kit-client\" --server https://memory.example.org/mcp hook solved",
        "\"C:/Program Files/recall-kit-client.exe\" hook auto",
        "\"C:\\Jane Doe\\recall-kit-client.exe\" hook auto",
        "& \"/home/Jane Doe/recall-kit-client\" hook auto",
        "npx -y @recall-kit/cli hook auto",
        "uvx recall-kit --server https://memory.example.org/mcp hook auto",
    ] {
        let removed = piece("x").removed(&with(ours)).unwrap();
        assert!(
            removed.is_some_and(|text| !text.contains("recall-kit")),
            "{ours}"
        );
    }
}

#[test]
fn other_settings_are_kept_when_a_piece_is_added_and_removed() {
    for (piece, text) in samples() {
        let added = piece.added(text, false).unwrap();
        assert!(is_subsequence(text, &added), "{text:?}\n{added:?}");
        assert_eq!(piece.added(&added, false).unwrap(), added, "twice");
        let moved = moved(&piece);
        let updated = moved.added(&added, false).unwrap();
        assert_eq!(
            updated,
            added.replace(PROGRAM, "/elsewhere/recall-kit-client")
        );
        assert_eq!(piece.installed(&updated), Some(moved));
        let removed = piece.removed(&updated).unwrap().unwrap();
        assert_eq!(words(&removed), words(text), "{removed:?}");
        assert_eq!(piece.removed(text).unwrap(), None, "{text}");
    }
}

#[test]
fn settings_that_cannot_be_changed_are_rejected() {
    let rejected = |agent, text: &str| {
        let piece = Piece::server(agent, call(PROGRAM));
        piece.added(text, false).unwrap_err()
    };
    for (agent, text) in [
        (Agent::Cursor, "{\"mcpServers\": "),
        (Agent::Cursor, "[]"),
        (Agent::VsCode, "{'servers': {}}"),
        (Agent::Codex, "[mcp_servers\n"),
    ] {
        let error = rejected(agent, text);
        assert!(matches!(error, EditError::Broken(_)), "{text}: {error}");
    }
    for (agent, text) in [
        (Agent::Cursor, "{\"mcpServers\": []}"),
        (Agent::Codex, "mcp_servers = 1\n"),
    ] {
        let error = rejected(agent, text);
        assert!(matches!(error, EditError::Shape { .. }), "{text}: {error}");
    }
    for (agent, text) in [
        (
            Agent::Cursor,
            "{\"mcpServers\": {\"recall-kit\": {\"command\": \"npx\"}}}",
        ),
        (
            Agent::Codex,
            "[mcp_servers.recall-kit]\ncommand = \"npx\"\n",
        ),
    ] {
        assert_eq!(
            rejected(agent, text),
            EditError::Foreign("`npx`".to_owned())
        );
        let piece = Piece::server(agent, call(PROGRAM));
        assert_eq!(piece.removed(text).unwrap(), None, "{text}");
        let forced = piece.added(text, true).unwrap();
        assert_eq!(piece.installed(&forced), Some(piece.clone()), "{forced}");
    }
}

#[test]
fn an_update_keeps_what_people_added_to_the_entry() {
    let mine = "{\"mcpServers\": {\"recall-kit\": {\"command\": \"recall-kit-client\", \"args\": [\"mcp\"], \"env\": {\"A\": \"b\"}}}}";
    let updated = Piece::server(Agent::Cursor, call(PROGRAM))
        .added(mine, false)
        .unwrap();
    assert_eq!(updated, mine.replace("recall-kit-client", PROGRAM));
    let mine = "[mcp_servers.recall-kit]\ncommand = \"recall-kit-client\" # here\nargs = [\"mcp\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.recall-kit.env]\nA = \"b\"\n\n# next\n[tui]\n";
    let piece = Piece::server(Agent::Codex, call(PROGRAM));
    let updated = piece.added(mine, false).unwrap();
    assert_eq!(
        updated,
        mine.replace("\"recall-kit-client\"", &format!("\"{PROGRAM}\""))
    );
    assert_eq!(
        piece.removed(&updated).unwrap().unwrap().trim(),
        "# next\n[tui]"
    );
}

#[test]
fn the_program_is_quoted_as_one_word_for_a_shell() {
    let shell = |program: &str| call(program).in_shell();
    assert_eq!(
        shell("/usr/bin/recall-kit-client"),
        "/usr/bin/recall-kit-client"
    );
    assert_eq!(
        shell("/my apps/$x/recall-kit-client"),
        "\"/my apps/\\$x/recall-kit-client\""
    );
}

#[test]
fn a_file_that_another_program_changed_meanwhile_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("settings.json");
    let piece = Piece::server(Agent::Gemini, call(PROGRAM));
    for before in [None, Some("{}")] {
        if let Some(before) = before {
            std::fs::write(&path, before).unwrap();
        }
        let change = Change::adding(Agent::Gemini.name(), &path, &piece, false).unwrap();
        std::fs::write(&path, "{\"theirs\": 1}").unwrap();
        let error = change.write().unwrap_err();
        assert!(matches!(error, ChangeError::Overtaken(_)), "{error}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "{\"theirs\": 1}");
    }
}

/// Returns whether `whole` contains the characters of `text` in the same order.
fn is_subsequence(text: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    text.chars().all(|c| rest.any(|other| other == c))
}

/// Returns a text without spaces, line breaks, trailing commas and empty containers.
fn words(text: &str) -> String {
    let mut text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text = text.replace(",}", "}").replace("\u{feff}", "");
    match text.as_str() {
        "{}" => String::new(),
        _ => text,
    }
}

#[test]
fn a_program_in_the_cache_of_a_runner_is_started_through_the_runner() {
    let check = |path: &str, expected: Option<&str>| {
        let runner = runner_of(path.as_ref()).map(|runner| runner.join(" "));
        assert_eq!(runner.as_deref(), expected, "{path}");
    };
    let (npx, uvx) = (Some("npx -y @recall-kit/cli"), Some("uvx recall-kit"));
    let npm = "node_modules/@recall-kit/cli-linux-x64/bin/recall-kit-client";
    check(&format!("/home/ada/.npm/_npx/0f3a/{npm}"), npx);
    check(&format!("/home/ada/.cache/pnpm/dlx/0f3a/{npm}"), npx);
    check(&format!("/tmp/bunx-1000-@recall-kit/cli@latest/{npm}"), npx);
    check(
        "/home/ada/.cache/uv/archive-v0/x1/bin/recall-kit-client",
        uvx,
    );
    check(
        "/home/ada/.cache/uv/environments-v2/x1/bin/recall-kit-client",
        uvx,
    );
    check("/home/ada/archive-version/recall-kit-client", None);
    // Folders that only have such a name.
    check("/home/dlx/bin/recall-kit-client", None);
    check("/home/_npx/node_modules/other/recall-kit-client", None);
    check("/home/bunx-1/recall-kit-client", None);
    check("/srv/node_modules/@recall-kit/dlx/recall-kit-client", None);
    check("/srv/archive-v0/bin/recall-kit-client", None);
    check("/srv/uv/x/archive-v0/bin/recall-kit-client", None);
    check(
        "/home/ada/.local/share/uv/tools/recall-kit/bin/recall-kit-client",
        None,
    );
    check(&format!("/usr/lib/{npm}"), None);
    check("/usr/local/bin/recall-kit-client", None);

    let options = vec![
        "--server".to_owned(),
        "https://memory.example.org/mcp".to_owned(),
    ];
    for program in [
        "/x/_npx/1/node_modules/@recall-kit/cli/recall-kit-client",
        "/x/uv/archive-v0/1/recall-kit-client",
    ] {
        let runner = runner_of(program.as_ref()).unwrap();
        let call = Call::through(runner, options.clone());
        let args = call.mcp_args();
        assert_eq!(args.last().unwrap(), "mcp");
        assert_eq!(
            Call::from_entry(&call.program, &args),
            Some(call.clone()),
            "{args:?}"
        );
        // A hook is written, found again, replaced and removed.
        let hooks = |program: String| Piece::Hooks {
            format: HookFormat::of(Agent::ClaudeCode),
            program,
        };
        let piece = hooks(call.in_shell());
        let text = piece.added("", false).unwrap();
        assert!(
            text.contains(&format!("\"{} --server", runner.join(" "))),
            "{text}"
        );
        assert_eq!(piece.installed(&text), Some(piece.clone()));
        let updated = hooks(PROGRAM.to_owned()).added(&text, false).unwrap();
        assert!(!updated.contains(runner[0]), "{updated}");
        assert!(piece.removed(&text).unwrap().is_some());
    }
    // Other packages are others' servers.
    for args in [
        &["-y", "@modelcontextprotocol/server-memory", "mcp"][..],
        &["mcp"],
        &[],
    ] {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        assert_eq!(Call::from_entry("npx", &args), None, "{args:?}");
    }
}

#[test]
fn words_are_quoted_for_the_shells_of_each_system() {
    let check = |word: &str, posix: &str, windows: &str| {
        assert_eq!(quoted(word, false), posix, "{word}");
        assert_eq!(quoted(word, true), windows, "{word}");
    };
    check(
        "recall-kit-client",
        "recall-kit-client",
        "recall-kit-client",
    );
    check("@recall-kit/cli", "@recall-kit/cli", "@recall-kit/cli");
    check("/usr/bin/x", "/usr/bin/x", "\"/usr/bin/x\"");
    check(
        r"C:\Jane Doe\x.exe",
        r#""C:\\Jane Doe\\x.exe""#,
        r#""C:/Jane Doe/x.exe""#,
    );
    check("a b", "\"a b\"", "\"a b\"");
    check("a$b`c\"d", r#""a\$b\`c\"d""#, "\"a$b`cd\"");
    check("", "\"\"", "\"\"");
    check("a&b", "\"a&b\"", "\"a&b\"");
}
