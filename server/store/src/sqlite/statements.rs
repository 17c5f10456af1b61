//! Statements and rows in SQLite.

use sqlx::{
    AssertSqlSafe, Row, SqlSafeStr, SqlStr, Sqlite, SqliteConnection,
    sqlite::{SqliteArguments, SqliteRow},
};

use crate::{
    Result,
    database::columns::integer_of,
    sql::{Column, Columns, Dialects, Family, Query, Record, SqlConnection, Value, query},
};

impl SqlConnection for SqliteConnection {
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
        texts.sqlite
    }

    // Only one transaction writes at a time.
    async fn lock_table(&mut self, _: &'static str) -> Result<()> {
        Ok(())
    }

    async fn lock_family(&mut self, _: Family) -> Result<()> {
        Ok(())
    }

    async fn take_seqs(&mut self, family: Family, count: usize) -> Result<i64> {
        let sql = match family {
            Family::Experiences => {
                "update head set hashed = case when hashed >= seq then seq + $1 else hashed end, \
                 seq = seq + $1 returning seq - $1"
            }
            Family::Entries => "update entry_head set seq = seq + $1 returning seq - $1",
            Family::Chunks => "update chunk_head set seq = seq + $1 returning seq - $1",
        };
        let (before,) = query(sql)
            .bind(integer_of(count as u64))
            .fetch_one(self)
            .await?;
        Ok(before)
    }
}

fn prepared(query: Query<'_>) -> sqlx::query::Query<'_, Sqlite, SqliteArguments> {
    let prepared = sqlx::query(translated(query.sql));
    query
        .values
        .into_iter()
        .fold(prepared, |prepared, value| match value {
            Value::Text(text) => prepared.bind(text.as_deref()),
            Value::Texts(texts) => {
                prepared.bind(texts.map(|texts| serde_json::Value::from(texts).to_string()))
            }
            Value::Integer(integer) => prepared.bind(integer),
            Value::Integers(integers) => {
                prepared.bind(serde_json::Value::from(integers).to_string())
            }
            Value::Boolean(boolean) => prepared.bind(boolean),
            Value::Real(real) => prepared.bind(real),
            Value::Bytes(bytes) => prepared.bind(bytes.as_deref()),
        })
}

/// Translates what uses a list, which is bound as JSON.
fn translated(sql: SqlStr) -> SqlStr {
    if !sql.as_str().contains(" any(") && !sql.as_str().contains("unnest(") {
        return sql;
    }
    let mut translated = String::new();
    let mut rest = sql.as_str();
    while let Some((before, after)) = rest.split_once("= any(") {
        let (list, after) = after.split_once(')').unwrap_or((after, ""));
        translated.extend([before, "in (select value from json_each(", list, "))"]);
        rest = after;
    }
    translated.push_str(rest);
    AssertSqlSafe(translated.replace("unnest(", "json_each(")).into_sql_str()
}

impl Columns for SqliteRow {
    fn read<'r, T: Column<'r>>(&'r self, name: &str) -> sqlx::Result<T> {
        self.try_get(name)
    }

    fn text(&self, name: &str) -> sqlx::Result<String> {
        self.try_get(name)
    }

    fn optional_text(&self, name: &str) -> sqlx::Result<Option<String>> {
        self.try_get(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sql: &'static str, expected: &str) {
        assert_eq!(translated(sql.into_sql_str()).as_str(), expected);
    }

    #[test]
    fn lists_are_read_as_json() {
        check("select $1", "select $1");
        check(
            "select 1 from a where (b = any($2) or c = any($10)) and d = $1",
            "select 1 from a where (b in (select value from json_each($2)) \
             or c in (select value from json_each($10))) and d = $1",
        );
        check(
            "select value from unnest($1) as value where value = any($2)",
            "select value from json_each($1) as value \
             where value in (select value from json_each($2))",
        );
    }
}
