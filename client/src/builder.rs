//! Builds a client from settings, a file, or both.

use std::{ffi::OsString, mem, path::PathBuf, time::Duration};

use tokio::sync::Mutex;

use crate::{
    ApiKey, ClientConfig, ConfigSearch, ConfiguredSanitizer, Error, ErrorLog, NamedServer,
    RecallKitClient, ServerKeys, Servers,
    connection::{KeySource, Program, Target},
};

/// Builds a [`RecallKitClient`]; values set here take precedence over the settings.
#[derive(Debug, Default)]
pub struct ClientBuilder {
    config: Option<ClientConfig>,
    config_path: Option<PathBuf>,
    server_url: Option<String>,
    timeout: Option<Duration>,
    program: Program,
    error_log: Option<ErrorLog>,
    key: KeySource,
}

impl ClientBuilder {
    /// Uses these settings instead of looking for a file.
    pub fn config(mut self, config: ClientConfig) -> Self {
        self.config = Some(config);
        self
    }

    /// Reads this file, which must exist.
    pub fn config_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.config_path = Some(path.into());
        self
    }

    /// Talks to this server, in one of the forms of [`crate::ServerUrl`].
    pub fn server_url(mut self, url: impl Into<String>) -> Self {
        self.server_url = Some(url.into());
        self
    }

    /// Sets the time limit of one attempt, including connecting; at least one millisecond.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the program to start if the server is the local one.
    pub fn server_program(mut self, path: impl Into<PathBuf>) -> Self {
        self.program.path = Some(path.into());
        self
    }

    /// Passes further arguments to the local server program, such as `--data-dir DIR`.
    pub fn server_arguments<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.program.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// Whether to write the local server program's log to this process's stderr.
    pub fn show_server_log(mut self, show: bool) -> Self {
        self.program.show_log = show;
        self
    }

    /// Records the failures of servers in this log.
    pub fn error_log(mut self, log: Option<ErrorLog>) -> Self {
        self.error_log = log;
        self
    }

    /// Sends servers their API keys from this store; without it, and without [`ClientBuilder::server_key`], no key is
    /// sent.
    pub fn server_keys(mut self, keys: Option<ServerKeys>) -> Self {
        self.key = keys.map_or(KeySource::None, KeySource::Stored);
        self
    }

    /// Sends this API key to the server; if the settings name several, only to the one that submissions go to.
    pub fn server_key(mut self, key: ApiKey) -> Self {
        self.key = KeySource::Given(key);
        self
    }

    /// Builds the client; it connects when it is first used. If the settings name several servers, it is
    /// a client of the one that submissions go to.
    ///
    /// *Errors*: [`Error::Config`], [`Error::ServerUrl`], [`Error::UnknownServer`].
    pub fn build(mut self) -> Result<RecallKitClient, Error> {
        let extras = self.take_extras();
        let config = self.settled()?;
        let chosen = config.servers.get(config.submission_server()).cloned();
        client(config, chosen, extras)
    }

    /// Builds a client of each server in the settings; they connect when they are first used.
    ///
    /// *Errors*: like [`ClientBuilder::build`].
    pub fn build_all(mut self) -> Result<Servers, Error> {
        let extras = self.take_extras();
        let config = self.settled()?;
        let chosen = config.submission_server();
        let deadline = Duration::from_millis(config.query_deadline);
        let clients = if config.servers.is_empty() {
            vec![client(config, None, extras)?]
        } else {
            let servers = config.servers.iter().cloned().enumerate();
            let made = servers.map(|(index, one)| {
                let mut extras = extras.clone();
                if index != chosen {
                    extras.key = extras.key.of_other_server();
                }
                client(config.clone(), Some(one), extras)
            });
            made.collect::<Result<_, _>>()?
        };
        Ok(Servers::new(clients, chosen, deadline))
    }

    fn take_extras(&mut self) -> Extras {
        Extras {
            program: mem::take(&mut self.program),
            error_log: self.error_log.take(),
            key: mem::take(&mut self.key),
        }
    }

    /// Returns the settings with the values of this builder applied.
    fn settled(self) -> Result<ClientConfig, Error> {
        let mut config = match self.config {
            Some(config) => config,
            None => found_config(self.config_path)?,
        };
        if let Some(url) = self.server_url {
            config.server.url = url;
            config.servers.clear();
            config.submit_to = None;
        }
        if let Some(timeout) = self.timeout {
            let timeout = u64::try_from(timeout.as_millis())
                .unwrap_or(u64::MAX)
                .max(1);
            config.server.timeout = timeout;
            for one in &mut config.servers {
                one.server.timeout = timeout;
            }
        }
        match &config.submit_to {
            Some(to) if !config.servers.iter().any(|one| one.name == *to) => {
                Err(Error::UnknownServer {
                    name: to.clone(),
                    known: config.servers.into_iter().map(|one| one.name).collect(),
                })
            }
            _ => Ok(config),
        }
    }
}

/// Searches for the settings. A file in the working directory or above is used if the user trusts it.
fn found_config(named: Option<PathBuf>) -> Result<ClientConfig, Error> {
    let loaded = ConfigSearch::from_process(named).load()?;
    for file in &loaded.ignored {
        let (path, standing) = (file.path().display(), file.standing());
        tracing::warn!(%path, %standing, "a configuration file is ignored");
    }
    Ok(loaded.config)
}

/// What a client has besides its settings.
#[derive(Clone)]
struct Extras {
    program: Program,
    error_log: Option<ErrorLog>,
    key: KeySource,
}

/// Creates the client of one server.
fn client(
    mut config: ClientConfig,
    server: Option<NamedServer>,
    extras: Extras,
) -> Result<RecallKitClient, Error> {
    let mut name = None;
    if let Some(one) = server {
        config.server = one.server;
        name = Some(one.name);
    }
    let target = Target {
        url: config.server.url.parse()?,
        program: extras.program,
        key: extras.key,
    };
    Ok(RecallKitClient {
        sanitizer: ConfiguredSanitizer::new(config.sanitizer.clone())?,
        config,
        name,
        target,
        error_log: extras.error_log,
        connection: Mutex::new(None),
    })
}
