//! The forms of `server.url`, and how they are parsed.

use std::{fmt, str::FromStr};

use recall_kit_sanitizer::RuleGroup;
use reqwest::Url;

/// The URL that stands for the local program over stdio.
pub const LOCAL_SERVER_URL: &str = "mcp://recall-kit-server";

/// The port of `mcp://host` if none is given.
pub const DEFAULT_PORT: u16 = 8090;

/// The replacement of credentials.
const HIDDEN: &str = "***";

/// The longest word that is shown of a text without a scheme; keys are longer. *Unit*: bytes.
const MAX_WORD: usize = 20;

/// The URL of a server; displayed without credentials and query.
#[derive(Clone, PartialEq, Eq)]
pub enum ServerUrl {
    /// The program `recall-kit-server` on this machine, over stdio.
    Local,
    /// An MCP endpoint over Streamable HTTP; the string is a valid `http` or `https` URL.
    Http(String),
}

impl ServerUrl {
    /// Returns the complete URL with credentials, for the code that connects.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Local => LOCAL_SERVER_URL,
            Self::Http(endpoint) => endpoint,
        }
    }

    /// Returns the URL of another path on the same server, such as `/healthz`; `None` for the local
    /// program.
    pub fn sibling(&self, path: &str) -> Option<Self> {
        let Self::Http(endpoint) = self else {
            return None;
        };
        let mut url = Url::parse(endpoint).ok()?;
        url.set_path(path);
        url.set_query(None);
        Some(Self::Http(url.into()))
    }

    /// Returns whether the server runs on this machine, so that no proxy is used.
    pub fn is_loopback(&self) -> bool {
        let Self::Http(endpoint) = self else {
            return true;
        };
        let url = Url::parse(endpoint).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || address
                .parse::<std::net::IpAddr>()
                .is_ok_and(|ip| ip.is_loopback())
    }
}

impl FromStr for ServerUrl {
    type Err = ServerUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let refuse = |reason: String| ServerUrlError {
            url: redacted(text),
            reason,
        };
        if text.trim_end_matches('/') == LOCAL_SERVER_URL {
            return Ok(Self::Local);
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(refuse("it has no scheme".to_owned()));
        };
        match scheme {
            "http" | "https" => {
                let url = Url::parse(text).map_err(|error| refuse(error.to_string()))?;
                Ok(Self::Http(url.into()))
            }
            "mcp" => {
                let mut url = Url::parse(&format!("http://{rest}"))
                    .map_err(|error| refuse(error.to_string()))?;
                if !names_a_port(rest) {
                    url.set_port(Some(DEFAULT_PORT))
                        .map_err(|()| refuse("it has no host".to_owned()))?;
                }
                if url.path() == "/" {
                    url.set_path("/mcp");
                }
                Ok(Self::Http(url.into()))
            }
            other => Err(refuse(format!("the scheme `{other}` is not supported"))),
        }
    }
}

/// Returns whether `[user@]host[:port][/path]` contains a port. The parsed URL does not tell: it drops
/// `:80`.
fn names_a_port(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let after_address = host.rsplit(']').next().unwrap_or_default();
    after_address.contains(':')
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str(LOCAL_SERVER_URL),
            Self::Http(endpoint) => f.write_str(&redacted(endpoint)),
        }
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerUrl({self})")
    }
}

/// Returns a URL as people and logs may see it, without credentials, query and fragment.
pub(super) fn redacted(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else {
        return redacted_without_parsing(text);
    };
    if url.cannot_be_a_base() {
        // `user:password@host` is also parsed, as a URL of the scheme `user`.
        return redacted_without_parsing(text);
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Neither can fail: a URL with credentials has a host.
        let _ = url.set_password(None);
        let _ = url.set_username(HIDDEN);
    }
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

fn redacted_without_parsing(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        let rest = text.split(['?', '#']).next().unwrap_or_default();
        return match rest.rsplit_once('@') {
            Some((_, host)) if is_like_host(host) => format!("{HIDDEN}@{host}"),
            None if is_like_host(rest) => rest.to_owned(),
            // It may be anything, such as a misplaced key.
            _ => HIDDEN.to_owned(),
        };
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    match rest.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{HIDDEN}@{host}"),
        None => format!("{scheme}://{rest}"),
    }
}

/// Returns whether a text without a scheme can only be a host and a path: its words are short, and it is
/// not a known kind of key.
fn is_like_host(text: &str) -> bool {
    let is_word = |word: &str| {
        word.len() <= MAX_WORD && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    text.split(['.', '-', ':', '/', '[', ']']).all(is_word)
        && recall_kit_sanitizer::sanitize(text, &[RuleGroup::RemoveApiKeys])
            .findings
            .is_empty()
}

/// A `server.url` that has an unknown form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot use the server URL `{url}`: {reason}")]
pub struct ServerUrlError {
    /// The URL, without parts that may be secret.
    pub url: String,
    /// What is wrong with it.
    pub reason: String,
}
