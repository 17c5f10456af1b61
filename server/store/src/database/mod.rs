//! What both databases have in common: how they are opened and migrated, and what columns hold.

pub(crate) mod columns;
pub(crate) mod encryption;
pub(crate) mod migrations;
pub(crate) mod options;
pub(crate) mod write_fault;
