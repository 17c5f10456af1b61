//! The project itself: its source tree, documentation, texts and advisories.

pub(crate) mod advisories;
pub(crate) mod docs_commands;
pub(crate) mod docs_examples;
pub(crate) mod docs_links;
pub(crate) mod snapshots;
pub(crate) mod tidy;
