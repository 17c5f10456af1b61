//! One call of a tool: its arguments, what it knows of its request, what is noted of it, and large answers.

pub(crate) mod arguments;
pub(crate) mod call_log;
pub mod context;
pub(crate) mod large_answers;
pub(crate) mod query_log;
