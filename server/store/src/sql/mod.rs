//! Statements that both databases take, each written once.
//!
//! A statement is PostgreSQL's SQL as far as SQLite understands it, with numbered parameters. For SQLite,
//! which has no arrays, `= any($1)` and `unnest($1) as value` are translated. Other statements are given
//! for each database ([`Dialects`]), and whatever differs more stands in the database's own folder.

pub(crate) mod access;
pub(crate) mod experiences;
pub(crate) mod idempotency;
pub(crate) mod knowledge;
pub(crate) mod libraries;
pub(crate) mod models;
pub(crate) mod moving;
pub(crate) mod outcomes;
pub(crate) mod questions;
pub(crate) mod recalls;
mod rows;
mod values;

use sqlx::{SqlSafeStr, SqlStr};

pub(crate) use self::{
    rows::{Column, Columns, EntryId, Id, Record},
    values::Value,
};
use crate::{Result, database::columns::count_of};

/// A connection to either database.
pub(crate) trait SqlConnection: Send {
    /// Runs a statement; returns how many rows it wrote.
    fn execute(&mut self, query: Query<'_>) -> impl Future<Output = Result<u64>> + Send;
    /// Reads every row.
    fn fetch_all<T: Record>(
        &mut self,
        query: Query<'_>,
    ) -> impl Future<Output = Result<Vec<T>>> + Send;
    /// Reads the first row, if there is one.
    fn fetch_optional<T: Record>(
        &mut self,
        query: Query<'_>,
    ) -> impl Future<Output = Result<Option<T>>> + Send;
    /// Returns the text for this database.
    fn dialect(&self, texts: Dialects) -> &'static str;
    /// Waits until no other transaction writes a table, and keeps others from doing so until the commit.
    fn lock_table(&mut self, name: &'static str) -> impl Future<Output = Result<()>> + Send;
    /// Waits until no other transaction writes rows of a family, and keeps others from doing so until the
    /// commit.
    fn lock_family(&mut self, family: Family) -> impl Future<Output = Result<()>> + Send;
    /// Allocates the next `count` `seq`s of a family inside a write transaction, for records that are written
    /// with their content hash if the family has hashes; returns the `seq` before the first.
    fn take_seqs(
        &mut self,
        family: Family,
        count: usize,
    ) -> impl Future<Output = Result<i64>> + Send;
}

/// A statement that the databases do not share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialects {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// A family of searchable rows, which are written in an order of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Experiences.
    Experiences,
    /// Entries of the knowledge base.
    Entries,
    /// Chunks of documentation.
    Chunks,
}

/// A statement and the values of its parameters.
pub(crate) struct Query<'q> {
    /// The text.
    pub(crate) sql: SqlStr,
    /// The values, in order.
    pub(crate) values: Vec<Value<'q>>,
}

/// Begins a statement; its parameters are `$1`, `$2`, ….
pub(crate) fn query<'q>(sql: impl SqlSafeStr) -> Query<'q> {
    Query {
        sql: sql.into_sql_str(),
        values: Vec::new(),
    }
}

impl<'q> Query<'q> {
    /// Sets the next parameter.
    pub(crate) fn bind(mut self, value: impl Into<Value<'q>>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Runs the statement; returns how many rows it wrote.
    pub(crate) async fn execute(self, connection: &mut impl SqlConnection) -> Result<u64> {
        connection.execute(self).await
    }

    /// Reads every row.
    pub(crate) async fn fetch_all<T: Record>(
        self,
        connection: &mut impl SqlConnection,
    ) -> Result<Vec<T>> {
        connection.fetch_all(self).await
    }

    /// Reads the first row, if there is one.
    pub(crate) async fn fetch_optional<T: Record>(
        self,
        connection: &mut impl SqlConnection,
    ) -> Result<Option<T>> {
        connection.fetch_optional(self).await
    }

    /// Reads the only column of the first row.
    pub(crate) async fn fetch_scalar<T>(self, connection: &mut impl SqlConnection) -> Result<T>
    where
        (T,): Record,
    {
        let (scalar,) = self.fetch_one(connection).await?;
        Ok(scalar)
    }

    /// Reads a count, the only column of the first row.
    pub(crate) async fn fetch_count(self, connection: &mut impl SqlConnection) -> Result<u64> {
        self.fetch_scalar(connection).await.map(count_of)
    }

    /// Reads the first row.
    pub(crate) async fn fetch_one<T: Record>(
        self,
        connection: &mut impl SqlConnection,
    ) -> Result<T> {
        let row = connection.fetch_optional(self).await?;
        Ok(row.ok_or(sqlx::Error::RowNotFound)?)
    }
}
