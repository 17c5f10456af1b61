//! A repository at a URL: where git may connect to, and with which credentials.

use std::path::Path;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use url::Url;

use super::command::Task;
use crate::{SourceError, SourceOptions, address};

/// The address of a repository and how to connect to it.
pub(super) struct Remote {
    /// The URL, without user name and password.
    url: String,
    protocol: String,
    /// Settings that are passed in the environment, which, unlike the command line, only this user can read.
    settings: Vec<(&'static str, String)>,
}

impl Remote {
    /// Checks the address of a URL and pins it: git must connect to the checked address, even if the name
    /// resolves to another one later.
    ///
    /// *Errors*: the host has no address, or a private one.
    pub(super) fn new(url: &Url, options: &SourceOptions) -> Result<Self, SourceError> {
        let allow_private = options.allow_private_addresses;
        let addresses = address::resolve(url, allow_private, options.limits.timeout)?;
        let mut settings = Vec::new();
        if address::literal(url).is_none() {
            let host = url.host_str().unwrap_or_default();
            let port = url.port_or_known_default().unwrap_or_default();
            let addresses = addresses.iter().map(|address| match address.ip() {
                std::net::IpAddr::V4(address) => address.to_string(),
                std::net::IpAddr::V6(address) => format!("[{address}]"),
            });
            let addresses = addresses.collect::<Vec<_>>().join(",");
            settings.push(("http.curloptResolve", format!("{host}:{port}:{addresses}")));
        }
        if !url.username().is_empty() || url.password().is_some() {
            settings.push(("http.extraHeader", authorization(url)));
        }
        let mut public_url = url.clone();
        public_url.set_password(None).ok();
        public_url.set_username("").ok();
        Ok(Self {
            url: public_url.to_string(),
            protocol: url.scheme().to_owned(),
            settings,
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Creates a task that may connect to the repository and to nothing else.
    pub(super) fn task(&self, doing: &'static str, folder: &Path) -> Task {
        let mut task = Task::new(doing, folder);
        task.environment("GIT_ALLOW_PROTOCOL", &self.protocol);
        for (name, value) in &self.settings {
            task.setting(name, value);
        }
        task
    }
}

impl std::fmt::Debug for Remote {
    /// Formats the remote without its credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

fn authorization(url: &Url) -> String {
    let [name, password] = [url.username(), url.password().unwrap_or_default()]
        .map(|text| percent_encoding::percent_decode_str(text).collect::<Vec<_>>());
    let login = [name.as_slice(), b":", password.as_slice()].concat();
    format!("Authorization: Basic {}", BASE64_STANDARD.encode(login))
}
