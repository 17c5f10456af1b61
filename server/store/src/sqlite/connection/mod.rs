//! Connections to a file: the writer, long reads, detection of commits, and copies.

pub(crate) mod backup;
pub(crate) mod long_read;
pub(crate) mod wal_index;
pub(crate) mod writer;
