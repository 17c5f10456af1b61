//! How a database is opened.

use std::time::Duration;

/// Where a database is, and how to work with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?sslmode=…`.
    pub url: String,
    /// A standby of the same cluster for what may be read there; PostgreSQL only.
    pub read_url: Option<String>,
    /// How long a call waits: in SQLite for another process's write, in PostgreSQL for a connection,
    /// and for a new primary after a failover.
    pub patience: Duration,
    /// The most connections to each of the databases; PostgreSQL only.
    pub connections: u32,
    /// After which the database gives a statement up; PostgreSQL only.
    pub statement_timeout: Duration,
    /// Whether the schema is brought up to date; where not, one that is behind is refused.
    pub migrate: bool,
}

impl StoreOptions {
    /// Connections to PostgreSQL, where nothing else is said.
    pub const CONNECTIONS: u32 = 10;
    /// The time for a statement, where nothing else is said.
    pub const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

    /// Returns the usual way to open a database.
    pub fn new(url: impl Into<String>, patience: Duration) -> Self {
        Self {
            url: url.into(),
            read_url: None,
            patience,
            connections: Self::CONNECTIONS,
            statement_timeout: Self::STATEMENT_TIMEOUT,
            migrate: true,
        }
    }
}
