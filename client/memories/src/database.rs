//! Reads tables of foreign SQLite databases.
//!
//! A database is opened read-only, and a lock of another program is waited for only briefly. Columns are
//! looked up by name: a needed one that is missing is an error, an unknown one a warning.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, types::ValueRef};
use serde_json::{Map, Value};

use crate::{ReadError, Reading};

/// How long to wait for another program that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// The first bytes of a database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// What is known about a table.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// The columns without which it cannot be read.
    pub(crate) needed: &'static [&'static str],
    /// The columns that may be missing in older versions.
    pub(crate) optional: &'static [&'static str],
}

/// A foreign database.
pub(crate) struct Database {
    connection: Connection,
    path: PathBuf,
    source_name: &'static str,
}

impl Database {
    /// Opens a database for reading.
    pub(crate) fn open(path: &Path, source_name: &'static str) -> Result<Self, ReadError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let head = head(path).map_err(|cause| ReadError::File {
            path: path.to_owned(),
            cause,
        })?;
        let opened = Connection::open_with_flags(address(path, &head), flags);
        let database = |connection| Self {
            connection,
            path: path.to_owned(),
            source_name,
        };
        match opened {
            Ok(connection) => {
                let database = database(connection);
                let waits = database.connection.busy_timeout(BUSY_TIMEOUT);
                waits.map_err(|error| database.failed(&error))?;
                Ok(database)
            }
            Err(error) => Err(failed(path, source_name, &error)),
        }
    }

    /// Returns every row of a table as an object, in the order of the row ids, and warns of unknown columns.
    pub(crate) fn rows(&self, table: &Table, found: &mut Reading) -> Result<Vec<Value>, ReadError> {
        let columns = self.columns(table.name)?;
        let missing: Vec<&str> = table
            .needed
            .iter()
            .copied()
            .filter(|needed| !columns.iter().any(|column| column == needed))
            .collect();
        if !missing.is_empty() {
            return Err(ReadError::Format {
                path: self.path.clone(),
                source_name: self.source_name,
                reason: match columns.is_empty() {
                    true => format!("it has no table `{}`", table.name),
                    false => format!(
                        "its table `{}` lacks {}; it has {}",
                        table.name,
                        missing.join(", "),
                        columns.join(", ")
                    ),
                },
            });
        }
        let known = || table.needed.iter().chain(table.optional).copied();
        let unknown: Vec<&str> = columns
            .iter()
            .map(String::as_str)
            .filter(|column| !known().any(|known| known == *column))
            .collect();
        if !unknown.is_empty() {
            found.warnings.push(format!(
                "{}: unknown columns of `{}` are not read: {}",
                self.path.display(),
                table.name,
                unknown.join(", ")
            ));
        }
        let present: Vec<&'static str> = known()
            .filter(|known| columns.iter().any(|column| column == known))
            .collect();
        self.select(table.name, &present)
            .map_err(|error| self.failed(&error))
    }

    /// Returns the names of a table's columns; none if there is no such table.
    fn columns(&self, table: &str) -> Result<Vec<String>, ReadError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self
                .connection
                .prepare("select name from pragma_table_info(?1)")?;
            let names = statement.query_map([table], |row| row.get(0))?;
            names.collect()
        };
        read().map_err(|error| self.failed(&error))
    }

    fn select(&self, table: &str, columns: &[&str]) -> rusqlite::Result<Vec<Value>> {
        // Both come from this crate, not from the database.
        let columns_sql = columns.join(", ");
        let sql = format!("select {columns_sql} from \"{table}\" order by rowid");
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([], |row| {
            let mut values = Map::with_capacity(columns.len());
            for (at, column) in columns.iter().enumerate() {
                values.insert((*column).to_owned(), json_of(row.get_ref(at)?));
            }
            Ok(Value::Object(values))
        })?;
        rows.collect()
    }

    fn failed(&self, error: &rusqlite::Error) -> ReadError {
        failed(&self.path, self.source_name, error)
    }
}

fn failed(path: &Path, source_name: &'static str, error: &rusqlite::Error) -> ReadError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ReadError::Locked(path),
        Some(ErrorCode::NotADatabase) => ReadError::Format {
            path,
            source_name,
            reason: "it is no SQLite database".to_owned(),
        },
        Some(ErrorCode::DatabaseCorrupt) => ReadError::Format {
            path,
            source_name,
            reason: "the database is damaged, or only half of it was written".to_owned(),
        },
        _ => ReadError::Format {
            path,
            source_name,
            reason: error.to_string(),
        },
    }
}

/// Returns whether a file is a SQLite database, by its first bytes.
pub(crate) fn is_database(path: &Path) -> bool {
    head(path).is_ok_and(|head| head.starts_with(MAGIC))
}

fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    // A pipe would have to be waited for.
    if !path.metadata()?.is_file() {
        return Ok(head);
    }
    File::open(path)?.take(20).read_to_end(&mut head)?;
    Ok(head)
}

/// Returns the address of a database. One with a write-ahead log that no program has open is opened as it is:
/// otherwise SQLite would create two files beside it.
fn address(path: &Path, head: &[u8]) -> String {
    let text = path.to_string_lossy();
    let escaped = text.replace('%', "%25").replace('?', "%3f");
    let escaped = escaped.replace('#', "%23").replace('\\', "/");
    let is_wal = head.get(18) == Some(&2);
    let is_open = Path::new(&format!("{text}-wal")).exists();
    match is_wal && !is_open {
        true => format!("file:{escaped}?immutable=1"),
        false => format!("file:{escaped}"),
    }
}

fn json_of(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        // Embeddings and the like say nothing to a reader.
        ValueRef::Blob(_) | ValueRef::Null => Value::Null,
    }
}
