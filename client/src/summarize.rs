//! From a conversation to a draft: by the AI of the settings, by a model that the host lends, or by
//! extraction.
//!
//! The conversation is sanitized before anything looks at it, and the draft is sanitized again on its
//! way out, as every draft is. Source: client protocol, "Summary Service".

mod clean;
mod extraction;
mod remarks;
mod signs;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use serde_json::Value;

pub use remarks::Remark;

use crate::{Conversation, Draft, Error, RecallKitClient};

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
        let _ = host;
        let clean = clean::sanitized(conversation, &self.sanitizer);
        Ok(Summary {
            draft: extraction::draft(&clean),
            made_by: MadeBy::Extraction,
            remarks: vec![Remark::Extracted],
        })
    }
}
