//! The errors of the client, each with a hint for the user.

#[cfg(test)]
mod tests;

use std::{fmt, time::Duration};

use recall_kit_shared_types::{ErrorBody, ErrorCode};

use crate::{
    config::{ConfigError, KEYS_HINT, KeysError, ServerUrlError},
    summarize::transcripts::TranscriptError,
};

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings are invalid or cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// `server.url` has an unknown form.
    #[error(transparent)]
    ServerUrl(#[from] ServerUrlError),
    /// The stored keys of servers cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// A text is not a conversation that can be summarized.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// The local server program is not on this machine.
    #[error("cannot find the program `{program}`")]
    ProgramMissing {
        /// The program's file name.
        program: String,
    },
    /// The server could not be reached, or the connection broke; retries did not help.
    #[error("cannot reach {server}{}: {reason}", attempts_suffix(*attempts))]
    Network {
        /// The server's URL.
        server: String,
        /// The innermost cause.
        reason: String,
        /// How many attempts were made.
        attempts: u32,
        /// Whether no attempt got as far as sending the call, so that the server cannot have acted on it.
        unsent: bool,
    },
    /// The server did not answer in time. It is unknown whether it executed the call.
    #[error("{server} did not answer within {} ms", after.as_millis())]
    Timeout {
        /// The server's URL.
        server: String,
        /// The time limit that was exceeded.
        after: Duration,
    },
    /// The server rejected fields of the request.
    #[error("the server refused the request: {}", Refusal(.0))]
    Validation(Box<ErrorBody>),
    /// The server failed.
    #[error("the server failed: {}", Refusal(.0))]
    Server(Box<ErrorBody>),
    /// The server requires authentication, or does not allow the call.
    #[error("{server} denied access")]
    Denied {
        /// The server's URL.
        server: String,
        /// The HTTP status: 401 or 403.
        status: u16,
    },
    /// The server, or a gateway in front of it, rejected the request.
    #[error("{server} rejected the request: HTTP status {status}")]
    Rejected {
        /// The server's URL.
        server: String,
        /// The HTTP status: 400 to 499, except 401, 403 and 429.
        status: u16,
    },
    /// The server answered the call with a JSON-RPC error.
    #[error("the server rejected the call: {message} ({code})")]
    Protocol {
        /// The JSON-RPC error code.
        code: i32,
        /// The server's message.
        message: String,
    },
    /// A server was requested that the settings do not name.
    #[error(
        "there is no server `{name}` in the configuration; it has {}",
        list(known)
    )]
    UnknownServer {
        /// The requested name.
        name: String,
        /// The names in the settings.
        known: Vec<String>,
    },
    /// The server is too old for a tool, or is none of RecallKit.
    #[error("{server} has no tool `{tool}`")]
    ToolMissing {
        /// The server's name or URL.
        server: String,
        /// The tool's name.
        tool: String,
    },
    /// An id, or the name of a library, names nothing or several things; the details name these.
    #[error("{}", Refusal(.0))]
    Unresolved(Box<ErrorBody>),
    /// `submit_experience` was called like any other tool, without a confirmation.
    #[error("an experience has to be confirmed before it is sent")]
    Unconfirmed,
    /// The answer does not follow the contract.
    #[error("{server} returned an unexpected answer: {reason}")]
    Answer {
        /// The server's URL.
        server: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// Returns whether the same call may succeed a moment later without any change.
    pub fn is_network(&self) -> bool {
        matches!(self, Self::Network { .. })
    }

    /// Returns whether the server may have executed the call although it did not confirm it.
    pub fn leaves_unknown(&self) -> bool {
        matches!(
            self,
            Self::Timeout { .. } | Self::Network { unsent: false, .. } | Self::Answer { .. }
        )
    }

    /// Returns how many attempts the call took.
    pub fn attempts(&self) -> u32 {
        match self {
            Self::Network { attempts, .. } => *attempts,
            _ => 1,
        }
    }

    /// Returns whether the text itself was rejected, so that a person has to change it.
    pub fn is_about_text(&self) -> bool {
        matches!(
            self,
            Self::Validation(_) | Self::Rejected { status: 413, .. }
        )
    }

    /// Returns whether the server would reject the same call again: because of its text, or because it
    /// does not accept the call at all.
    pub fn is_refusal(&self) -> bool {
        let is_rejected = matches!(self, Self::Protocol { .. }) && !self.is_internal_failure();
        self.is_about_text() || is_rejected
    }

    /// Returns whether the server failed internally (JSON-RPC's internal error), so that the same call
    /// may succeed later.
    pub(crate) fn is_internal_failure(&self) -> bool {
        matches!(self, Self::Protocol { code, .. } if *code == rmcp::model::ErrorCode::INTERNAL_ERROR.0)
    }

    /// Returns the server's own error, if the server answered with one.
    pub fn body(&self) -> Option<&ErrorBody> {
        match self {
            Self::Validation(body) | Self::Unresolved(body) | Self::Server(body) => Some(body),
            _ => None,
        }
    }

    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Config(_) => {
                "correct the file or the variable; \
                 `recall-kit-client init --force` writes a new file"
            }
            Self::ServerUrl(_) => {
                "use mcp://recall-kit-server for the local program, \
                 mcp://host[:port], or http(s)://host/mcp"
            }
            Self::Keys(_) => KEYS_HINT,
            Self::Transcript(error) => error.hint(),
            Self::UnknownServer { .. } => "name one of them, or add it to `servers`",
            Self::ToolMissing { .. } => {
                "update the server to this program's version; `recall-kit-client doctor` shows both"
            }
            Self::Unresolved(body) => unresolved_hint(body.code),
            Self::ProgramMissing { .. } => {
                "put it beside recall-kit-client or on the PATH, \
                 or set server.url to a server that runs elsewhere"
            }
            Self::Network { .. } => {
                "check that the server runs and that server.url is right; \
                 `recall-kit-client doctor` checks both"
            }
            Self::Timeout { .. } => {
                "check the network, or raise server.timeout in the configuration"
            }
            Self::Validation(body) => validation_hint(body.code),
            Self::Server(_) => "try again later; the server's log says what happened",
            Self::Rejected { status: 413, .. } => {
                "shorten it: it is larger than the server accepts"
            }
            Self::Rejected { .. } => {
                "check that server.url is that of a RecallKit server, including the path (/mcp)"
            }
            Self::Denied { .. } => {
                "`recall-kit-client keys set` stores the key that the server's administrator creates"
            }
            failure if failure.is_internal_failure() => "try again later",
            Self::Protocol { .. } => {
                "client and server may have different versions; \
                 `recall-kit-client doctor` shows both"
            }
            Self::Unconfirmed => "share it with `share_experience`, or `recall-kit-client submit`",
            Self::Answer { .. } => {
                "check that server.url is that of a RecallKit server, including the path (/mcp)"
            }
        }
    }

    /// Sorts an error of the contract by who has to act: the caller (`Validation`) or the server's
    /// administrator (`Server`).
    pub(crate) fn from_body(body: Box<ErrorBody>) -> Self {
        match body.code {
            ErrorCode::InvalidKeywords
            | ErrorCode::InvalidLimit
            | ErrorCode::ValidationError
            | ErrorCode::ContextNotSanitized
            | ErrorCode::InvalidTitle
            | ErrorCode::MissingRequiredFields
            | ErrorCode::NotFound
            | ErrorCode::EntryNotFound
            | ErrorCode::LibraryNotFound
            | ErrorCode::VersionNotFound
            | ErrorCode::SuggestionNotFound
            | ErrorCode::InvalidEntryType
            | ErrorCode::InvalidRelationType
            | ErrorCode::LinkAlreadyExists
            | ErrorCode::SelfLinkError => Self::Validation(body),
            ErrorCode::DatabaseError
            | ErrorCode::Timeout
            | ErrorCode::InternalError
            | ErrorCode::EmbeddingsDisabled
            | ErrorCode::ModelNotAvailable
            | ErrorCode::Unknown => Self::Server(body),
        }
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none with a name".to_owned(),
        names => names.join(", "),
    }
}

fn validation_hint(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ContextNotSanitized => {
            "switch the sanitizer on (sanitizer.enabled), or remove the data by hand"
        }
        ErrorCode::InvalidKeywords => "use 1 to 10,000 characters",
        ErrorCode::InvalidLimit => "ask for 1 to 50 records",
        _ => "correct what is named above and send it again",
    }
}

fn unresolved_hint(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ValidationError => {
            "give one of these ids; where servers share it, name one with --from"
        }
        ErrorCode::LibraryNotFound => {
            "`recall-kit-client docs` without a topic lists all libraries"
        }
        _ => {
            "results of `recall-kit-client recall` show ids; of an experience's, give at least 13 characters"
        }
    }
}

fn attempts_suffix(attempts: u32) -> String {
    match attempts {
        0 | 1 => String::new(),
        more => format!(" ({more} tries)"),
    }
}

/// Displays an error of the contract: its message, then each rejected field, then what was meant perhaps.
struct Refusal<'a>(&'a ErrorBody);

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        let problems = self.0.validation_errors.iter().flatten();
        // A single problem is often the whole message; it is not repeated.
        for problem in problems.filter(|problem| problem.message != self.0.message) {
            write!(f, "\n  {}: {}", problem.field, problem.message)?;
        }
        let details = self.0.details.as_ref();
        let candidates = details.and_then(|details| details["candidates"].as_array());
        for candidate in candidates.into_iter().flatten() {
            let text = |name: &str| candidate[name].as_str().unwrap_or_default();
            write!(f, "\n  {}: {}", text("id"), text("title"))?;
            if let Some(origin) = candidate["origin"].as_str() {
                write!(f, " ({origin})")?;
            }
        }
        Ok(())
    }
}
