//! Conversions between column values and Rust types, shared by all databases.

use std::str::FromStr;

use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use serde::{Serialize, de::DeserializeOwned};
use ulid::Ulid;
use uuid::Uuid;

use crate::{Result, StoreError, SuggestionStatus};

/// Reads an id column.
pub(crate) fn id_of(text: &str) -> Result<Uuid> {
    text.parse().map_err(|_| damaged("id", text))
}

/// Reads an id column of the knowledge base.
pub(crate) fn ulid_of(text: &str) -> Result<Ulid> {
    Ulid::from_string(text).map_err(|_| damaged("id", text))
}

/// Reads a hash column.
pub(crate) fn hash_of(bytes: &[u8], id: &str) -> Result<[u8; 32]> {
    bytes.try_into().map_err(|_| damaged("hash", id))
}

/// Rounds a time down to the microsecond, the precision that databases store: a time that is rounded
/// before it is stored equals the one that is read back.
pub fn rounded_time(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

/// Reads a time column: microseconds since 1970, UTC.
pub(crate) fn timestamp_of(micros: i64, id: &str) -> Result<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(|_| damaged("time", id))
}

/// Reads a time column that may be null.
pub(crate) fn time_of(micros: Option<i64>, id: &str) -> Result<Option<Timestamp>> {
    micros.map(|micros| timestamp_of(micros, id)).transpose()
}

/// Parses a column that holds one of a fixed set of words.
pub(crate) fn word_of<T: FromStr>(word: &str, what: &'static str, id: &str) -> Result<T> {
    word.parse().map_err(|_| damaged(what, id))
}

/// Reads a column that holds the kind of a piece of documentation.
pub(crate) fn kind_of(word: &str, id: &str) -> Result<DocsMode> {
    let known = DocsMode::ALL.into_iter().find(|kind| kind.as_str() == word);
    known.ok_or_else(|| damaged("kind", id))
}

/// Reads a column that holds the status of a suggestion.
pub(crate) fn status_of(word: &str, id: &str) -> Result<SuggestionStatus> {
    match word {
        "pending" => Ok(SuggestionStatus::Pending),
        "accepted" => Ok(SuggestionStatus::Accepted),
        "rejected" => Ok(SuggestionStatus::Rejected),
        _ => Err(damaged("status", id)),
    }
}

/// Reads a counter; a negative value, which does not occur in practice, becomes 0.
pub(crate) fn count_of(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Converts a counter to a column value; the databases' integers end at 2^63 - 1.
pub(crate) fn integer_of(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Converts a list to a column value: a JSON array, which escapes characters that a column cannot hold.
pub(crate) fn json_of<T: Serialize>(list: &[T]) -> String {
    // Texts and plain shapes can always be written.
    serde_json::to_string(list).unwrap_or_default()
}

/// Reads a JSON list of plain shapes, without those in shapes that a later version of the program wrote.
pub(crate) fn known_of<T: DeserializeOwned>(text: &str) -> serde_json::Result<Vec<T>> {
    let list: Vec<serde_json::Value> = serde_json::from_str(text)?;
    let known = list.into_iter().map(serde_json::from_value);
    Ok(known.filter_map(Result::ok).collect())
}

/// Converts a plain shape to a column value: JSON.
pub(crate) fn text_of<T: Serialize>(shape: &T) -> String {
    serde_json::to_string(shape).unwrap_or_default()
}

/// Returns the error for a stored value that does not have the shape that this program writes.
pub(crate) fn damaged(what: &'static str, id: &str) -> StoreError {
    StoreError::Damaged {
        what,
        id: id.to_owned(),
    }
}
