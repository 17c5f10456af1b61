//! The files of each agent's settings, rules and hooks, on every platform.
//!
//! Sources, read in November 2026: Claude Code, `code.claude.com/docs/en/mcp`, `/memory` and `/hooks`;
//! Cursor, `cursor.com/docs/mcp` and `/context/rules`; VS Code,
//! `code.visualstudio.com/docs/copilot/reference/mcp-configuration` and `/customization`; Windsurf,
//! `docs.windsurf.com/windsurf/cascade/mcp` and `/memories`; Codex, `developers.openai.com/codex/mcp`;
//! Gemini CLI, `geminicli.com/docs/tools/mcp-server` and `/cli/gemini-md`; Copilot CLI,
//! `docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers`. Those of hooks are in
//! [`crate::hosts`].

#[cfg(test)]
mod tests;

use std::{env, ffi::OsString, path::PathBuf};

use super::{Agent, Scope};

/// The directories of settings.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// The user's home directory.
    pub(crate) home: PathBuf,
    /// The directory where desktop programs store settings: `~/.config`, `~/Library/Application Support`,
    /// `%APPDATA%`.
    pub(crate) config_dir: PathBuf,
    /// The project: the working directory.
    pub(crate) project: PathBuf,
    /// `CLAUDE_CONFIG_DIR`, the directory of all files of Claude Code.
    pub(crate) claude_dir: Option<PathBuf>,
    /// `CODEX_HOME`, which replaces `~/.codex`.
    pub(crate) codex_dir: Option<PathBuf>,
    /// `COPILOT_HOME`, which replaces `~/.copilot`.
    pub(crate) copilot_dir: Option<PathBuf>,
    /// The folders of the `PATH`, in which agents' programs are looked for.
    pub(crate) path: Vec<PathBuf>,
}

/// A file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RulesFile {
    pub(crate) path: PathBuf,
    /// The required beginning of the file; a file with front matter contains only this program's rules.
    pub(crate) front_matter: Option<&'static str>,
}

impl Places {
    /// Reads the environment; `None` if there is no home directory.
    pub(crate) fn from_process() -> Option<Self> {
        let dirs = directories::BaseDirs::new()?;
        let named = |name: &str| {
            let value = env::var_os(name).filter(|value: &OsString| !value.is_empty());
            value.map(PathBuf::from)
        };
        Some(Self {
            home: dirs.home_dir().to_owned(),
            config_dir: dirs.config_dir().to_owned(),
            project: env::current_dir().ok()?,
            claude_dir: named("CLAUDE_CONFIG_DIR"),
            codex_dir: named("CODEX_HOME"),
            copilot_dir: named("COPILOT_HOME"),
            path: env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect(),
        })
    }

    /// Returns the agents on this machine: those that have a folder or a file of settings, or a program on the `PATH`.
    pub(crate) fn found(&self) -> Vec<Agent> {
        let has_program = |agent: &Agent| {
            let mut files = agent.programs().iter().flat_map(|program| {
                let file = format!("{program}{}", env::consts::EXE_SUFFIX);
                self.path.iter().map(move |folder| folder.join(&file))
            });
            files.any(|file| file.is_file())
        };
        let has_settings = |agent: &Agent| match agent {
            Agent::ClaudeCode => self.claude().is_dir() || self.home.join(".claude.json").is_file(),
            Agent::Cursor => self.home.join(".cursor").is_dir(),
            Agent::VsCode => self.vs_code().is_dir(),
            Agent::Windsurf => self.windsurf().is_dir(),
            Agent::Codex => self.codex().is_dir(),
            Agent::Gemini => self.home.join(".gemini").is_dir(),
            // The folder itself may be there for the hooks of VS Code.
            Agent::Copilot => ["config.json", "settings.json", "mcp-config.json"]
                .iter()
                .any(|name| self.copilot().join(name).is_file()),
        };
        let is_here = |agent: &Agent| has_settings(agent) || has_program(agent);
        Agent::ALL.into_iter().filter(is_here).collect()
    }

    /// Returns the file that lists an agent's servers; `None` if the agent has no such file.
    pub(crate) fn servers(&self, agent: Agent, scope: Scope) -> Option<PathBuf> {
        Some(match (agent, scope) {
            (Agent::ClaudeCode, Scope::User) => match &self.claude_dir {
                Some(dir) => dir.join(".claude.json"),
                None => self.home.join(".claude.json"),
            },
            (Agent::ClaudeCode, Scope::Project) => self.project.join(".mcp.json"),
            (Agent::Cursor, Scope::User) => self.home.join(".cursor/mcp.json"),
            (Agent::Cursor, Scope::Project) => self.project.join(".cursor/mcp.json"),
            (Agent::VsCode, Scope::User) => self.vs_code().join("mcp.json"),
            (Agent::VsCode, Scope::Project) => self.project.join(".vscode/mcp.json"),
            (Agent::Windsurf, Scope::User) => self.windsurf().join("mcp_config.json"),
            // Windsurf reads one file, for all projects.
            (Agent::Windsurf, Scope::Project) => return None,
            (Agent::Codex, Scope::User) => self.codex().join("config.toml"),
            // Codex reads it in projects that the user trusts.
            (Agent::Codex, Scope::Project) => self.project.join(".codex/config.toml"),
            (Agent::Gemini, Scope::User) => self.home.join(".gemini/settings.json"),
            (Agent::Gemini, Scope::Project) => self.project.join(".gemini/settings.json"),
            (Agent::Copilot, Scope::User) => self.copilot().join("mcp-config.json"),
            (Agent::Copilot, Scope::Project) => self.project.join(".github/mcp.json"),
        })
    }

    /// Returns the file of an agent's rules; `None` if the agent has no such file.
    pub(crate) fn rules(&self, agent: Agent, scope: Scope) -> Option<RulesFile> {
        let plain = |path: PathBuf| RulesFile {
            path,
            front_matter: None,
        };
        let own = |path: PathBuf, front_matter| RulesFile {
            path,
            front_matter: Some(front_matter),
        };
        Some(match (agent, scope) {
            (Agent::ClaudeCode, Scope::User) => plain(self.claude().join("CLAUDE.md")),
            (Agent::ClaudeCode, Scope::Project) => plain(self.project.join("CLAUDE.md")),
            // Cursor stores the user's rules in its database.
            (Agent::Cursor, Scope::User) => return None,
            (Agent::Cursor, Scope::Project) => own(
                self.project.join(".cursor/rules/recall-kit.mdc"),
                "---\ndescription: Shared memory\nalwaysApply: true\n---\n",
            ),
            (Agent::VsCode, Scope::User) => own(
                self.vs_code().join("prompts/recall-kit.instructions.md"),
                "---\napplyTo: '**'\n---\n",
            ),
            (Agent::VsCode, Scope::Project) => {
                plain(self.project.join(".github/copilot-instructions.md"))
            }
            (Agent::Windsurf, Scope::User) => {
                plain(self.windsurf().join("memories/global_rules.md"))
            }
            (Agent::Windsurf, Scope::Project) => own(
                self.project.join(".windsurf/rules/recall-kit.md"),
                "---\ntrigger: always_on\n---\n",
            ),
            (Agent::Codex, Scope::User) => plain(self.codex().join("AGENTS.md")),
            (Agent::Codex, Scope::Project) => plain(self.project.join("AGENTS.md")),
            (Agent::Gemini, Scope::User) => plain(self.home.join(".gemini/GEMINI.md")),
            (Agent::Gemini, Scope::Project) => plain(self.project.join("GEMINI.md")),
            (Agent::Copilot, Scope::User) => plain(self.copilot().join("copilot-instructions.md")),
            (Agent::Copilot, Scope::Project) => {
                plain(self.project.join(".github/copilot-instructions.md"))
            }
        })
    }

    /// Returns the file of an agent's hooks. VS Code and Copilot CLI read the same one.
    pub(crate) fn hooks(&self, agent: Agent, scope: Scope) -> PathBuf {
        match (agent, scope) {
            (Agent::ClaudeCode, Scope::User) => self.claude().join("settings.json"),
            (Agent::ClaudeCode, Scope::Project) => self.project.join(".claude/settings.json"),
            (Agent::Codex, Scope::User) => self.codex().join("hooks.json"),
            (Agent::Codex, Scope::Project) => self.project.join(".codex/hooks.json"),
            (Agent::Cursor, Scope::User) => self.home.join(".cursor/hooks.json"),
            (Agent::Cursor, Scope::Project) => self.project.join(".cursor/hooks.json"),
            (Agent::Gemini, Scope::User) => self.home.join(".gemini/settings.json"),
            (Agent::Gemini, Scope::Project) => self.project.join(".gemini/settings.json"),
            (Agent::Copilot | Agent::VsCode, Scope::User) => {
                self.copilot().join("hooks/recall-kit.json")
            }
            (Agent::Copilot | Agent::VsCode, Scope::Project) => {
                self.project.join(".github/hooks/recall-kit.json")
            }
            (Agent::Windsurf, Scope::User) => self.windsurf().join("hooks.json"),
            (Agent::Windsurf, Scope::Project) => self.project.join(".windsurf/hooks.json"),
        }
    }

    fn claude(&self) -> PathBuf {
        let named = self.claude_dir.clone();
        named.unwrap_or_else(|| self.home.join(".claude"))
    }

    fn codex(&self) -> PathBuf {
        let named = self.codex_dir.clone();
        named.unwrap_or_else(|| self.home.join(".codex"))
    }

    fn copilot(&self) -> PathBuf {
        let named = self.copilot_dir.clone();
        named.unwrap_or_else(|| self.home.join(".copilot"))
    }

    fn vs_code(&self) -> PathBuf {
        self.config_dir.join("Code").join("User")
    }

    fn windsurf(&self) -> PathBuf {
        self.home.join(".codeium").join("windsurf")
    }
}
