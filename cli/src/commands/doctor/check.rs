//! One line of the report: the name of the check, its status, and a hint.

use console::{Alignment, pad_str};
use recall_kit_client::Error;
use serde::Serialize;

use crate::{
    terminal::{
        controls::visible,
        printer::{CYAN, DIM, GREEN, RED, YELLOW, styled},
    },
    words::DoctorWords,
};

/// The width of the names of the checks.
const NAME_WIDTH: usize = 13;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Ok,
    Warn,
    Fail,
    /// Not checked.
    Skip,
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Subject {
    Configuration,
    Program,
    Alive,
    Ready,
    Server,
    Tools,
    Sanitizer,
    Hooks,
    Errors,
}

impl Subject {
    fn label(self, words: &DoctorWords) -> &'static str {
        match self {
            Self::Configuration => words.configuration,
            Self::Program => words.program,
            Self::Alive => words.alive,
            Self::Ready => words.ready,
            Self::Server => words.server,
            Self::Tools => words.tools,
            Self::Sanitizer => words.sanitizer,
            Self::Hooks => words.hooks,
            Self::Errors => words.errors,
        }
    }
}

/// One line of the report.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    name: Subject,
    pub(super) status: Status,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Check {
    pub(super) fn ok(name: Subject, detail: impl Into<String>) -> Self {
        Self {
            name,
            status: Status::Ok,
            detail: detail.into(),
            hint: None,
        }
    }

    pub(super) fn warn(name: Subject, detail: impl Into<String>, hint: &str) -> Self {
        Self {
            status: Status::Warn,
            hint: Some(hint.to_owned()),
            ..Self::ok(name, detail)
        }
    }

    pub(super) fn fail(name: Subject, detail: impl Into<String>, hint: &str) -> Self {
        Self {
            status: Status::Fail,
            ..Self::warn(name, detail, hint)
        }
    }

    pub(super) fn skip(name: Subject, words: &DoctorWords) -> Self {
        Self::skipped(name, words.not_checked)
    }

    pub(super) fn skipped(name: Subject, detail: impl Into<String>) -> Self {
        Self {
            status: Status::Skip,
            ..Self::ok(name, detail)
        }
    }

    pub(super) fn failed(name: Subject, error: &Error, words: &DoctorWords) -> Self {
        let hint = match error.is_network() {
            true => words.start_it,
            false => error.hint(),
        };
        Self::fail(name, error.to_string(), hint)
    }
}

impl Check {
    pub(super) fn line(&self, words: &DoctorWords) -> String {
        let (style, mark) = match self.status {
            Status::Ok => (GREEN, "ok  "),
            Status::Warn => (YELLOW, "warn"),
            Status::Fail => (RED, "fail"),
            Status::Skip => (DIM, "skip"),
        };
        let name = pad_str(self.name.label(words), NAME_WIDTH, Alignment::Left, None);
        let line = format!("{}  {name}  {}", styled(style, mark), visible(&self.detail));
        match &self.hint {
            Some(hint) => {
                let indent = " ".repeat(NAME_WIDTH + 8);
                format!("{line}\n{indent}{} {hint}", styled(CYAN, words.hint))
            }
            None => line,
        }
    }
}
