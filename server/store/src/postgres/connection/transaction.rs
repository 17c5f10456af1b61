//! Transactions whose connection is reused only after the database has confirmed that they ended.

use std::{
    ops::{Deref, DerefMut},
    time::Duration,
};

use sqlx::{PgConnection, Postgres, SqlSafeStr, pool::PoolConnection};
use tokio::runtime::Handle;

use crate::Result;

/// How long the database may take to roll back a dropped transaction.
const ROLLBACK: Duration = Duration::from_secs(2);
const HELD: &str = "the connection is held until the transaction is over";

/// A transaction. Dropping it rolls it back; if that fails, its connection is closed.
///
/// It replaces the transaction type of sqlx, which returns a connection to the pool inside an open
/// transaction if the caller gives up between `BEGIN` and its answer: a single statement that the next
/// caller runs there would be acknowledged but never committed.
pub(crate) struct Transaction {
    /// `None` once it is over.
    connection: Option<PoolConnection<Postgres>>,
}

impl Transaction {
    /// Begins a transaction.
    pub(crate) async fn begin(connection: PoolConnection<Postgres>) -> Result<Self> {
        Self::begin_with(connection, "begin").await
    }

    /// Begins a transaction with a particular command.
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

    /// Commits. After an error it is unknown whether the transaction was committed.
    pub(crate) async fn commit(self) -> Result<()> {
        self.end("commit").await
    }

    /// Rolls back.
    pub(crate) async fn roll_back(self) -> Result<()> {
        self.end("rollback").await
    }

    async fn end(mut self, command: &'static str) -> Result<()> {
        self.run(command).await?;
        self.connection = None;
        Ok(())
    }

    /// Runs a command without parameters, in one round trip.
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
        // Without a runtime the process is about to exit, which closes the connection.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(roll_back(connection));
        }
    }
}

async fn roll_back(mut connection: PoolConnection<Postgres>) {
    let rollback = sqlx::raw_sql("rollback").execute(&mut *connection);
    let done = tokio::time::timeout(ROLLBACK, rollback).await;
    if !matches!(done, Ok(Ok(_))) {
        connection.close_on_drop();
    }
}
