//! The parts of a tool call: its arguments, the context of its request, its logs, and large answers.

pub(crate) mod arguments;
pub(crate) mod call_log;
pub mod context;
pub(crate) mod large_answers;
pub(crate) mod query_log;
