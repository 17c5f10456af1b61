//! What a person should know about a summary before confirming it.

mod words;

use std::{fmt, time::Duration};

use super::SampleError;
use crate::config::AiSettingsError;

/// Something about a summary that a person should look at; `Display` says it in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// No model wrote it: it was put together from the conversation's own words.
    Extracted,
    /// The AI of the settings was to write it and did not.
    AiFailed(AiFailure),
    /// The host's model was to write it and did not.
    HostFailed(SampleError),
    /// A command that does not occur in the conversation: the model may have made it up.
    UnknownCommand {
        /// The field it stands in, as the contract calls it.
        field: &'static str,
        /// The command.
        command: String,
    },
    /// The model was shown a part of the conversation, the rest was too long.
    Cut {
        /// How much of it, in percent.
        shown: u8,
    },
    /// Lines or records of the transcript that could not be read.
    Skipped(usize),
    /// Texts of the transcript that were too long to be looked at.
    LeftOut(usize),
    /// The transcript has other conversations, of which the latest was taken.
    OthersInFile(usize),
    /// The conversation does not say what solved the problem.
    NoSolution,
}

impl Remark {
    /// Says the remark in the language of a locale such as `zh_CN.UTF-8` or `fr`; in English for others.
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
                 what worked); look it over",
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
                "the conversation is long: the model saw {shown} % of it, what matters most first; \
                 raise ai.contextWindow if the model reads more"
            ),
            Self::Skipped(count) => write!(f, "damaged lines of the transcript that were skipped: {count}"),
            Self::LeftOut(count) => {
                write!(f, "texts of the transcript that were left out as too long: {count}")
            }
            Self::OthersInFile(count) => write!(
                f,
                "other conversations in the file: {count}; this is the one that was changed last"
            ),
            Self::NoSolution => f.write_str(
                "the conversation does not say what solved the problem: write it down before \
                 confirming",
            ),
        }
    }
}

/// Why the AI of the settings wrote nothing; never in its words, which may repeat the conversation or
/// the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AiFailure {
    /// The settings lead nowhere.
    #[error(transparent)]
    Settings(#[from] AiSettingsError),
    /// There was no answer in time.
    #[error("it did not answer within {} ms; raise ai.timeout if it is slow", .0.as_millis())]
    Timeout(Duration),
    /// Nobody listens there.
    #[error("it cannot be reached; check ai.baseUrl and the network")]
    Unreachable,
    /// The connection broke in the middle of the answer.
    #[error("the connection broke before its answer was complete")]
    Broken,
    /// It refused with this HTTP status.
    #[error("it refused with status {status}{}", what_to_check(*status))]
    Refused {
        /// The status.
        status: u16,
    },
    /// The question is longer than the model reads.
    #[error("the conversation is too long for it; lower ai.contextWindow to what the model reads")]
    TooLong,
    /// What answered is not of the OpenAI kind.
    #[error("its answer is not of the OpenAI kind; check ai.baseUrl")]
    Foreign,
    /// The model does not want to.
    #[error("the model declined to answer")]
    Declined,
    /// The answer came to its limit of length.
    #[error("the model's answer was cut off, as it was too long")]
    CutOff,
    /// The answer is no JSON, or of another shape, also the second time.
    #[error("the model's answer is not of the shape that was asked for")]
    Unusable,
}

fn what_to_check(status: u16) -> &'static str {
    match status {
        401 | 403 => "; check ai.apiKey",
        404 => "; check ai.baseUrl and ai.model",
        429 => ": too many requests, or the account is used up; try again later",
        500..=599 => "; try again later",
        _ => "; check ai.model",
    }
}
