//! Code shared by both databases: options, migrations, and conversions of column values.

pub(crate) mod columns;
pub(crate) mod encryption;
pub(crate) mod migrations;
pub(crate) mod options;
pub(crate) mod write_fault;
