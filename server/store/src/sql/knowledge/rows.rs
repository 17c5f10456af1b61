//! Rows of entries.

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::EntryStatus;
use ulid::Ulid;

use crate::{Entry, EntryContent, NewEntry, database::columns::json_of};

/// An entry about to be written.
pub(crate) struct NewRow<'a> {
    pub(crate) id: Ulid,
    pub(crate) content: &'a EntryContent,
    pub(crate) status: EntryStatus,
    pub(crate) access_count: u64,
    pub(crate) popularity: u64,
    pub(crate) last_accessed: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl<'a> NewRow<'a> {
    /// Returns the row of a new entry.
    pub(crate) fn of(new: &'a NewEntry) -> Self {
        Self {
            id: new.id,
            content: &new.content,
            status: EntryStatus::Active,
            access_count: 0,
            popularity: 0,
            last_accessed: None,
            created_at: new.created_at,
            updated_at: new.created_at,
        }
    }

    /// Returns the row of an entry from another database.
    pub(crate) fn copy_of(entry: &'a Entry) -> Self {
        Self {
            id: entry.id,
            content: &entry.content,
            status: entry.status,
            access_count: entry.access_count,
            popularity: entry.popularity,
            last_accessed: entry.last_accessed,
            created_at: entry.created_at,
            updated_at: entry.updated_at,
        }
    }
}

/// Returns the value of the column with the citations; null if there are none.
pub(crate) fn citations_column(content: &EntryContent) -> Option<String> {
    let citations = content.citations.as_slice();
    (!citations.is_empty()).then(|| json_of(citations))
}
