//! The error answer of a knowledge tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{ErrorBody, ErrorCode};

/// The answer of a knowledge tool that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnowledgeFailure {
    /// What went wrong.
    pub error: KnowledgeError,
}

/// An error, for programs (`code`) and for people (`message`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnowledgeError {
    /// One of the error codes.
    pub code: ErrorCode,
    /// One sentence for people.
    pub message: String,
    /// An object with anything that helps to correct the call; rejected fields are in `fields`.
    pub details: Value,
}

impl From<ErrorBody> for KnowledgeFailure {
    fn from(body: ErrorBody) -> Self {
        let mut details = match body.details {
            Some(Value::Object(details)) => details,
            _ => Map::new(),
        };
        let mut message = body.message;
        if let Some(fields) = body.validation_errors {
            // Agents read the message, so it lists what is wrong with each field.
            if body.code == ErrorCode::ValidationError {
                let messages: Vec<&str> = fields.iter().map(|e| e.message.as_str()).collect();
                message = messages.join("; ");
            }
            let fields = fields.into_iter();
            let fields = fields.map(|e| json!({"field": e.field, "message": e.message}));
            details.insert("fields".to_owned(), fields.collect());
        }
        if let Some(status) = body.code.http_status() {
            details.insert("status".to_owned(), status.into());
        }
        Self {
            error: KnowledgeError {
                code: body.code,
                message,
                details: Value::Object(details),
            },
        }
    }
}
