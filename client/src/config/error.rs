//! The errors of reading the settings.

use std::{io, path::PathBuf};

use recall_kit_sanitizer::CustomError;
use serde_json::error::Category;

use super::keys::expected_value;

/// Why the settings could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is missing or may not be read.
    #[error("cannot read the configuration file {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The file is not JSON.
    #[error("the configuration file {} is not JSON: {cause}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What is wrong, without quoting the file.
        cause: JsonProblem,
    },
    /// The file is JSON, but not an object.
    #[error("the configuration file {} is not a JSON object", path.display())]
    NotAnObject {
        /// The file.
        path: PathBuf,
    },
    /// A section such as `server` is not an object.
    #[error("`{section}` in the configuration file {} is not an object", path.display())]
    NotASection {
        /// The file.
        path: PathBuf,
        /// The section's name.
        section: String,
    },
    /// A key is not the name of a setting.
    #[error(
        "unknown setting `{key}` in the configuration file {}; did you mean `{nearest}`?",
        path.display()
    )]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key as it was written.
        key: String,
        /// The most similar known name.
        nearest: String,
    },
    /// An environment variable is not the name of a setting.
    #[error("unknown setting `{variable}` in the environment; did you mean `{nearest}`?")]
    UnknownVariable {
        /// The variable as it was written.
        variable: String,
        /// The most similar known name.
        nearest: String,
    },
    /// A file uses `${` where it may not read the environment: the author of a checked-out file could have
    /// variables sent to their own server.
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
    /// A file that was found by searching weakens the user's protection, which even a trusted one may not do.
    #[error(
        "the configuration file {} has `{key}` {effect}; a file that was found in the working \
         directory or its parents may not do that: set it in your own configuration, or name the \
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
    /// A string uses `${NAME}`, but the environment has no `NAME`.
    #[error("the configuration uses ${{{0}}}, but the environment has no variable `{0}`")]
    UnsetVariable(String),
    /// A string has `${` without `}`.
    #[error("`${{` without `}}` in a string of the configuration")]
    OpenBrace,
    /// A time such as `server.timeout` is 0.
    #[error("{0} is 0; it counts milliseconds and must be at least 1")]
    ZeroTimeout(&'static str),
    /// The servers' names are missing, blank or not unique, or there are too many servers.
    #[error("`servers` in the configuration cannot be used: {reason}")]
    Servers {
        /// What is wrong.
        reason: String,
    },
    /// A value has the wrong type. The value itself may be secret and is not quoted.
    #[error("`{key}` in the configuration has to be {expected}")]
    Value {
        /// The setting.
        key: String,
        /// What it may contain.
        expected: &'static str,
    },
    /// A user-defined rule, or a server, lacks a key.
    #[error("`{key}` is missing in the configuration; it has to be {expected}")]
    MissingKey {
        /// The missing key.
        key: String,
        /// What it may contain.
        expected: &'static str,
    },
    /// A user-defined rule, or a server, has an unknown key.
    #[error("unknown setting `{key}` in the configuration; did you mean `{nearest}`?")]
    UnknownItemKey {
        /// The unknown key.
        key: String,
        /// The most similar known name.
        nearest: &'static str,
    },
    /// A user-defined rule, or an entry of the allow list, cannot be used. No example is quoted: it may
    /// contain what its rule has to remove.
    #[error("`{key}` in the configuration cannot be used: {cause}{why}")]
    OwnRule {
        /// Its key, such as `sanitizer.custom[0].pattern`.
        key: String,
        /// What is wrong.
        cause: Box<CustomError>,
        /// What is wrong with its regular expression, after a colon; empty if that is not the problem.
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

/// The place and kind of a JSON error, without the text itself.
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
            Category::Eof => "an unexpected end",
        };
        Self {
            what,
            line: error.line(),
            column: error.column(),
        }
    }
}
