//! The coding agents that `init` sets up: their names, and the content of their settings. [`change`] writes the files,
//! and `commands::init` talks to the user.

pub(crate) mod call;
pub(crate) mod change;
pub(crate) mod difference;
pub(crate) mod hooks;
mod json;
mod json_servers;
pub(crate) mod piece;
pub(crate) mod places;
mod rules;
pub(crate) mod search_path;
pub(crate) mod service;
#[cfg(test)]
mod tests;
mod toml_servers;

/// The name of the server in the settings of agents.
pub(crate) const SERVER_NAME: &str = "recall-kit";

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agent {
    ClaudeCode,
    Cursor,
    VsCode,
    Windsurf,
    Codex,
    Gemini,
    Copilot,
}

impl Agent {
    pub(crate) const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::Cursor,
        Self::VsCode,
        Self::Windsurf,
        Self::Codex,
        Self::Gemini,
        Self::Copilot,
    ];

    /// Returns the programs of the agent that a person may have on the `PATH`.
    pub(crate) fn programs(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude"],
            Self::Cursor => &["cursor", "cursor-agent"],
            Self::VsCode => &["code"],
            Self::Windsurf => &["windsurf"],
            Self::Codex => &["codex"],
            Self::Gemini => &["gemini"],
            Self::Copilot => &["copilot"],
        }
    }

    /// Returns its name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Windsurf => "Windsurf",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Copilot => "Copilot CLI",
        }
    }
}

/// The scope of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The user's own settings, for every project.
    User,
    /// The settings of one project, usually shared through version control.
    Project,
}

/// Why the text of an agent's settings cannot be changed. It quotes only names from the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    /// The text is not in the agent's format.
    #[error("it cannot be read: {0}")]
    Broken(String),
    /// A value has the wrong type.
    #[error("`{at}` is not {expected}")]
    Shape {
        /// The name of the value.
        at: String,
        /// The expected type.
        expected: &'static str,
    },
    /// The name is already used.
    #[error("it already has a server `{SERVER_NAME}`, which starts {0}")]
    Foreign(String),
    /// The file of the service is not ours.
    #[error("it was not written by recall-kit-client")]
    NotOurs,
}
