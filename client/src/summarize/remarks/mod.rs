//! What a person should know about a summary before confirming it.

mod words;

use std::{fmt, time::Duration};

use super::SampleError;
use crate::config::AiSettingsError;

/// Something about a summary that a person should check; `Display` shows it as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// No model wrote it: it was extracted from the conversation.
    Extracted,
    /// The AI of the settings failed to write it.
    AiFailed(AiFailure),
    /// The host's model failed to write it.
    HostFailed(SampleError),
    /// A command that does not occur in the conversation: the model may have made it up.
    UnknownCommand {
        /// The contract's name of the field that contains it.
        field: &'static str,
        /// The command.
        command: String,
    },
    /// The model got only a part of the conversation, because all of it was too long.
    Cut {
        /// The size of the part. *Unit*: percent.
        shown: u8,
    },
    /// The number of lines or records of the transcript that could not be read.
    Skipped(usize),
    /// The number of texts of the transcript that were left out as too long.
    LeftOut(usize),
    /// The number of other conversations in the transcript; the latest one was used.
    OthersInFile(usize),
    /// The conversation does not say what solved the problem.
    NoSolution,
}

impl Remark {
    /// Returns the remark in the language of a locale such as `zh_CN.UTF-8` or `fr`; in English for others.
    pub fn in_locale(&self, locale: &str) -> String {
        match locale {
            _ if locale.starts_with("zh") => words::in_chinese(self),
            _ if locale.starts_with("fr") => words::in_french(self),
            _ => self.to_string(),
        }
    }

    /// Returns the remark's name for programs, such as `unknown_command`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Extracted => "extracted",
            Self::AiFailed(_) => "ai_failed",
            Self::HostFailed(_) => "host_failed",
            Self::UnknownCommand { .. } => "unknown_command",
            Self::Cut { .. } => "cut",
            Self::Skipped(_) => "skipped",
            Self::LeftOut(_) => "left_out",
            Self::OthersInFile(_) => "others_in_file",
            Self::NoSolution => "no_solution",
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extracted => f.write_str(
                "no AI wrote this: it was extracted from the conversation (last error, what changed, \
                 what worked); check it",
            ),
            Self::AiFailed(why) => write!(f, "the AI did not write this: {why}"),
            Self::HostFailed(why) => write!(f, "the host's model did not write this: {why}"),
            Self::UnknownCommand { field, command } => write!(
                f,
                "`{command}` in {field} does not occur in the conversation: the model may have made \
                 it up"
            ),
            Self::Cut { shown } => write!(
                f,
                "the conversation is long: the model got its most important {shown} %; \
                 raise ai.contextWindow if the model's context window is larger"
            ),
            Self::Skipped(count) => write!(f, "skipped damaged lines of the transcript: {count}"),
            Self::LeftOut(count) => {
                write!(f, "texts of the transcript left out because they are too long: {count}")
            }
            Self::OthersInFile(count) => write!(
                f,
                "other conversations in the file: {count}; this is the most recently changed one"
            ),
            Self::NoSolution => f.write_str(
                "the conversation does not say what solved the problem: write it down before \
                 confirming",
            ),
        }
    }
}

/// Why the AI of the settings wrote nothing. The messages do not quote the AI's own, which may contain the
/// conversation or the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AiFailure {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] AiSettingsError),
    /// There was no answer in time.
    #[error("it did not answer within {} ms; raise ai.timeout if it is slow", .0.as_millis())]
    Timeout(Duration),
    /// The endpoint cannot be reached.
    #[error("it cannot be reached; check ai.baseUrl and the network")]
    Unreachable,
    /// The connection broke in the middle of the answer.
    #[error("the connection broke before its answer was complete")]
    Broken,
    /// The endpoint returned this HTTP status.
    #[error("it refused with status {status}{}", what_to_check(*status))]
    Refused {
        /// The status.
        status: u16,
    },
    /// The question is longer than the model's context window.
    #[error("the conversation is too long for it; lower ai.contextWindow to that of the model")]
    TooLong,
    /// The answer is not OpenAI-compatible.
    #[error("its answer is not OpenAI-compatible; check ai.baseUrl")]
    Foreign,
    /// The model declined to answer.
    #[error("the model declined to answer")]
    Declined,
    /// The answer reached its length limit.
    #[error("the model's answer was cut off because it was too long")]
    CutOff,
    /// The answer is not JSON, or has another shape, even the second time.
    #[error("the model's answer does not have the requested format")]
    Unusable,
}

fn what_to_check(status: u16) -> &'static str {
    match status {
        401 | 403 => "; check ai.apiKey",
        404 => "; check ai.baseUrl and ai.model",
        429 => ": too many requests, or the quota is used up; try again later",
        500..=599 => "; try again later",
        _ => "; check ai.model",
    }
}
