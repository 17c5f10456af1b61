//! Messages on their way in and out: batches, results, error details, and room for large answers.

pub(crate) mod batch;
pub(crate) mod error_details;
pub(crate) mod response_budget;
pub(crate) mod streams;
pub(crate) mod tool_result;
