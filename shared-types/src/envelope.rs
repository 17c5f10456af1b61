//! The answer of every experiences tool: `data` if `success` is true, `error` if it is false.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ErrorCode;

/// Carries either the `data` of a successful call or the `error` of a failed one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope<T> {
    /// Whether the call succeeded.
    pub success: bool,
    /// Present exactly when `success` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<T>,
    /// Present exactly when `success` is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

impl<T> Envelope<T> {
    /// Wraps the data of a successful call.
    pub fn ok(data: T) -> Self {
        Self {
            success: true,
            data: Some(data),
            error: None,
        }
    }

    /// Wraps the error of a failed call.
    pub fn failed(error: ErrorBody) -> Self {
        Self {
            success: false,
            data: None,
            error: Some(error),
        }
    }

    /// Turns the envelope into a `Result`.
    ///
    /// *Errors*: the carried `ErrorBody`; an envelope that carries neither part counts as
    /// [`ErrorCode::InternalError`].
    pub fn into_result(self) -> Result<T, Box<ErrorBody>> {
        match (self.data, self.error) {
            (_, Some(error)) => Err(Box::new(error)),
            (Some(data), None) => Ok(data),
            (None, None) => Err(Box::new(ErrorBody::new(
                ErrorCode::InternalError,
                "the server sent an answer with neither data nor error",
            ))),
        }
    }
}

/// An error, for programs (`code`) and for people (`message`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// One of the contract's codes.
    pub code: ErrorCode,
    /// One sentence for people; never carries a secret or database internals.
    pub message: String,
    /// One entry per rejected field, when the problem lies in the fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_errors: Option<Vec<ValidationError>>,
    /// Anything else that helps to correct the call; its shape depends on `code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl ErrorBody {
    /// Creates an error without field errors or details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            validation_errors: None,
            details: None,
        }
    }
}

/// A rejected field and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationError {
    /// The argument's name; `keywords[3]` for an element of a list.
    pub field: String,
    /// What is wrong with it and what would be accepted.
    pub message: String,
}
