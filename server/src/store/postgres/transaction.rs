//! Transactions whose connection is used again only when the database said that they are over.

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, Postgres, SqlSafeStr, pool::PoolConnection};

use crate::store::Result;

/// A transaction; one that is dropped takes its connection with it, and the database rolls it back.
///
/// The library's own gives a connection back to the pool that is inside a transaction, when a caller
/// gives up between `BEGIN` and its answer: what the next one writes there as a statement of its own
/// would be acknowledged and never committed.
pub(super) struct Transaction {
    connection: PoolConnection<Postgres>,
    is_over: bool,
}

impl Transaction {
    /// Begins a transaction.
    pub(super) async fn begin(connection: PoolConnection<Postgres>) -> Result<Self> {
        Self::begin_with(connection, "begin").await
    }

    /// Begins one by a command of its own.
    pub(super) async fn begin_with(
        connection: PoolConnection<Postgres>,
        begin: impl SqlSafeStr,
    ) -> Result<Self> {
        let mut begun = Self {
            connection,
            is_over: false,
        };
        begun.run(begin).await?;
        Ok(begun)
    }

    /// Commits. Of an error nobody knows whether it came before the commit or after it.
    pub(super) async fn commit(self) -> Result<()> {
        self.end("commit").await
    }

    /// Takes everything back, so that the connection can be used again.
    pub(super) async fn roll_back(self) -> Result<()> {
        self.end("rollback").await
    }

    async fn end(mut self, how: &'static str) -> Result<()> {
        self.run(how).await?;
        self.is_over = true;
        Ok(())
    }

    /// Runs what has no parameters, in one round trip.
    async fn run(&mut self, command: impl SqlSafeStr) -> Result<()> {
        sqlx::raw_sql(command)
            .execute(&mut *self.connection)
            .await?;
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.is_over {
            self.connection.close_on_drop();
        }
    }
}
