//! Every error code of the wire format. No other module writes one.
//!
//! Domain errors ([`ErrorCode`]) travel inside a tool's envelope; protocol errors ([`RpcError`])
//! are JSON-RPC errors. A domain error never becomes a protocol error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The error codes of the tools, spelled on the wire as `INVALID_KEYWORDS` and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The query's keywords are empty, not a string, or too long.
    InvalidKeywords,
    /// The query's limit lies outside 1–50 or is not a whole number.
    InvalidLimit,
    /// The database could not read or write; its own message stays in the server's log.
    DatabaseError,
    /// The call exceeded its deadline.
    Timeout,
    /// One or more fields were refused; `validation_errors` lists all of them.
    ValidationError,
    /// `context` carries a secret or personal data.
    ContextNotSanitized,
    /// The title is empty or longer than 500 characters.
    InvalidTitle,
    /// Required fields are missing or blank; `validation_errors` names each.
    MissingRequiredFields,
    /// No experience with the id is visible to the caller.
    NotFound,
    /// No entry has the id.
    EntryNotFound,
    /// No pending suggestion has the id.
    SuggestionNotFound,
    /// The entry type does not exist.
    InvalidEntryType,
    /// The relation type does not exist.
    InvalidRelationType,
    /// There are no suggestions, because embeddings are switched off.
    EmbeddingsDisabled,
    /// There are no suggestions, because the model cannot be loaded.
    ModelNotAvailable,
    /// The two entries already have this link.
    LinkAlreadyExists,
    /// An entry cannot be linked to itself.
    SelfLinkError,
    /// No library has the id.
    LibraryNotFound,
    /// The library has no such version.
    VersionNotFound,
    /// The server failed in a way for which the contract has no code.
    InternalError,
    /// A code of a newer server that this program does not know.
    #[serde(other)]
    Unknown,
}

impl ErrorCode {
    /// Returns the HTTP status that the knowledge tools report for the code; `None` for a code that has no status.
    pub const fn http_status(self) -> Option<u16> {
        match self {
            Self::EntryNotFound | Self::SuggestionNotFound => Some(404),
            Self::InvalidEntryType | Self::InvalidRelationType | Self::SelfLinkError => Some(400),
            Self::EmbeddingsDisabled | Self::ModelNotAvailable => Some(503),
            Self::LinkAlreadyExists => Some(409),
            Self::InternalError => Some(500),
            _ => None,
        }
    }
}

/// A JSON-RPC error, by cause; [`RpcError::plain_code`] and [`RpcError::mcp_code`] give its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcError {
    /// The body is not JSON.
    ParseError,
    /// The body is JSON but not a JSON-RPC request.
    InvalidRequest,
    /// No such method.
    MethodNotFound,
    /// The parameters do not fit the method or the tool.
    InvalidParams,
    /// The server failed.
    InternalError,
    /// No such tool.
    ToolNotFound,
    /// The tool could not run at all.
    ToolFailed,
    /// No such resource.
    ResourceNotFound,
    /// An API key is missing or not valid.
    Unauthorized,
    /// The caller may not do this.
    Forbidden,
    /// Too many calls, or too much open at once.
    TooManyRequests,
    /// The client cancelled the request.
    Cancelled,
}

impl RpcError {
    /// Returns the code on the plain JSON-RPC transport.
    pub const fn plain_code(self) -> i32 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::InternalError => -32603,
            Self::ToolNotFound => -32001,
            Self::ToolFailed => -32002,
            Self::ResourceNotFound => -32003,
            Self::Unauthorized => -32004,
            Self::Forbidden => -32005,
            Self::TooManyRequests => -32006,
            Self::Cancelled => -32007,
        }
    }

    /// Returns the code on the MCP transports, where the specification has its own for some causes: a standard
    /// code for an unknown tool, -32002 for an unknown resource. In MCP a tool that failed is a result
    /// (`isError`), not an error. Source: MCP 2025-11-25, "Tools" and "Resources", "Error Handling".
    pub const fn mcp_code(self) -> i32 {
        match self {
            Self::ToolNotFound => -32602,
            Self::ToolFailed => -32603,
            Self::ResourceNotFound => -32002,
            other => other.plain_code(),
        }
    }

    /// Every cause.
    pub const ALL: [Self; 12] = [
        Self::ParseError,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::InternalError,
        Self::ToolNotFound,
        Self::ToolFailed,
        Self::ResourceNotFound,
        Self::Unauthorized,
        Self::Forbidden,
        Self::TooManyRequests,
        Self::Cancelled,
    ];

    /// Returns the name of the cause, for logs and counters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ParseError => "PARSE_ERROR",
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::MethodNotFound => "METHOD_NOT_FOUND",
            Self::InvalidParams => "INVALID_PARAMS",
            Self::InternalError => "INTERNAL_ERROR",
            Self::ToolNotFound => "TOOL_NOT_FOUND",
            Self::ToolFailed => "TOOL_FAILED",
            Self::ResourceNotFound => "RESOURCE_NOT_FOUND",
            Self::Unauthorized => "UNAUTHORIZED",
            Self::Forbidden => "FORBIDDEN",
            Self::TooManyRequests => "TOO_MANY_REQUESTS",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Returns the short message that goes with the code.
    pub const fn message(self) -> &'static str {
        match self {
            Self::ParseError => "Parse error",
            Self::InvalidRequest => "Invalid Request",
            Self::MethodNotFound => "Method not found",
            Self::InvalidParams => "Invalid params",
            Self::InternalError => "Internal error",
            Self::ToolNotFound => "Tool not found",
            Self::ToolFailed => "Tool execution failed",
            Self::ResourceNotFound => "Resource not found",
            Self::Unauthorized => "Unauthorized",
            Self::Forbidden => "Forbidden",
            Self::TooManyRequests => "Too many requests",
            Self::Cancelled => "Cancelled",
        }
    }
}
