//! Settings that decide who may connect over HTTP.

use std::{fmt, net::IpAddr};

use serde::{Deserialize, Serialize};

use super::{Network, Settings, SettingsError, Transport};

/// What a client may do without an API key. A key that is presented is verified in every mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessMode {
    /// Everything.
    Anonymous,
    /// What a key of scope `read` may do; more needs a key.
    AnonymousRead,
    /// Nothing.
    Required,
}

impl fmt::Display for AccessMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "anonymous",
            Self::AnonymousRead => "anonymous-read",
            Self::Required => "required",
        })
    }
}

/// Who may connect over HTTP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccessSettings {
    /// What clients may do without a key; [`Settings::access_mode`] decides when unset.
    pub mode: Option<AccessMode>,
    /// Host names, besides the loopback ones, by which browsers and clients may address the server.
    /// Each is also an allowed origin of pages: with its port, or on the scheme's default port.
    pub hosts: Vec<String>,
    /// Proxies in front of the server. For a request from one of them, the client's address is read
    /// from `X-Forwarded-For` or `Forwarded`.
    pub trusted_proxies: Vec<Network>,
}

impl AccessSettings {
    /// Returns the name of a setting that implies that other machines reach the server, and the host
    /// or proxy that it lists.
    fn for_others(&self) -> Option<(&'static str, String)> {
        let host = self.hosts.iter().find(|host| !is_loopback(host));
        let host = host.map(|host| ("access.hosts", host.clone()));
        let proxy = self.trusted_proxies.first();
        host.or_else(|| proxy.map(|proxy| ("access.trusted_proxies", proxy.to_string())))
    }
}

/// Splits `host[:port]` into the name, without brackets, and the port.
pub fn split_host(host: &str) -> (&str, Option<&str>) {
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let (name, port) = match host.rsplit_once(':') {
        // An IPv6 address without brackets has no port.
        Some((name, port)) if is_port(port) && host.parse::<IpAddr>().is_err() => {
            (name, Some(port))
        }
        _ => (host, None),
    };
    (name.trim_start_matches('[').trim_end_matches(']'), port)
}

/// Whether `host[:port]` always means this machine. Source: RFC 6761, 6.3.
fn is_loopback(host: &str) -> bool {
    let name = split_host(host).0.to_ascii_lowercase();
    match name.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => name == "localhost" || name.ends_with(".localhost"),
    }
}

impl Settings {
    /// Whether no other machine reaches the server over the network.
    pub fn is_for_this_machine(&self) -> bool {
        self.transport == Transport::Stdio
            || self.host.is_loopback() && self.access.for_others().is_none()
    }

    /// Decides what clients may do without a key. On stdio they may do everything: the peer started
    /// the program and can read the database itself.
    ///
    /// *Errors*: [`SettingsError::OpenToAll`] or [`SettingsError::OpenToOthers`] when other machines
    /// reach the server, the mode is unset and the database has no active key.
    pub fn access_mode(&self, has_active_key: bool) -> Result<AccessMode, SettingsError> {
        if self.transport == Transport::Stdio {
            return Ok(AccessMode::Anonymous);
        }
        if let Some(mode) = self.access.mode {
            return Ok(mode);
        }
        let for_others = self.access.for_others();
        match for_others {
            None if self.host.is_loopback() => Ok(AccessMode::Anonymous),
            _ if has_active_key => Ok(AccessMode::Required),
            Some((setting, what)) if self.host.is_loopback() => {
                Err(SettingsError::OpenToOthers { setting, what })
            }
            _ => Err(SettingsError::OpenToAll(self.address())),
        }
    }
}
