//! Reading rows of either database.

use sqlx::{Decode, FromRow, Postgres, Row, Sqlite, Type, postgres::PgRow, sqlite::SqliteRow};
use ulid::Ulid;
use uuid::Uuid;

use crate::{
    StoreError,
    database::columns::{id_of, ulid_of},
};

/// What can be read from a row of either database.
pub(crate) trait Record:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send
{
}

impl<T> Record for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send {}

/// What can be read from a column of either database.
pub(crate) trait Column<'r>:
    Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>
{
}

impl<'r, T> Column<'r> for T where
    T: Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>
{
}

/// The columns of a row.
pub(crate) trait Columns: Row {
    /// Reads a column.
    fn read<'r, T: Column<'r>>(&'r self, name: &str) -> sqlx::Result<T>;

    /// Reads a text that people wrote.
    fn text(&self, name: &str) -> sqlx::Result<String>;

    /// Reads a text that people wrote and that may be null.
    fn optional_text(&self, name: &str) -> sqlx::Result<Option<String>>;
}

/// A column `id` with a UUID.
pub(crate) struct Id(pub(crate) Uuid);

impl<'r, R: Columns> FromRow<'r, R> for Id {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self(id_of(row.read("id")?)?))
    }
}

/// A column `id` with a ULID.
pub(crate) struct EntryId(pub(crate) Ulid);

impl<'r, R: Columns> FromRow<'r, R> for EntryId {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self(ulid_of(row.read("id")?)?))
    }
}

/// Carries the error of a damaged value through [`FromRow`].
impl From<StoreError> for sqlx::Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Database(error) => error,
            other => Self::Decode(Box::new(other)),
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::Decode(source) => match source.downcast::<Self>() {
                Ok(damaged) => *damaged,
                Err(source) => Self::Database(sqlx::Error::Decode(source)),
            },
            other => Self::Database(other),
        }
    }
}
