//! Why no settings could be had.

use std::{io, path::PathBuf};

use recall_kit_sanitizer::CustomError;
use serde_json::error::Category;

use super::keys::expected_value;

/// Why no settings could be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is missing or may not be read.
    #[error("cannot read the configuration file {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        cause: io::Error,
    },
    /// The file is not JSON.
    #[error("the configuration file {} is not JSON: {cause}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What is wrong, in words that repeat nothing of the file.
        cause: JsonProblem,
    },
    /// The file is JSON, but not an object.
    #[error("the configuration file {} is not a JSON object", path.display())]
    NotAnObject {
        /// The file.
        path: PathBuf,
    },
    /// A section such as `server` holds something else than an object.
    #[error("`{section}` in the configuration file {} is not an object", path.display())]
    NotASection {
        /// The file.
        path: PathBuf,
        /// The section's name.
        section: String,
    },
    /// A key that no setting has.
    #[error(
        "unknown setting `{key}` in the configuration file {}; did you mean `{nearest}`?",
        path.display()
    )]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key as it was written.
        key: String,
        /// The most similar known one.
        nearest: String,
    },
    /// An environment variable that no setting has.
    #[error("unknown setting `{variable}` in the environment; did you mean `{nearest}`?")]
    UnknownVariable {
        /// The variable as it was written.
        variable: String,
        /// The most similar known one.
        nearest: String,
    },
    /// `${` in a file that may not read the environment there: whoever wrote a checked-out file
    /// could have variables sent to a server of their own.
    #[error(
        "the configuration file {} uses `${{` in `{key}`; a file that was found in the working \
         directory or its parents may use it in `ai.apiKey` only, unless --config or \
         RECALL_KIT_CLIENT_CONFIG names the file",
        path.display()
    )]
    UntrustedVariable {
        /// The file.
        path: PathBuf,
        /// The setting.
        key: String,
    },
    /// A merely found file weakens its user's protection, which even a trusted one may not do.
    #[error(
        "the configuration file {} has `{key}` {effect}; a file that was found in the working \
         directory or its parents may not decide that: say it in your own configuration, or name the \
         file with --config or RECALL_KIT_CLIENT_CONFIG",
        path.display()
    )]
    UntrustedSetting {
        /// The file.
        path: PathBuf,
        /// The setting.
        key: &'static str,
        /// What it would do.
        effect: &'static str,
    },
    /// `${NAME}` where the environment has no `NAME`.
    #[error("the configuration uses ${{{0}}}, but the environment has no variable `{0}`")]
    UnsetVariable(String),
    /// `${` without `}`.
    #[error("`${{` without `}}` in a string of the configuration")]
    OpenBrace,
    /// A time such as `server.timeout` is 0.
    #[error("{0} is 0; it counts milliseconds and must be at least 1")]
    ZeroTimeout(&'static str),
    /// The servers' names do not tell them apart.
    #[error("`servers` in the configuration cannot be used: {reason}")]
    Servers {
        /// What is wrong.
        reason: String,
    },
    /// A value has the wrong type. The value itself may be secret and is not repeated.
    #[error("`{key}` in the configuration has to be {expected}")]
    Value {
        /// The setting.
        key: String,
        /// What it may hold.
        expected: &'static str,
    },
    /// A rule of the user's own, or a server, lacks a key.
    #[error("`{key}` is missing in the configuration; it has to be {expected}")]
    MissingKey {
        /// Where it is missing.
        key: String,
        /// What it may hold.
        expected: &'static str,
    },
    /// A rule of the user's own, or a server, has a key that such do not have.
    #[error("unknown setting `{key}` in the configuration; did you mean `{nearest}`?")]
    UnknownItemKey {
        /// Where it stands.
        key: String,
        /// The most similar known one.
        nearest: &'static str,
    },
    /// A rule of the user's own, or an entry of the allow list, cannot be used. No example is
    /// repeated: it may hold what its rule is to remove.
    #[error("`{key}` in the configuration cannot be used: {cause}{why}")]
    OwnRule {
        /// Where it stands, such as `sanitizer.custom[0].pattern`.
        key: String,
        /// What is wrong.
        cause: Box<CustomError>,
        /// What is wrong with its expression, after a colon; empty where that is not it.
        why: String,
    },
}

impl From<config::ConfigError> for ConfigError {
    fn from(error: config::ConfigError) -> Self {
        use config::ConfigError::{At, NotFound, Type};
        let key = match error {
            Type { key, .. } | At { key, .. } => key,
            NotFound(key) => Some(key),
            _ => None,
        };
        let key = key.unwrap_or_default();
        Self::Value {
            expected: expected_value(&key),
            key,
        }
    }
}

/// Where a text stops being JSON, and in what way; never the text itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} at line {line} column {column}")]
pub struct JsonProblem {
    what: &'static str,
    line: usize,
    column: usize,
}

impl From<serde_json::Error> for JsonProblem {
    fn from(error: serde_json::Error) -> Self {
        let what = match error.classify() {
            Category::Io => "unreadable",
            Category::Syntax => "wrong syntax",
            Category::Data => "a value of the wrong type, or none",
            Category::Eof => "an early end",
        };
        Self {
            what,
            line: error.line(),
            column: error.column(),
        }
    }
}
