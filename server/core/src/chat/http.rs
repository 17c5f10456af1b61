//! Chat completions from any OpenAI-compatible endpoint, in its JSON schema mode.

use async_openai::{
    Client,
    config::OpenAIConfig,
    types::chat::{
        ChatCompletionRequestMessage, ChatCompletionRequestSystemMessage,
        ChatCompletionRequestUserMessage, CreateChatCompletionRequest, FinishReason,
        ResponseFormat, ResponseFormatJsonSchema,
    },
};
use recall_kit_embed::what_failed;
use serde_json::Value;

use super::{ChatError, Question};

/// The most tokens of an answer, so that a model that does not stop costs no more than these.
const MAX_ANSWER_TOKENS: u32 = 8_000;

/// A model behind an HTTP endpoint.
pub(super) struct HttpModel {
    client: Client<OpenAIConfig>,
    name: String,
}

impl HttpModel {
    /// Prepares a client; an empty key sends none.
    pub(super) fn new(base_url: String, api_key: String, name: String) -> Self {
        let config = OpenAIConfig::new()
            .with_api_base(base_url)
            .with_api_key(api_key);
        let client = Client::with_config(config);
        Self { client, name }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Sends a question and returns the raw answer. The client retries three times when the endpoint
    /// is overloaded.
    pub(super) async fn ask(
        &self,
        question: &Question<'_>,
        text: String,
        schema: Value,
    ) -> Result<String, ChatError> {
        let instruction = ChatCompletionRequestSystemMessage::from(question.instruction);
        let request = CreateChatCompletionRequest {
            model: self.name.clone(),
            messages: vec![
                ChatCompletionRequestMessage::System(instruction),
                ChatCompletionRequestMessage::User(ChatCompletionRequestUserMessage::from(text)),
            ],
            response_format: Some(ResponseFormat::JsonSchema {
                json_schema: ResponseFormatJsonSchema {
                    description: None,
                    name: question.shape.to_owned(),
                    schema,
                    strict: Some(true),
                },
            }),
            max_completion_tokens: Some(MAX_ANSWER_TOKENS),
            ..CreateChatCompletionRequest::default()
        };
        let answered = self.client.chat().create(request).await;
        let answer = answered.map_err(|error| ChatError::Endpoint(what_failed(&error)))?;
        let choice = answer.choices.into_iter().next();
        let choice = choice.ok_or(ChatError::Unusable)?;
        if choice.message.refusal.is_some()
            || choice.finish_reason == Some(FinishReason::ContentFilter)
        {
            return Err(ChatError::Declined);
        }
        if choice.finish_reason == Some(FinishReason::Length) {
            return Err(ChatError::CutOff);
        }
        choice.message.content.ok_or(ChatError::Unusable)
    }
}
