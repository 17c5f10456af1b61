//! Puts a client together from settings, a file, or both.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use tokio::sync::Mutex;

use crate::{
    ClientConfig, ConfigSearch, ConfiguredSanitizer, Error, RecallKitClient,
    connection::{Program, Target},
};

/// Collects what a [`RecallKitClient`] is made of; what is set here wins over the settings.
#[derive(Debug, Default)]
pub struct ClientBuilder {
    config: Option<ClientConfig>,
    config_path: Option<PathBuf>,
    server_url: Option<String>,
    timeout: Option<Duration>,
    program: Program,
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

    /// Lets one attempt take this long, connecting included; less than a millisecond counts as
    /// one.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Starts this program where the server is the local one.
    pub fn server_program(mut self, path: impl Into<PathBuf>) -> Self {
        self.program.path = Some(path.into());
        self
    }

    /// Gives the local server program further arguments, such as `--data-dir DIR`.
    pub fn server_arguments<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.program.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// Passes the local server program's log on to this process's stderr.
    pub fn show_server_log(mut self, show: bool) -> Self {
        self.program.show_log = show;
        self
    }

    /// Makes the client; it connects when it is first used.
    ///
    /// *Errors*: [`Error::Config`], [`Error::ServerUrl`].
    pub fn build(self) -> Result<RecallKitClient, Error> {
        let mut config = match self.config {
            Some(config) => config,
            None => ConfigSearch::from_process(self.config_path).load()?.config,
        };
        if let Some(url) = self.server_url {
            config.server.url = url;
        }
        if let Some(timeout) = self.timeout {
            let timeout = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
            config.server.timeout = timeout.max(1);
        }
        let target = Target {
            url: config.server.url.parse()?,
            program: self.program,
        };
        Ok(RecallKitClient {
            sanitizer: ConfiguredSanitizer::new(config.sanitizer.clone())?,
            config,
            target,
            connection: Mutex::new(None),
        })
    }
}
