//! Each agent's files, with the directories of each platform.

use std::path::Path;

use super::*;

fn places(config_dir: &str) -> Places {
    Places {
        home: "/home/me".into(),
        config_dir: config_dir.into(),
        project: "/project".into(),
        claude_dir: None,
        codex_dir: None,
        copilot_dir: None,
        path: Vec::new(),
    }
}

#[test]
fn each_agent_has_its_files() {
    use Scope::{Project, User};
    let places = places("/home/me/.config");
    let check = |agent, scope, servers: &str, rules: &str, hooks: &str| {
        let path = |path: &str| (!path.is_empty()).then(|| PathBuf::from(path));
        assert_eq!(places.servers(agent, scope), path(servers), "{agent:?}");
        let file = places.rules(agent, scope).map(|file| file.path);
        assert_eq!(file, path(rules), "{agent:?}");
        assert_eq!(
            places.hooks(agent, scope),
            PathBuf::from(hooks),
            "{agent:?}"
        );
    };
    let me = |path: &str| format!("/home/me/{path}");
    check(
        Agent::ClaudeCode,
        User,
        &me(".claude.json"),
        &me(".claude/CLAUDE.md"),
        &me(".claude/settings.json"),
    );
    check(
        Agent::ClaudeCode,
        Project,
        "/project/.mcp.json",
        "/project/CLAUDE.md",
        "/project/.claude/settings.json",
    );
    let windsurf = ".codeium/windsurf";
    let servers = me(&format!("{windsurf}/mcp_config.json"));
    let rules = me(&format!("{windsurf}/memories/global_rules.md"));
    check(
        Agent::Windsurf,
        User,
        &servers,
        &rules,
        &me(".codeium/windsurf/hooks.json"),
    );
    let rules = "/project/.windsurf/rules/recall-kit.md";
    check(
        Agent::Windsurf,
        Project,
        "",
        rules,
        "/project/.windsurf/hooks.json",
    );
    let hooks = me(".cursor/hooks.json");
    check(Agent::Cursor, User, &me(".cursor/mcp.json"), "", &hooks);
    check(
        Agent::Copilot,
        User,
        &me(".copilot/mcp-config.json"),
        &me(".copilot/copilot-instructions.md"),
        &me(".copilot/hooks/recall-kit.json"),
    );
    check(
        Agent::VsCode,
        Project,
        "/project/.vscode/mcp.json",
        "/project/.github/copilot-instructions.md",
        "/project/.github/hooks/recall-kit.json",
    );
    check(
        Agent::Codex,
        Project,
        "/project/.codex/config.toml",
        "/project/AGENTS.md",
        "/project/.codex/hooks.json",
    );
}

#[test]
fn editors_store_settings_in_the_platforms_directory() {
    for config_dir in [
        "/home/me/.config",
        "/Users/me/Library/Application Support",
        r"C:\Users\me\AppData\Roaming",
    ] {
        let file = places(config_dir).servers(Agent::VsCode, Scope::User);
        let expected = Path::new(config_dir).join("Code/User/mcp.json");
        assert_eq!(file, Some(expected));
    }
}

#[test]
fn environment_variables_of_agents_move_their_files() {
    let places = Places {
        claude_dir: Some("/claude".into()),
        codex_dir: Some("/codex".into()),
        copilot_dir: Some("/copilot".into()),
        ..places("/home/me/.config")
    };
    let file = |agent| places.servers(agent, Scope::User);
    assert_eq!(file(Agent::ClaudeCode), Some("/claude/.claude.json".into()));
    assert_eq!(file(Agent::Codex), Some("/codex/config.toml".into()));
    assert_eq!(
        file(Agent::Copilot),
        Some("/copilot/mcp-config.json".into())
    );
    let hooks = |agent| places.hooks(agent, Scope::User);
    let expected = [
        "/claude/settings.json",
        "/codex/hooks.json",
        "/copilot/hooks/recall-kit.json",
    ];
    let found = [Agent::ClaudeCode, Agent::Codex, Agent::VsCode].map(hooks);
    assert_eq!(found, expected.map(PathBuf::from));
}
