//! Turns a conversation into a draft: with the AI of the settings, with a model of the host, or by
//! extraction.
//!
//! The conversation is sanitized before anything else is done with it, and the draft is sanitized again
//! before it is sent, like every draft.

mod clean;
pub(crate) mod code;
mod commands;
mod endpoint;
mod episodes;
mod excerpt;
mod extraction;
mod question;
mod remarks;
mod signs;
#[cfg(test)]
mod tests;
pub(crate) mod transcripts;

use async_trait::async_trait;
use serde_json::Value;
use tokio::time::Instant;

pub use commands::commands_in;
pub(crate) use endpoint::Endpoint;
pub use episodes::Episode;
use question::Bounds;
pub(crate) use question::object_in;
use recall_kit_shared_types::limits::MAX_KEYWORD_CHARS;
pub use remarks::{AiFailure, Remark};
pub(crate) use signs::Language;

use crate::{Conversation, Draft, Error, RecallKitClient, TranscriptError, config::AiEndpoint};

/// The maximum length of a title that is created here; the contract allows more, but short titles are easier
/// to read. *Unit*: characters.
const TITLE_CHARS: usize = 120;
/// The maximum number of keywords of a summary.
const MAX_KEYWORDS: usize = 8;
/// The maximum number of tokens of an answer, and the part of the window that is reserved for it: one
/// fourth.
const MAX_ANSWER_TOKENS: u32 = 1_200;
const ANSWER_SHARE: u32 = 4;
/// The number of tokens that endpoints add around the messages.
const MARGIN: usize = 64;
/// The assumed window of a host's model, because hosts do not report it. *Unit*: tokens.
const HOST_WINDOW: u32 = 16_000;

/// A language model that the host of an MCP server provides (`sampling/createMessage`).
#[async_trait]
pub trait Sampler: Send + Sync {
    /// Asks the model and returns its answer as text: JSON with the question's schema, if the model follows
    /// it.
    ///
    /// *Errors*: [`SampleError`], if there is no answer.
    async fn sample(&self, question: &Question) -> Result<String, SampleError>;
}

/// A question to a model; it is already sanitized.
#[derive(Clone, PartialEq)]
pub struct Question {
    /// The instruction.
    pub system: String,
    /// The conversation. It is data: nothing in it is an instruction.
    pub text: String,
    /// The JSON schema of the answer.
    pub schema: Value,
    /// The maximum number of tokens of the answer.
    pub max_tokens: u32,
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question")
            .field("text", &self.text.len())
            .field("max_tokens", &self.max_tokens)
            .finish_non_exhaustive()
    }
}

/// Why a host's model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The host or its user declined.
    #[error("the host declined to ask its model")]
    Declined,
    /// Any other failure; the message contains nothing of the question.
    #[error("the host could not ask its model: {0}")]
    Failed(String),
}

/// A draft, its author, and what a person should know before confirming it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The draft; [`RecallKitClient::prepare`] comes next, as for any other.
    pub draft: Draft,
    /// Its author.
    pub made_by: MadeBy,
    /// What a person should check.
    pub remarks: Vec<Remark>,
}

/// The author of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MadeBy {
    /// The AI of the settings.
    Ai {
        /// The model's name.
        model: String,
    },
    /// A model of the host.
    Host,
    /// No model: it was extracted from the last error, the changes after it, and what worked.
    Extraction,
}

impl RecallKitClient {
    /// Creates a draft from a conversation; nothing is submitted.
    ///
    /// The AI of the settings is asked if there is one, then `host`; if both fail, the draft is extracted
    /// without a model. Both models get the conversation sanitized, even if the settings switch the sanitizer
    /// off. A failure of a model is among the [remarks](Summary::remarks) and is not an error.
    ///
    /// *Errors*: [`Error::Transcript`], if sanitizing the conversation was stopped.
    pub async fn summarize(
        &self,
        conversation: &Conversation,
        host: Option<&dyn Sampler>,
    ) -> Result<Summary, Error> {
        let start = Instant::now();
        let sanitizer = self.sanitizer.clone();
        let original = conversation.clone();
        // Scanning a long conversation takes a while and must not block other tasks.
        let cleaned = tokio::task::spawn_blocking(move || clean::sanitized(&original, &sanitizer));
        let clean = cleaned.await.map_err(|_| TranscriptError::Stopped)?;
        let mut remarks = remarks_on(conversation);
        let written = self
            .written_by_model(start, &clean, host, &mut remarks)
            .await;
        let (mut draft, made_by) = match written {
            Some(written) => written,
            None => {
                let draft = extraction::draft(&clean);
                remarks.push(Remark::Extracted);
                if draft.solution.trim().is_empty() {
                    remarks.push(Remark::NoSolution);
                }
                (draft, MadeBy::Extraction)
            }
        };
        episodes::add_failed_ways(&mut draft, &clean);
        Ok(Summary {
            draft,
            made_by,
            remarks,
        })
    }

    /// Lets a model write the draft: the one of the settings, whose time limit counts from `start`, else
    /// the host's.
    async fn written_by_model(
        &self,
        start: Instant,
        clean: &Conversation,
        host: Option<&dyn Sampler>,
        remarks: &mut Vec<Remark>,
    ) -> Option<(Draft, MadeBy)> {
        let endpoint = self.config.ai.endpoint(|name| std::env::var(name).ok());
        match endpoint {
            Ok(None) => {}
            Err(error) => remarks.push(Remark::AiFailed(error.into())),
            Ok(Some(endpoint)) => match by_endpoint(&endpoint, start, clean, remarks).await {
                Ok(draft) => {
                    return Some((
                        draft,
                        MadeBy::Ai {
                            model: endpoint.model,
                        },
                    ));
                }
                Err(failure) => remarks.push(Remark::AiFailed(failure)),
            },
        }
        match by_host(host?, clean, remarks).await {
            Ok(draft) => Some((draft, MadeBy::Host)),
            Err(failure) => {
                remarks.push(Remark::HostFailed(failure));
                None
            }
        }
    }
}

/// Returns remarks on what could not be read of a conversation.
fn remarks_on(conversation: &Conversation) -> Vec<Remark> {
    let reading = conversation.reading();
    let counted = [
        (reading.others, Remark::OthersInFile as fn(usize) -> Remark),
        (reading.skipped, Remark::Skipped),
        (reading.left_out, Remark::LeftOut),
    ];
    let counted = counted.into_iter().filter(|(count, _)| *count > 0);
    counted.map(|(count, remark)| remark(count)).collect()
}

async fn by_endpoint(
    settings: &AiEndpoint,
    start: Instant,
    clean: &Conversation,
    remarks: &mut Vec<Remark>,
) -> Result<Draft, AiFailure> {
    let endpoint = Endpoint::since(settings, start)?;
    let mut bounds = bounds(settings.window, !endpoint.is_strict());
    let excerpt = excerpt(clean, settings.window, bounds);
    let question = question::about(excerpt.text.clone(), bounds);
    let draft = endpoint
        .ask(&question)
        .await
        .and_then(|answer| question::read(&answer));
    let draft = match draft {
        Err(AiFailure::Unusable | AiFailure::CutOff) => {
            bounds.is_second = true;
            let question = question::about(excerpt.text, bounds);
            endpoint
                .ask(&question)
                .await
                .and_then(|answer| question::read(&answer))
        }
        draft => draft,
    }?;
    remarks.extend(remarks_on_draft(&draft, clean, excerpt.shown));
    Ok(draft)
}

async fn by_host(
    host: &dyn Sampler,
    clean: &Conversation,
    remarks: &mut Vec<Remark>,
) -> Result<Draft, SampleError> {
    let mut bounds = bounds(HOST_WINDOW, false);
    let excerpt = excerpt(clean, HOST_WINDOW, bounds);
    let sample_error = |failure: AiFailure| match failure {
        AiFailure::Declined => SampleError::Declined,
        failure => SampleError::Failed(failure.to_string()),
    };
    let question = question::about(excerpt.text.clone(), bounds);
    let draft = question::read(&host.sample(&question).await?);
    let draft = match draft {
        Err(AiFailure::Unusable) => {
            bounds.is_second = true;
            let question = question::about(excerpt.text, bounds);
            question::read(&host.sample(&question).await?)
        }
        draft => draft,
    };
    let draft = draft.map_err(sample_error)?;
    remarks.extend(remarks_on_draft(&draft, clean, excerpt.shown));
    Ok(draft)
}

fn bounds(window: u32, in_schema: bool) -> Bounds {
    Bounds {
        max_tokens: (window / ANSWER_SHARE).min(MAX_ANSWER_TOKENS),
        in_schema,
        is_second: false,
    }
}

fn excerpt(clean: &Conversation, window: u32, bounds: Bounds) -> excerpt::Excerpt {
    let instruction = excerpt::tokens(&question::surroundings()) + MARGIN;
    let reserved = bounds.max_tokens as usize + instruction;
    excerpt::of(clean, (window as usize).saturating_sub(reserved))
}

fn remarks_on_draft(draft: &Draft, clean: &Conversation, shown: u8) -> Vec<Remark> {
    let mut remarks = commands::unknown(draft, clean);
    if shown < 100 {
        remarks.push(Remark::Cut { shown });
    }
    remarks
}

/// Returns the first characters of a text, with an ellipsis if it is cut.
fn shortened(text: &str, most: usize) -> String {
    let text = text.trim_end();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", start.trim_end())
}

/// Returns keywords in the form of the contract, each once.
fn valid_keywords(words: Vec<&str>) -> Vec<String> {
    let mut keywords: Vec<String> = Vec::new();
    for word in words {
        let word = word
            .trim()
            .trim_matches(|c: char| "`'\"*,;:()".contains(c))
            .to_lowercase();
        let fits = !word.is_empty() && word.chars().count() <= MAX_KEYWORD_CHARS;
        if fits && !keywords.contains(&word) {
            keywords.push(word);
        }
    }
    keywords.truncate(MAX_KEYWORDS);
    keywords
}
