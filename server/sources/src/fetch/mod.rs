//! Files from the web.
//!
//! The addresses that are checked are those that are connected to: the connection itself resolves names through
//! [`CheckedResolver`], and IP addresses in a URL are checked beforehand. Proxies are not used, because it would
//! not be known where they connect to.

use std::{error::Error as _, io::Write, net::SocketAddr, sync::Arc, thread, time::Duration};

use recall_kit_documents::readers::is_readable;
use reqwest::{
    Client, Response, StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{CONTENT_TYPE, LOCATION},
    redirect::Policy,
};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{SourceError, SourceOptions, address, typed};

/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 5;
const USER_AGENT: &str = concat!("recall-kit/", env!("CARGO_PKG_VERSION"));

/// Fetches URLs for one source.
#[derive(Debug)]
pub(super) struct Fetcher {
    client: Client,
    /// Its own runtime: sources are read in places where no other runtime may be blocked. `None` only while it
    /// is dropped.
    runtime: Option<Runtime>,
    /// User name and password of the URL, with the origin that they may be sent to.
    login: Option<(url::Origin, String, String)>,
    allow_private: bool,
    timeout: Duration,
    stop: CancellationToken,
}

/// A request for a URL.
#[derive(Debug, Clone, Copy)]
pub(super) struct FetchRequest<'a> {
    pub(super) url: &'a Url,
    /// The most bytes that are read.
    pub(super) limit: u64,
    /// Whether redirects to other hosts are rejected.
    pub(super) stay: bool,
}

/// The metadata of a fetched file.
#[derive(Debug)]
pub(super) struct Fetched {
    /// The URL after redirects.
    pub(super) url: Url,
    /// The content type from the server, without parameters; empty if there is none.
    pub(super) content_type: String,
}

impl Fetcher {
    /// Creates a client; nothing is sent yet.
    ///
    /// *Errors*: the system has no certificates, or no runtime can be started.
    pub(super) fn new(url: &Url, options: &SourceOptions) -> Result<Self, SourceError> {
        let failed = |error: &dyn std::fmt::Display| {
            SourceError::fetch(
                &typed::without_credentials(url),
                format!("no HTTP client can be created: {error}"),
            )
        };
        // This fails if a provider is already installed, which is fine.
        drop(rustls::crypto::ring::default_provider().install_default());
        let timeout = options.limits.timeout;
        let client = Client::builder()
            .dns_resolver(Arc::new(CheckedResolver {
                allow_private: options.allow_private_addresses,
            }))
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .user_agent(USER_AGENT)
            .connect_timeout(timeout.min(Duration::from_secs(30)))
            .timeout(timeout)
            .build()
            .map_err(|error| failed(&error))?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let login = (!url.username().is_empty() || url.password().is_some()).then(|| {
            let [name, password] = [url.username(), url.password().unwrap_or_default()]
                .map(|text| percent_encoding::percent_decode_str(text).decode_utf8_lossy());
            (url.origin(), name.into_owned(), password.into_owned())
        });
        Ok(Self {
            client,
            runtime: Some(runtime.map_err(|error| failed(&error))?),
            login,
            allow_private: options.allow_private_addresses,
            timeout,
            stop: options.stop.clone(),
        })
    }

    /// Writes the contents of a URL to `sink`.
    ///
    /// *Errors*: the server cannot be reached, is at a private address or returns an error status; or the
    /// contents exceed the limit, the time is over, or reading was cancelled.
    pub(super) fn get(
        &self,
        wanted: FetchRequest<'_>,
        sink: &mut (dyn Write + Send),
    ) -> Result<Fetched, SourceError> {
        let url = wanted.url;
        let runtime = self
            .runtime
            .as_ref()
            .expect("the runtime exists until the fetcher is dropped");
        let failed = || {
            SourceError::fetch(
                &typed::without_credentials(url),
                "reading it was interrupted",
            )
        };
        // A runtime cannot be entered from inside another one, but a new thread is in none.
        thread::scope(|scope| {
            let task = scope.spawn(|| {
                let following = self.stop.run_until_cancelled(self.follow(wanted, sink));
                runtime.block_on(async { tokio::time::timeout(self.timeout, following).await })
            });
            match task.join() {
                Ok(Ok(done)) => done.unwrap_or(Err(SourceError::CalledOff)),
                Ok(Err(_)) => Err(self.too_long(url)),
                Err(_) => Err(failed()),
            }
        })
    }

    async fn follow(
        &self,
        wanted: FetchRequest<'_>,
        sink: &mut (dyn Write + Send),
    ) -> Result<Fetched, SourceError> {
        let url = wanted.url;
        let mut at = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_request(&at).await?;
            let status = response.status();
            if !status.is_redirection() || status == StatusCode::NOT_MODIFIED {
                return self.read(at, response, sink, wanted.limit).await;
            }
            let to = redirected(&at, &response)?;
            if wanted.stay && to.origin() != url.origin() {
                let reason = "it redirects to another host";
                return Err(SourceError::fetch(&typed::without_credentials(url), reason));
            }
            at = to;
        }
        let reason = format!("it has more than {MAX_REDIRECTS} redirects");
        Err(SourceError::fetch(&typed::without_credentials(url), reason))
    }

    async fn send_request(&self, url: &Url) -> Result<Response, SourceError> {
        let host = url.host_str().unwrap_or_default();
        if let Some(literal) = address::literal(url) {
            address::check(host, &[SocketAddr::new(literal, 0)], self.allow_private)?;
        }
        let mut public_url = url.clone();
        public_url.set_password(None).ok();
        public_url.set_username("").ok();
        let mut request = self.client.get(public_url);
        if let Some((origin, name, password)) = &self.login
            && *origin == url.origin()
        {
            request = request.basic_auth(name, Some(password));
        }
        request
            .send()
            .await
            .map_err(|error| self.connection_error(url, error))
    }

    async fn read(
        &self,
        url: Url,
        mut response: Response,
        sink: &mut (dyn Write + Send),
        limit: u64,
    ) -> Result<Fetched, SourceError> {
        let status = response.status();
        if !status.is_success() {
            let reason = format!("the server answered with status {status}");
            return Err(SourceError::fetch(
                &typed::without_credentials(&url),
                reason,
            ));
        }
        let mut left = limit;
        while let Some(bytes) = response
            .chunk()
            .await
            .map_err(|error| self.connection_error(&url, error))?
        {
            let what = "bytes of a download";
            left = left
                .checked_sub(bytes.len() as u64)
                .ok_or(SourceError::TooMuch { what, limit })?;
            sink.write_all(&bytes).map_err(|error| {
                let reason = format!("it cannot be stored: {error}");
                SourceError::fetch(&typed::without_credentials(&url), reason)
            })?;
        }
        let header = response.headers().get(CONTENT_TYPE);
        let header = header.and_then(|value| value.to_str().ok());
        let content_type = header.and_then(|text| text.split(';').next());
        let content_type = content_type.unwrap_or_default().trim().to_lowercase();
        Ok(Fetched { url, content_type })
    }

    /// Converts a connection error; the library's own message might repeat the URL.
    fn connection_error(&self, url: &Url, error: reqwest::Error) -> SourceError {
        if error.is_timeout() {
            return self.too_long(url);
        }
        let mut cause = error.source();
        let mut last = String::new();
        while let Some(error) = cause {
            if let Some(PrivateAddresses { host, addresses }) = error.downcast_ref()
                && let Err(refused) = address::check(host, addresses, false)
            {
                return refused;
            }
            last = error.to_string();
            cause = error.source();
        }
        let what = match error.is_connect() {
            true => "no connection could be made",
            false => "the connection broke",
        };
        let reason = match last.is_empty() {
            true => what.to_owned(),
            false => format!("{what}: {last}"),
        };
        SourceError::fetch(&typed::without_credentials(url), reason)
    }

    fn too_long(&self, url: &Url) -> SourceError {
        SourceError::Timeout {
            what: format!("reading {}", typed::without_credentials(url)),
            seconds: self.timeout.as_secs(),
        }
    }
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A name lookup cannot be cancelled, and must not be waited for.
            runtime.shutdown_background();
        }
    }
}

impl Fetched {
    /// Returns a file name for what was fetched; if the URL has no known extension, that of the content type is
    /// added.
    pub(super) fn name(&self) -> String {
        let last = self.url.path().rsplit('/').next().unwrap_or_default();
        self.named(if last.is_empty() { "index" } else { last })
    }

    /// Like [`Self::name`], for a path.
    pub(super) fn named(&self, path: &str) -> String {
        let extension = match self.content_type.as_str() {
            "text/html" | "application/xhtml+xml" => "html",
            "text/markdown" | "text/x-markdown" => "md",
            "text/x-rst" | "text/prs.fallenstein.rst" => "rst",
            "text/plain" => "txt",
            "application/json" => "json",
            "application/pdf" => "pdf",
            _ => return path.to_owned(),
        };
        match is_readable(path) {
            true => path.to_owned(),
            false => format!("{path}.{extension}"),
        }
    }
}

/// Returns the target of a redirect.
///
/// *Errors*: there is none, or it leads from an encrypted connection to an unencrypted one or off the web.
fn redirected(from: &Url, response: &Response) -> Result<Url, SourceError> {
    let refuse = |reason: &str| {
        Err(SourceError::fetch(
            &typed::without_credentials(from),
            reason,
        ))
    };
    let location = response.headers().get(LOCATION);
    let location = location.and_then(|value| value.to_str().ok());
    let Some(Ok(to)) = location.map(|location| from.join(location)) else {
        return refuse("its redirect has no valid target");
    };
    match (from.scheme(), to.scheme()) {
        ("https", "http") => refuse("it redirects to an address without encryption"),
        (_, "http" | "https") if to.host_str().is_some() => Ok(to),
        _ => refuse("it redirects to something that is not on the web"),
    }
}

/// Resolves names, and rejects addresses that must not be connected to.
#[derive(Debug)]
struct CheckedResolver {
    allow_private: bool,
}

/// Addresses at least one of which must not be connected to.
#[derive(Debug, thiserror::Error)]
#[error("the address is private")]
struct PrivateAddresses {
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let host = name.as_str().to_owned();
            // The connection sets the port of the URL.
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let addresses = found.collect::<Vec<_>>();
            if address::check(&host, &addresses, allow_private).is_err() {
                return Err(PrivateAddresses { host, addresses }.into());
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
pub(super) mod tests;
