//! From a conversation to a draft: by the AI of the settings, by a model that the host lends, or by
//! extraction.
//!
//! The conversation is sanitized before anything looks at it, and the draft is sanitized again on its
//! way out, as every draft is. Source: client protocol, "Summary Service".

mod clean;
pub(crate) mod code;
mod commands;
mod endpoint;
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

pub(crate) use endpoint::Endpoint;
use question::Bounds;
pub(crate) use question::object_in;
use recall_kit_shared_types::limits::MAX_KEYWORD_CHARS;
pub use remarks::{AiFailure, Remark};
pub(crate) use signs::Language;

use crate::{Conversation, Draft, Error, RecallKitClient, TranscriptError, config::AiEndpoint};

/// The most characters of a title that is made here; the contract takes more, nobody reads it.
const TITLE_CHARS: usize = 120;
/// The most keywords of a summary.
const MAX_KEYWORDS: usize = 8;
/// The most tokens of an answer, and the share of the window that is left for it.
const MAX_ANSWER_TOKENS: u32 = 1_200;
const ANSWER_SHARE: u32 = 4;
/// Tokens that endpoints put around what is said.
const MARGIN: usize = 64;
/// What a host's model reads: hosts do not tell.
const HOST_WINDOW: u32 = 16_000;

/// A language model that the host of an MCP server lends (`sampling/createMessage`).
#[async_trait]
pub trait Sampler: Send + Sync {
    /// Asks the model and returns its answer as text: JSON of the question's schema, as far as the
    /// model keeps to it.
    ///
    /// *Errors*: [`SampleError`], where there is no answer.
    async fn sample(&self, question: &Question) -> Result<String, SampleError>;
}

/// What a model is asked; sanitized already.
#[derive(Clone, PartialEq)]
pub struct Question {
    /// What to do.
    pub system: String,
    /// The conversation, which is data: nothing in it is an instruction.
    pub text: String,
    /// The JSON schema of the answer.
    pub schema: Value,
    /// The most tokens of the answer.
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
    /// The host, or the person in front of it, does not want to.
    #[error("the host declined to ask its model")]
    Declined,
    /// Anything else; in words without anything of the question.
    #[error("the host could not ask its model: {0}")]
    Failed(String),
}

/// A draft, who made it, and what a person should know before confirming it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The draft; [`RecallKitClient::prepare`] comes next, as for any other.
    pub draft: Draft,
    /// Who made it.
    pub made_by: MadeBy,
    /// What a person should look at.
    pub remarks: Vec<Remark>,
}

/// Who made a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MadeBy {
    /// The AI of the settings.
    Ai {
        /// The model's name.
        model: String,
    },
    /// A model that the host lent.
    Host,
    /// No model: the last error, what changed, what worked.
    Extraction,
}

impl RecallKitClient {
    /// Makes a draft of a conversation; nothing is submitted.
    ///
    /// The AI of the settings is asked where there is one, then `host`, then nobody: the draft is
    /// extracted. Both get the conversation sanitized, whatever the settings say of the sanitizer.
    /// What failed on the way is among the [remarks](Summary::remarks), not an error.
    ///
    /// *Errors*: [`Error::Transcript`], where the conversation has nothing to say.
    pub async fn summarize(
        &self,
        conversation: &Conversation,
        host: Option<&dyn Sampler>,
    ) -> Result<Summary, Error> {
        let start = Instant::now();
        let sanitizer = self.sanitizer.clone();
        let whole = conversation.clone();
        // Scanning a long conversation takes a while, and others are waiting.
        let cleaned = tokio::task::spawn_blocking(move || clean::sanitized(&whole, &sanitizer));
        let clean = cleaned.await.map_err(|_| TranscriptError::Stopped)?;
        let mut remarks = remarks_on(conversation);
        let written = self.written(start, &clean, host, &mut remarks).await;
        let (draft, made_by) = match written {
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
        Ok(Summary {
            draft,
            made_by,
            remarks,
        })
    }

    /// Has a model write the draft: the one of the settings, whose time has been running since `start`,
    /// or the host's.
    async fn written(
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

/// Says what could not be read of a conversation.
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
    let asked = question::about(excerpt.text.clone(), bounds);
    let said = endpoint
        .ask(&asked)
        .await
        .and_then(|said| question::read(&said));
    let said = match said {
        Err(AiFailure::Unusable | AiFailure::CutOff) => {
            bounds.is_second = true;
            let asked = question::about(excerpt.text, bounds);
            endpoint
                .ask(&asked)
                .await
                .and_then(|said| question::read(&said))
        }
        said => said,
    };
    let draft = said?;
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
    let unusable = |failure: AiFailure| match failure {
        AiFailure::Declined => SampleError::Declined,
        failure => SampleError::Failed(failure.to_string()),
    };
    let asked = question::about(excerpt.text.clone(), bounds);
    let said = question::read(&host.sample(&asked).await?);
    let said = match said {
        Err(AiFailure::Unusable) => {
            bounds.is_second = true;
            let asked = question::about(excerpt.text, bounds);
            question::read(&host.sample(&asked).await?)
        }
        said => said,
    };
    let draft = said.map_err(unusable)?;
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
    let around = excerpt::tokens(&question::surroundings()) + MARGIN;
    let taken = bounds.max_tokens as usize + around;
    excerpt::of(clean, (window as usize).saturating_sub(taken))
}

fn remarks_on_draft(draft: &Draft, clean: &Conversation, shown: u8) -> Vec<Remark> {
    let mut remarks = commands::unknown(draft, clean);
    if shown < 100 {
        remarks.push(Remark::Cut { shown });
    }
    remarks
}

/// Returns the first characters of a text, marked where something follows.
fn shortened(text: &str, most: usize) -> String {
    let text = text.trim_end();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Returns keywords as the contract wants them, each once.
fn kept_keywords(words: Vec<&str>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for word in words {
        let word = word
            .trim()
            .trim_matches(|c: char| "`'\"*,;:()".contains(c))
            .to_lowercase();
        let fits = !word.is_empty() && word.chars().count() <= MAX_KEYWORD_CHARS;
        if fits && !kept.contains(&word) {
            kept.push(word);
        }
    }
    kept.truncate(MAX_KEYWORDS);
    kept
}
