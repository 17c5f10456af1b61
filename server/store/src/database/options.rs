//! Options for opening a database.

use std::{fmt, path::Path, time::Duration};

use serde::{Deserialize, Serialize};

/// The address of a database. It may contain a password, which `Display` and `Debug` leave out.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Returns the address with its password, for connecting.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the address with its user but without any password, so that it still works where the
    /// password comes from another source. If the address is ambiguous, returns its `Display` form.
    pub fn without_password(&self) -> String {
        self.try_without_password()
            .unwrap_or_else(|| self.to_string())
    }

    fn try_without_password(&self) -> Option<String> {
        if self.0.starts_with("sqlite:") {
            return Some(self.0.clone());
        }
        let (scheme, rest) = self.0.split_once("://")?;
        let (user, server) = match rest.rsplit_once('@') {
            Some((secret, _)) if secret.contains('?') => return None,
            Some((secret, server)) => (secret.split([':', '/', '@']).next(), server),
            None => (None, rest),
        };
        let (place, parameters) = match server.split_once('?') {
            Some((place, parameters)) => (place, parameters),
            None => (server, ""),
        };
        // If the host is missing, the text after the colon may be a password.
        if Self(format!("{scheme}://{place}"))
            .to_string()
            .contains('…')
        {
            return None;
        }
        let parameters = parameters.split('&').filter(|parameter| {
            !parameter.is_empty() && !parameter.to_ascii_lowercase().contains("password")
        });
        let parameters: Vec<&str> = parameters.collect();
        let user = user.map(|user| format!("{user}@")).unwrap_or_default();
        let mut url = format!("{scheme}://{user}{place}");
        if !parameters.is_empty() {
            url.push('?');
            url.push_str(&parameters.join("&"));
        }
        Some(url)
    }

    /// Returns the file of a SQLite address; `None` for other addresses, and for one with parameters,
    /// which are not supported.
    pub fn sqlite_path(&self) -> Option<&Path> {
        let path = self.0.strip_prefix("sqlite:")?;
        let path = path.strip_prefix("//").unwrap_or(path);
        (!path.is_empty() && !path.contains('?')).then(|| Path::new(path))
    }
}

impl<S: Into<String>> From<S> for DatabaseUrl {
    fn from(url: S) -> Self {
        Self(url.into())
    }
}

/// Without `user:password@`, and without the parameters of a server's address, one of which may be a
/// password.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.starts_with("sqlite:") {
            return f.write_str(&self.0);
        }
        let Some((scheme, rest)) = self.0.split_once("://") else {
            return f.write_str("…");
        };
        let server = match rest.rsplit_once('@') {
            // The `@` may be part of a parameter, or the `?` part of a password.
            Some((secret, _)) if secret.contains('?') => "…",
            Some((_, server)) => server,
            None => rest,
        };
        let server = server.split('?').next().unwrap_or_default();
        let hosts = server.split('/').next().unwrap_or_default();
        let mut ports = hosts.split(',').filter_map(|host| host.rsplit_once(':'));
        let is_port = |port: &str| {
            port.bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b']')
        };
        match ports.all(|(_, port)| is_port(port)) {
            true => write!(f, "{scheme}://{server}"),
            // If the host is missing, this may be a user's password.
            false => write!(f, "{scheme}://…"),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// The address of a database and how to open it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?sslmode=…`.
    pub url: DatabaseUrl,
    /// A standby of the same cluster for reads that may go there; PostgreSQL only.
    pub read_url: Option<DatabaseUrl>,
    /// How long a call waits: in SQLite for another process's write, in PostgreSQL for a connection,
    /// and for a new primary after a failover.
    pub patience: Duration,
    /// The most connections to each of the databases; PostgreSQL only.
    pub connections: u32,
    /// The time after which the database cancels a statement; PostgreSQL only.
    pub statement_timeout: Duration,
    /// The same for reads of large parts of the database, whose callers do not wait as long; PostgreSQL
    /// only, as in SQLite such a read is interrupted when its caller stops waiting.
    pub long_read_timeout: Duration,
    /// Whether to bring the schema up to date; if not, a database with an older schema is refused.
    pub migrate: bool,
}

impl StoreOptions {
    /// Default of [`StoreOptions::connections`].
    pub const CONNECTIONS: u32 = 10;
    /// Default of [`StoreOptions::statement_timeout`].
    pub const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

    /// Default of [`StoreOptions::long_read_timeout`].
    pub const LONG_READ_TIMEOUT: Duration = Duration::from_secs(3);

    /// Returns the default options for a database.
    pub fn new(url: impl Into<DatabaseUrl>, patience: Duration) -> Self {
        Self {
            url: url.into(),
            read_url: None,
            patience,
            connections: Self::CONNECTIONS,
            statement_timeout: Self::STATEMENT_TIMEOUT,
            long_read_timeout: Self::LONG_READ_TIMEOUT,
            migrate: true,
        }
    }
}
