//! Bulk transfer of data: exports and imports, backups, moves to another database, and Markdown notes.
//!
//! An export consists of lines of JSON. The first line is a header with the format's name, its version and the
//! model that computed the vectors. Each further line is one record with all of its stored data. API keys and
//! idempotency keys are not records and are not exported.

pub mod backup;
mod export;
mod import;
mod line;
mod lines;
pub mod migrate_store;
pub mod notes;

pub(crate) use self::import::{entry_differences, experience_differences};
pub use self::{
    export::{ExportError, export},
    import::{Event, ImportError, ImportReport, import},
    line::{HeaderError, LineError},
};

/// The longest line, in bytes; some fifty times the default limit of a request.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;
