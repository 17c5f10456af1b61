//! Connections to a file: the one that writes, long reads, other processes, and copies.

pub(crate) mod backup;
pub(crate) mod long_read;
pub(crate) mod wal_index;
pub(crate) mod writer;
