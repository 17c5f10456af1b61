//! Parts of requests and responses: batches, tool results, error details, streams, and the budget for
//! large answers.

pub(crate) mod batch;
pub(crate) mod error_details;
pub(crate) mod response_budget;
pub(crate) mod streams;
pub(crate) mod tool_result;
