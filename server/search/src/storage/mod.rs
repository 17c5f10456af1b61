//! The storage of the index: postings on disk and in memory, rows, and the file of rows that a start reads.

pub(crate) mod base;
pub(crate) mod delta;
pub(crate) mod grow;
pub(crate) mod records;
pub(crate) mod saved;
