//! What is generated from the arguments: completion scripts and manual pages.

pub(crate) mod completions;
pub(crate) mod man;
