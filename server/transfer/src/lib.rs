//! What goes into a database and out of it besides calls: exports and imports, backups, moves to another
//! database, and Markdown notes.
//!
//! An export is JSON lines. The first is a header: the format's name, its version, the model that made the
//! vectors. Each further line is one record with everything that is kept of it. API keys and idempotency keys
//! are not records and are not exported.

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

/// The longest line, in bytes; some fifty times what a request may hold by default.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;
