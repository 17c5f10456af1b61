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
        assert_eq!(places.hooks(agent, scope), path(hooks), "{agent:?}");
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
    check(Agent::Windsurf, User, &servers, &rules, "");
    let rules = "/project/.windsurf/rules/recall-kit.md";
    check(Agent::Windsurf, Project, "", rules, "");
    check(Agent::Cursor, User, &me(".cursor/mcp.json"), "", "");
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
        ..places("/home/me/.config")
    };
    let file = |agent| places.servers(agent, Scope::User);
    assert_eq!(file(Agent::ClaudeCode), Some("/claude/.claude.json".into()));
    assert_eq!(file(Agent::Codex), Some("/codex/config.toml".into()));
    let hooks = places.hooks(Agent::ClaudeCode, Scope::User);
    assert_eq!(hooks, Some("/claude/settings.json".into()));
}
