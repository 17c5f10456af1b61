//! Statements and rows in PostgreSQL.

use std::borrow::Cow;

use sqlx::{
    AssertSqlSafe, PgConnection, Postgres, Row,
    postgres::{PgArguments, PgRow},
};

use super::text::{decoded, encoded};
use crate::{
    Result, postgres,
    sql::{Column, Columns, Dialects, Family, Query, Record, SqlConnection, Value, query},
};

impl SqlConnection for PgConnection {
    async fn execute(&mut self, query: Query<'_>) -> Result<u64> {
        Ok(prepared(query).execute(self).await?.rows_affected())
    }

    async fn fetch_all<T: Record>(&mut self, query: Query<'_>) -> Result<Vec<T>> {
        let rows = prepared(query).fetch_all(self).await?;
        rows.iter().map(|row| Ok(T::from_row(row)?)).collect()
    }

    async fn fetch_optional<T: Record>(&mut self, query: Query<'_>) -> Result<Option<T>> {
        let row = prepared(query).fetch_optional(self).await?;
        Ok(row.as_ref().map(T::from_row).transpose()?)
    }

    fn dialect(&self, texts: Dialects) -> &'static str {
        texts.postgres
    }

    async fn lock_table(&mut self, name: &'static str) -> Result<()> {
        let lock = format!("lock table {name} in share row exclusive mode");
        query(AssertSqlSafe(lock)).execute(self).await.map(drop)
    }

    async fn lock_family(&mut self, family: Family) -> Result<()> {
        postgres::lock_head(self, family.into()).await
    }

    async fn take_seqs(&mut self, family: Family, count: usize) -> Result<i64> {
        postgres::take_seqs(self, family.into(), count).await
    }
}

fn prepared(query: Query<'_>) -> sqlx::query::Query<'_, Postgres, PgArguments> {
    let prepared = sqlx::query(query.sql);
    query
        .values
        .into_iter()
        .fold(prepared, |prepared, value| match value {
            Value::Text(text) => prepared.bind(text.as_deref().map(encoded)),
            Value::Texts(texts) => prepared.bind(texts.map(all_encoded)),
            Value::Integer(integer) => prepared.bind(integer),
            Value::Integers(integers) => prepared.bind(integers),
            Value::Boolean(boolean) => prepared.bind(boolean),
            Value::Real(real) => prepared.bind(real),
            Value::Bytes(bytes) => prepared.bind(bytes.as_deref()),
        })
}

fn all_encoded(mut texts: Vec<String>) -> Vec<String> {
    for text in &mut texts {
        if let Cow::Owned(stored) = encoded(text) {
            *text = stored;
        }
    }
    texts
}

impl Columns for PgRow {
    fn read<'r, T: Column<'r>>(&'r self, name: &str) -> sqlx::Result<T> {
        self.try_get(name)
    }

    fn text(&self, name: &str) -> sqlx::Result<String> {
        self.try_get(name).map(decoded)
    }

    fn optional_text(&self, name: &str) -> sqlx::Result<Option<String>> {
        Ok(self.try_get::<Option<String>, _>(name)?.map(decoded))
    }
}
