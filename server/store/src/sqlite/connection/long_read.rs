//! Reads that go through much and end with whoever waits for them: SQLite goes on to the end otherwise,
//! on a connection and a core that others wait for.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use sqlx::{Sqlite, SqliteConnection, SqlitePool, pool::PoolConnection};

use crate::Result;

/// Instructions of SQLite's machine between two looks whether somebody still waits: less than a
/// millisecond.
const INSTRUCTIONS: i32 = 10_000;

/// A connection to read from; what runs there when it is dropped is broken off.
pub(crate) struct LongRead {
    connection: PoolConnection<Sqlite>,
    given_up: Arc<AtomicBool>,
    is_over: bool,
}

impl LongRead {
    pub(crate) async fn begin(readers: &SqlitePool) -> Result<Self> {
        let mut begun = Self {
            connection: readers.acquire().await?,
            given_up: Arc::default(),
            is_over: false,
        };
        let given_up = Arc::clone(&begun.given_up);
        begun
            .connection
            .lock_handle()
            .await?
            .set_progress_handler(INSTRUCTIONS, move || !given_up.load(Ordering::Relaxed));
        Ok(begun)
    }

    /// Gives the connection back.
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
            self.given_up.store(true, Ordering::Relaxed);
            self.connection.close_on_drop();
        }
    }
}

/// Runs a read that goes through much.
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
    async fn what_nobody_waits_for_is_broken_off() {
        let pool = SqlitePoolOptions::new().max_connections(1);
        let readers = pool.connect("sqlite::memory:").await.unwrap();
        let mut begun = LongRead::begin(&readers).await.unwrap();
        let counting = sqlx::query(ENDLESS).fetch_one(&mut *begun);
        let given_up = tokio::time::timeout(Duration::from_millis(50), counting).await;
        assert!(given_up.is_err(), "it takes longer");
        drop(begun);
        // There may be one connection; it comes back, and is not interrupted any more.
        for _ in 0..2 {
            let mut begun = LongRead::begin(&readers).await.unwrap();
            let reading = sqlx::query("select 1").fetch_one(&mut *begun);
            reading.await.unwrap();
            begun.end().await.unwrap();
        }
    }
}
