//! The wire contract of RecallKit: what clients and servers say to each other.
//!
//! Only shapes live here, with serde and schemars; no validation, no transport, no storage.

mod envelope;
mod error_code;
mod experiences;
pub mod knowledge;
mod tool_name;

pub use envelope::{Envelope, ErrorBody, ValidationError};
pub use error_code::{ErrorCode, RpcError};
pub use experiences::{
    ExperienceRecord, PublicationStatus, QueryExperiencesData, QueryExperiencesRequest,
    SubmitExperienceData, SubmitExperienceRequest, limits,
};
pub use tool_name::ToolName;

/// The `_meta` key of a tool call that carries the client's idempotency key: a call repeated with
/// the same key and the same arguments stores once and answers the same id.
///
/// *Shape*: a string of 1–128 printable ASCII characters, a UUID by habit.
pub const IDEMPOTENCY_KEY_META: &str = "io.recallkit/idempotency-key";
