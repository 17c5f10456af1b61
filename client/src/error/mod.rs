//! Everything that can keep a client from doing its work, each with a hint for the person.
//!
//! Source: client protocol, section "Error Handling".

#[cfg(test)]
mod tests;

use std::{fmt, time::Duration};

use recall_kit_shared_types::{ErrorBody, ErrorCode};

use crate::{
    config::{ConfigError, ServerUrlError},
    summarize::transcripts::TranscriptError,
};

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// `server.url` has none of the known forms.
    #[error(transparent)]
    ServerUrl(#[from] ServerUrlError),
    /// A text is no conversation that could be summarized.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// The local server program is not on this machine.
    #[error("cannot find the program `{program}`")]
    ProgramMissing {
        /// The program's file name.
        program: String,
    },
    /// The server could not be reached, or went away in the middle; retries did not help.
    #[error("cannot reach {server}{}: {reason}", tries(*attempts))]
    Network {
        /// The server's URL.
        server: String,
        /// The innermost cause.
        reason: String,
        /// How often it was tried.
        attempts: u32,
        /// Whether no try got as far as sending the call, so that the server cannot have acted on it.
        unsent: bool,
    },
    /// The server did not answer in time. Whether it did the work is unknown.
    #[error("{server} did not answer within {} ms", after.as_millis())]
    Timeout {
        /// The server's URL.
        server: String,
        /// The time one attempt may take.
        after: Duration,
    },
    /// The server refused fields of the request.
    #[error("the server refused the request: {}", Refusal(.0))]
    Validation(Box<ErrorBody>),
    /// The server failed.
    #[error("the server failed: {}", Refusal(.0))]
    Server(Box<ErrorBody>),
    /// The server wants to know who asks, or does not allow it.
    #[error("{server} denied access")]
    Denied {
        /// The server's URL.
        server: String,
    },
    /// The server, or a gateway before it, did not take the request.
    #[error("{server} did not take the request: HTTP status {status}")]
    Rejected {
        /// The server's URL.
        server: String,
        /// The HTTP status: 400 to 499, but 401, 403 and 429.
        status: u16,
    },
    /// The server answered the call with a JSON-RPC error.
    #[error("the server rejected the call: {message} ({code})")]
    Protocol {
        /// The JSON-RPC error code.
        code: i32,
        /// The server's words.
        message: String,
    },
    /// A server was asked for that the settings do not name.
    #[error(
        "there is no server `{name}` in the configuration; it has {}",
        list(known)
    )]
    UnknownServer {
        /// The name that was asked for.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// An experience was to be submitted like any other call.
    #[error("an experience has to be confirmed before it is sent")]
    Unconfirmed,
    /// What answered does not speak the contract.
    #[error("{server} gave an answer outside the contract: {reason}")]
    Answer {
        /// The server's URL.
        server: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// Says whether the same call may succeed a moment later without anyone doing anything.
    pub fn is_network(&self) -> bool {
        matches!(self, Self::Network { .. })
    }

    /// Says whether the server may have done what it did not confirm.
    pub fn leaves_unknown(&self) -> bool {
        matches!(
            self,
            Self::Timeout { .. } | Self::Network { unsent: false, .. } | Self::Answer { .. }
        )
    }

    /// Returns how often the call was tried.
    pub fn attempts(&self) -> u32 {
        match self {
            Self::Network { attempts, .. } => *attempts,
            _ => 1,
        }
    }

    /// Says whether the text itself is what was refused: a person has to change it.
    pub fn is_about_text(&self) -> bool {
        matches!(
            self,
            Self::Validation(_) | Self::Rejected { status: 413, .. }
        )
    }

    /// Says whether what was sent would be refused again as it is: its text, or a call that the
    /// server does not take.
    pub fn is_refusal(&self) -> bool {
        let is_rejected = matches!(self, Self::Protocol { .. }) && !self.is_failure_inside();
        self.is_about_text() || is_rejected
    }

    /// Says whether the server broke down over the call, which JSON-RPC has a code of its own for:
    /// the same call may succeed later.
    pub(crate) fn is_failure_inside(&self) -> bool {
        matches!(self, Self::Protocol { code, .. } if *code == rmcp::model::ErrorCode::INTERNAL_ERROR.0)
    }

    /// Returns the error as the server put it, when the server answered with one.
    pub fn body(&self) -> Option<&ErrorBody> {
        match self {
            Self::Validation(body) | Self::Server(body) => Some(body),
            _ => None,
        }
    }

    /// Returns what the person can do about it.
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
            Self::Transcript(error) => error.hint(),
            Self::UnknownServer { .. } => "name one of them, or add it to `servers`",
            Self::ProgramMissing { .. } => {
                "put it beside recall-kit-client or on the PATH, \
                 or set server.url to a server that runs elsewhere"
            }
            Self::Network { .. } => {
                "check that the server runs and that server.url is right; \
                 `recall-kit-client doctor` looks at both"
            }
            Self::Timeout { .. } => {
                "check the network, or raise server.timeout in the configuration"
            }
            Self::Validation(body) => validation_hint(body.code),
            Self::Server(_) => "try again later; the server's log says what happened",
            Self::Rejected { status: 413, .. } => "shorten it: it is larger than the server takes",
            Self::Rejected { .. } => {
                "check that server.url leads to a RecallKit server, with its path (/mcp)"
            }
            Self::Denied { .. } => "ask whoever runs the server for access",
            failure if failure.is_failure_inside() => "try again later",
            Self::Protocol { .. } => {
                "client and server may be of different versions; \
                 `recall-kit-client doctor` shows both"
            }
            Self::Unconfirmed => "share it with `share_experience`, or `recall-kit-client submit`",
            Self::Answer { .. } => {
                "check that server.url leads to a RecallKit server, with its path (/mcp)"
            }
        }
    }

    /// Sorts a contract error by who has to act: the person who asked, or the one who runs the
    /// server.
    pub(crate) fn from_body(body: Box<ErrorBody>) -> Self {
        match body.code {
            ErrorCode::InvalidKeywords
            | ErrorCode::InvalidLimit
            | ErrorCode::ValidationError
            | ErrorCode::ContextNotSanitized
            | ErrorCode::InvalidTitle
            | ErrorCode::MissingRequiredFields
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
            "switch the sanitizer on (sanitizer.enabled), or take the data out by hand"
        }
        ErrorCode::InvalidKeywords => "ask with 1 to 10,000 characters",
        ErrorCode::InvalidLimit => "ask for 1 to 50 records",
        _ => "correct what is named above and send it again",
    }
}

fn tries(attempts: u32) -> String {
    match attempts {
        0 | 1 => String::new(),
        more => format!(" ({more} tries)"),
    }
}

/// Shows an error of the contract: its message, then each refused field.
struct Refusal<'a>(&'a ErrorBody);

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        let problems = self.0.validation_errors.iter().flatten();
        // A single problem is often the whole message.
        for problem in problems.filter(|problem| problem.message != self.0.message) {
            write!(f, "\n  {}: {}", problem.field, problem.message)?;
        }
        Ok(())
    }
}
