//! The coding agents that `init` sets up: what they are called and what stands in which of their
//! files. The files themselves are [`change`]'s part, the conversation `commands::init`'s.

pub(crate) mod call;
pub(crate) mod change;
pub(crate) mod difference;
mod hooks;
mod json;
mod json_servers;
pub(crate) mod piece;
pub(crate) mod places;
mod rules;
#[cfg(test)]
mod tests;
mod toml_servers;

/// The name under which agents know the server.
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
}

impl Agent {
    pub(crate) const ALL: [Self; 6] = [
        Self::ClaudeCode,
        Self::Cursor,
        Self::VsCode,
        Self::Windsurf,
        Self::Codex,
        Self::Gemini,
    ];

    /// Returns what people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Windsurf => "Windsurf",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
        }
    }
}

/// Whose settings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A person's own, for every project.
    User,
    /// Those of one project, usually shared through version control.
    Project,
}

/// Why a text of an agent's settings cannot be changed; it repeats nothing of the text but names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    /// The text is not what the agent reads.
    #[error("it cannot be read: {0}")]
    Broken(String),
    /// Something stands where another thing belongs.
    #[error("`{at}` is not {expected}")]
    Shape {
        /// Where.
        at: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// The name is taken.
    #[error("it has a server `{SERVER_NAME}` already, which starts {0}")]
    Foreign(String),
}
