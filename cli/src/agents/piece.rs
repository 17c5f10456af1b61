//! A piece of settings that is added to one file of an agent, in the file's own format.

use super::{
    Agent, EditError, call::Call, hooks, hooks::HookFormat, json_servers, json_servers::Shape,
    rules, service, toml_servers,
};

/// A piece of settings in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The server, in JSON.
    JsonServer { shape: Shape, call: Call },
    /// The server, in TOML.
    TomlServer { call: Call },
    /// The hooks; `program` is quoted for a shell.
    Hooks { format: HookFormat, program: String },
    /// The rules.
    Rules { front_matter: Option<&'static str> },
    /// The service that runs the server: the whole file.
    Service { text: String },
    /// Several pieces in the same file.
    Several(Vec<Piece>),
}

impl Piece {
    /// Returns the entry for an agent's list of servers.
    pub(crate) fn server(agent: Agent, call: Call) -> Self {
        let shape = |container, is_typed| Shape {
            container,
            is_typed,
            names_tools: false,
        };
        let shape = match agent {
            Agent::Codex => return Self::TomlServer { call },
            Agent::VsCode => shape("servers", true),
            Agent::ClaudeCode => shape("mcpServers", true),
            Agent::Cursor | Agent::Windsurf | Agent::Gemini => shape("mcpServers", false),
            Agent::Copilot => Shape {
                names_tools: true,
                ..shape("mcpServers", true)
            },
        };
        Self::JsonServer { shape, call }
    }

    /// Returns the text with the piece. `force` replaces another server with the same name.
    pub(crate) fn added(&self, text: &str, force: bool) -> Result<String, EditError> {
        match self {
            Self::JsonServer { shape, call } => json_servers::added(text, *shape, call, force),
            Self::TomlServer { call } => toml_servers::added(text, call, force),
            Self::Hooks { format, program } => hooks::added(text, *format, program),
            Self::Rules { front_matter } => rules::added(text, *front_matter),
            Self::Service { text: service } => service::added(text, service, force),
            Self::Several(pieces) => pieces
                .iter()
                .try_fold(text.to_owned(), |text, piece| piece.added(&text, force)),
        }
    }

    /// Returns the text without the piece; `None` if it does not contain it.
    pub(crate) fn removed(&self, text: &str) -> Result<Option<String>, EditError> {
        match self {
            Self::JsonServer { shape, .. } => json_servers::removed(text, *shape),
            Self::TomlServer { .. } => toml_servers::removed(text),
            Self::Hooks { format, .. } => hooks::removed(text, *format),
            Self::Rules { .. } => rules::removed(text),
            Self::Service { .. } => Ok(service::removed(text)),
            Self::Several(pieces) => {
                pieces
                    .iter()
                    .try_fold(None, |removed: Option<String>, piece| {
                        let without = piece.removed(removed.as_deref().unwrap_or(text))?;
                        Ok(without.or(removed))
                    })
            }
        }
    }

    /// Returns the piece as it is in a text; another version or another copy of the program may have written it.
    pub(crate) fn installed(&self, text: &str) -> Option<Self> {
        Some(match self {
            Self::JsonServer { shape, .. } => Self::JsonServer {
                shape: *shape,
                call: json_servers::installed(text, *shape)?,
            },
            Self::TomlServer { .. } => Self::TomlServer {
                call: toml_servers::installed(text)?,
            },
            Self::Hooks { format, .. } => Self::Hooks {
                format: *format,
                program: hooks::installed(text, *format)?,
            },
            Self::Rules { .. } => self.clone(),
            Self::Service { .. } => Self::Service {
                text: service::installed(text)?,
            },
            Self::Several(pieces) => {
                let pieces = pieces.iter().filter_map(|piece| piece.installed(text));
                let pieces: Vec<Self> = pieces.collect();
                (!pieces.is_empty()).then_some(Self::Several(pieces))?
            }
        })
    }

    /// Returns how an agent starts this program, if the piece is an entry in a list of servers.
    pub(crate) fn call(&self) -> Option<&Call> {
        match self {
            Self::JsonServer { call, .. } | Self::TomlServer { call } => Some(call),
            Self::Several(pieces) => pieces.iter().find_map(Self::call),
            Self::Hooks { .. } | Self::Rules { .. } | Self::Service { .. } => None,
        }
    }

    /// Returns the text that the user can paste if the file cannot be changed.
    pub(crate) fn by_hand(&self) -> String {
        self.added("", false).unwrap_or_default()
    }
}
