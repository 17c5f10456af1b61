//! Resources, prompts and completion, as JSON, and the notification of changes.

pub mod completion;
pub mod prompts;
pub mod resources;
pub mod watch;
