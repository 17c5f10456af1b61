//! Documentation libraries.

pub(crate) mod chunks;
pub(crate) mod files;
pub(crate) mod snapshot;
pub(crate) mod vectors;
pub(crate) mod versions;
