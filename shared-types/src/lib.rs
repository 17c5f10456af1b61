//! The wire contract of RecallKit: the requests and answers that clients and servers exchange.
//!
//! The crate contains only types, with serde and schemars; no transport, no storage, and no validation except of what a
//! citation names, by which both sides judge.

pub mod applicability;
mod envelope;
pub mod episodes;
mod error_code;
mod experiences;
pub mod knowledge;
pub mod libraries;
pub mod outcomes;
pub mod recall;
mod tool_name;
mod which_tool;

pub use envelope::{Envelope, ErrorBody, ValidationError};
pub use error_code::{ErrorCode, RpcError};
pub use experiences::{
    ExperienceRecord, PublicationStatus, QueryExperiencesData, QueryExperiencesRequest,
    RelevanceParts, SubmitExperienceData, SubmitExperienceRequest, limits,
};
pub use tool_name::ToolName;
pub use which_tool::{which_core_tool, which_tool};

/// The `_meta` key of a tool call that carries the client's idempotency key: a call repeated with
/// the same key and the same arguments stores once and returns the same id.
///
/// *Shape*: a string of 1–128 printable ASCII characters, usually a UUID.
pub const IDEMPOTENCY_KEY_META: &str = "io.recallkit/idempotency-key";

/// The `_meta` key by which a call of `query_experiences` requests the parts of each relevance, and
/// under which the result's `_meta` returns them.
///
/// *Shape*: `true` in the call, a list of [`RelevanceParts`] in the result, one for each record of the
/// page.
pub const RELEVANCE_PARTS_META: &str = "io.recallkit/relevance-parts";

/// The `_meta` key by which a call of `tools/list` requests the schemas of answers and the icons of tools. Without it
/// they are left out, because agents read the whole list in every conversation.
///
/// *Shape*: `true`.
pub const SCHEMAS_META: &str = "io.recallkit/schemas";

/// The `_meta` key of a result that says that the query was answered by word search alone, because the
/// server's model was busy or failed: the same query may find more later.
///
/// *Shape*: `true`; the key is missing where the model was used.
pub const LEXICAL_ONLY_META: &str = "io.recallkit/lexical-only";
