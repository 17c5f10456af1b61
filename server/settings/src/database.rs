//! Settings of the database.

use std::time::Duration;

use recall_kit_store::{DatabaseUrl, StoreOptions};
use serde::{Deserialize, Serialize};

use super::{Settings, SettingsError};

/// With less time per statement, imports and starts could not finish; 0 would mean no limit at all.
const LEAST_STATEMENT_TIMEOUT_MS: u64 = 1_000;
/// How much longer than the query timeout the database lets a long read run, so that the query
/// reports the timeout itself.
const BEYOND_QUERY_TIMEOUT: Duration = Duration::from_secs(1);

/// Settings of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DatabaseSettings {
    /// `sqlite:PATH` or `postgres://USER@HOST/DATABASE`, there also with several hosts;
    /// `recall-kit.db` in the data directory when unset.
    pub url: Option<DatabaseUrl>,
    /// A standby of the same PostgreSQL cluster, from which reads may be served.
    pub read_url: Option<DatabaseUrl>,
    /// How long a write to SQLite waits for another process's write, in milliseconds.
    pub busy_timeout_ms: u64,
    /// How long a call waits for a connection to PostgreSQL, and for a new primary after a failover,
    /// in milliseconds.
    pub failover_timeout_ms: u64,
    /// The most connections to PostgreSQL; one more listens for what other servers write.
    pub connections: u32,
    /// How long a statement may run before PostgreSQL cancels it, in milliseconds.
    pub statement_timeout_ms: u64,
    /// Whether the server migrates the schema when it starts; if not, `recall-kit-server migrate` does.
    pub migrate: bool,
}

impl Default for DatabaseSettings {
    fn default() -> Self {
        Self {
            url: None,
            read_url: None,
            busy_timeout_ms: 10_000,
            failover_timeout_ms: 10_000,
            connections: StoreOptions::CONNECTIONS,
            statement_timeout_ms: 30_000,
            migrate: true,
        }
    }
}

impl Settings {
    /// Returns the options for opening the database.
    ///
    /// *Errors*: [`SettingsError::NoDataDir`] when neither the database nor the data directory is
    /// set and the platform has none; [`SettingsError::TooLittle`].
    pub fn store_options(&self) -> Result<StoreOptions, SettingsError> {
        let database = &self.database;
        if database.statement_timeout_ms < LEAST_STATEMENT_TIMEOUT_MS {
            return Err(SettingsError::TooLittle {
                setting: "database.statement_timeout_ms",
                least: LEAST_STATEMENT_TIMEOUT_MS,
            });
        }
        let url = self.database_url()?;
        let patience = match url.expose().starts_with("sqlite:") {
            true => database.busy_timeout_ms,
            false => database.failover_timeout_ms,
        };
        Ok(StoreOptions {
            url,
            read_url: database.read_url.clone(),
            patience: Duration::from_millis(patience),
            connections: database.connections.max(1),
            statement_timeout: Duration::from_millis(database.statement_timeout_ms),
            long_read_timeout: self.query_timeout() + BEYOND_QUERY_TIMEOUT,
            migrate: database.migrate,
        })
    }
}
