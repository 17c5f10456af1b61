//! Reads of large parts of the database that end when their caller stops waiting. Without this SQLite would
//! run them to the end, and block a connection and a core that other reads need.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use sqlx::{Sqlite, SqliteConnection, SqlitePool, pool::PoolConnection};

use crate::Result;

/// Number of SQLite's virtual machine instructions between two checks whether the caller still waits; they
/// take less than a millisecond.
const INSTRUCTIONS: i32 = 10_000;

/// A connection for a long read. Dropping it interrupts the query that runs on it.
pub(crate) struct LongRead {
    connection: PoolConnection<Sqlite>,
    is_cancelled: Arc<AtomicBool>,
    is_over: bool,
}

impl LongRead {
    pub(crate) async fn begin(readers: &SqlitePool) -> Result<Self> {
        let mut begun = Self {
            connection: readers.acquire().await?,
            is_cancelled: Arc::default(),
            is_over: false,
        };
        let is_cancelled = Arc::clone(&begun.is_cancelled);
        begun
            .connection
            .lock_handle()
            .await?
            .set_progress_handler(INSTRUCTIONS, move || !is_cancelled.load(Ordering::Relaxed));
        Ok(begun)
    }

    /// Returns the connection to the pool.
    pub(crate) async fn end(mut self) -> Result<()> {
        self.connection
            .lock_handle()
            .await?
            .remove_progress_handler();
        self.is_over = true;
        Ok(())
    }
}

impl Deref for LongRead {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for LongRead {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for LongRead {
    fn drop(&mut self) {
        if !self.is_over {
            self.is_cancelled.store(true, Ordering::Relaxed);
            self.connection.close_on_drop();
        }
    }
}

/// Runs a read of large parts of the database, which ends when its caller stops waiting.
macro_rules! long_read {
    ($store:expr, $connection:ident => $work:expr) => {{
        let mut begun =
            $crate::sqlite::connection::long_read::LongRead::begin(&$store.readers).await?;
        let $connection = &mut *begun;
        let read = $work.await?;
        begun.end().await?;
        Ok(read)
    }};
}

pub(crate) use long_read;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use sqlx::sqlite::SqlitePoolOptions;

    use super::*;

    /// Takes hours.
    const ENDLESS: &str = "with recursive number(n) as \
        (select 1 union all select n + 1 from number where n < 1000000000000) \
        select count(*) from number";

    #[tokio::test]
    async fn a_dropped_read_is_interrupted() {
        let pool = SqlitePoolOptions::new().max_connections(1);
        let readers = pool.connect("sqlite::memory:").await.unwrap();
        let mut begun = LongRead::begin(&readers).await.unwrap();
        let counting = sqlx::query(ENDLESS).fetch_one(&mut *begun);
        let timed_out = tokio::time::timeout(Duration::from_millis(50), counting).await;
        assert!(timed_out.is_err(), "it takes longer");
        drop(begun);
        // The pool allows one connection: it becomes available again, and is not interrupted any more.
        for _ in 0..2 {
            let mut begun = LongRead::begin(&readers).await.unwrap();
            let reading = sqlx::query("select 1").fetch_one(&mut *begun);
            reading.await.unwrap();
            begun.end().await.unwrap();
        }
    }
}
