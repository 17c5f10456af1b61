//! What was read of one source, before anything is sanitized.

use std::path::PathBuf;

use recall_kit_memories::{Record, Skipped};

/// What was read of one source.
pub(super) struct Batch {
    pub(super) source: &'static str,
    /// The places that exist.
    pub(super) places: Vec<PathBuf>,
    pub(super) records: Vec<Record>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) warnings: Vec<String>,
}

impl Batch {
    pub(super) fn new(source: &'static str) -> Self {
        Self {
            source,
            places: Vec::new(),
            records: Vec::new(),
            skipped: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
