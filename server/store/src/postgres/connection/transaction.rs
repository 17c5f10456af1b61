//! Transactions whose connection is used again only when the database said that they are over.

use std::{
    ops::{Deref, DerefMut},
    time::Duration,
};

use sqlx::{PgConnection, Postgres, SqlSafeStr, pool::PoolConnection};
use tokio::runtime::Handle;

use crate::Result;

/// How long the database may take to take back what was given up.
const ROLLBACK: Duration = Duration::from_secs(2);
const HELD: &str = "the connection is held until the transaction is over";

/// A transaction; one that is dropped is taken back, and where that fails its connection is closed.
///
/// The library's own gives a connection back to the pool that is inside a transaction, when a caller
/// gives up between `BEGIN` and its answer: what the next one writes there as a statement of its own
/// would be acknowledged and never committed.
pub(crate) struct Transaction {
    /// `None` once it is over.
    connection: Option<PoolConnection<Postgres>>,
}

impl Transaction {
    /// Begins a transaction.
    pub(crate) async fn begin(connection: PoolConnection<Postgres>) -> Result<Self> {
        Self::begin_with(connection, "begin").await
    }

    /// Begins one by a command of its own.
    pub(crate) async fn begin_with(
        connection: PoolConnection<Postgres>,
        begin: impl SqlSafeStr,
    ) -> Result<Self> {
        let mut begun = Self {
            connection: Some(connection),
        };
        begun.run(begin).await?;
        Ok(begun)
    }

    /// Commits. Of an error nobody knows whether it came before the commit or after it.
    pub(crate) async fn commit(self) -> Result<()> {
        self.end("commit").await
    }

    /// Takes everything back.
    pub(crate) async fn roll_back(self) -> Result<()> {
        self.end("rollback").await
    }

    async fn end(mut self, how: &'static str) -> Result<()> {
        self.run(how).await?;
        self.connection = None;
        Ok(())
    }

    /// Runs what has no parameters, in one round trip.
    async fn run(&mut self, command: impl SqlSafeStr) -> Result<()> {
        sqlx::raw_sql(command).execute(&mut **self).await?;
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.connection.as_ref().expect(HELD)
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.connection.as_mut().expect(HELD)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else {
            return;
        };
        // Outside the runtime the server is about to end, and the connection with it.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(taken_back(connection));
        }
    }
}

async fn taken_back(mut connection: PoolConnection<Postgres>) {
    let rollback = sqlx::raw_sql("rollback").execute(&mut *connection);
    let done = tokio::time::timeout(ROLLBACK, rollback).await;
    if !matches!(done, Ok(Ok(_))) {
        connection.close_on_drop();
    }
}
