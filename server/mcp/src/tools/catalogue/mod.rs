//! Resources, prompts and completion, as JSON, and who is told when they change.

pub mod completion;
pub mod prompts;
pub mod resources;
pub mod watch;
