//! Checks that `Host` and `Origin` are names of this server.

use std::net::IpAddr;

use axum::{
    extract::Request,
    http::{HeaderValue, header},
};
use recall_kit_settings::Settings;
use recall_kit_settings::split_host;

/// Checks both headers.
///
/// *Errors*: the name of the wrong header for the metrics, and a message that says what is wrong.
pub(super) fn check(
    settings: &Settings,
    request: &Request,
) -> Result<(), (&'static str, &'static str)> {
    let headers = request.headers();
    if headers.get_all(header::HOST).iter().count() > 1 {
        return Err(("host", "the request has more than one Host header"));
    }
    let target = request
        .uri()
        .authority()
        .map(|authority| authority.as_str());
    let host = headers.get(header::HOST);
    let host = host.map(|host| host.to_str().unwrap_or_default());
    // If the request target has a host, the `Host` header has no meaning. It is checked all the same,
    // since a proxy in front may have relied on it.
    let mut hosts = target.into_iter().chain(host).peekable();
    if hosts.peek().is_none() || !hosts.all(|host| is_allowed_host(settings, host)) {
        return Err((
            "host",
            "the Host header is not a name of this server; add the name to access.hosts",
        ));
    }
    let requested = host.or(target);
    for origin in headers.get_all(header::ORIGIN) {
        let from = origin.to_str().ok().and_then(origin_host);
        // A page from the requested address is the server's own. A page from any other address is
        // foreign, even if the server listens on all addresses.
        let is_ours = |from: &str| requested == Some(from) || is_own_name(settings, from);
        if !from.is_some_and(is_ours) {
            return Err((
                "origin",
                "the Origin header is not a name of this server; add the name to access.hosts",
            ));
        }
    }
    Ok(())
}

/// Whether an origin has the port that the request was sent to, or is in `access.hosts` with its port.
pub(super) fn is_same_port_or_listed(
    settings: &Settings,
    request: &Request,
    origin: &HeaderValue,
) -> bool {
    let Some(from) = origin.to_str().ok().and_then(origin_host) else {
        return false;
    };
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    let requested = host.or_else(|| Some(request.uri().authority()?.as_str()));
    let is_same_port =
        requested.is_some_and(|requested| split_host(requested).1 == split_host(from).1);
    let mut listed = settings.access.hosts.iter();
    is_same_port || listed.any(|known| known.eq_ignore_ascii_case(from))
}

fn origin_host(origin: &str) -> Option<&str> {
    let (scheme, host) = origin.split_once("://")?;
    matches!(scheme, "http" | "https").then_some(host)
}

/// Whether requests may be sent to `host[:port]`: it is a name of this server, or an IP address and the
/// server listens on all addresses. An address is safe, since rebinding needs a name.
fn is_allowed_host(settings: &Settings, host: &str) -> bool {
    let is_address = || address_of(host).is_some();
    is_own_name(settings, host) || (settings.host.is_unspecified() && is_address())
}

/// Whether `host[:port]` is a loopback name or address, the address that the server listens on, or a name
/// from the settings.
fn is_own_name(settings: &Settings, host: &str) -> bool {
    let (name, _) = split_host(host);
    let mut configured = settings.access.hosts.iter();
    if configured.any(|known| split_host(known).0.eq_ignore_ascii_case(name)) {
        return true;
    }
    match address_of(host) {
        Some(address) => address.is_loopback() || address == settings.host,
        None => name.eq_ignore_ascii_case("localhost"),
    }
}

/// Returns the host of `host[:port]` if it is an IP address.
fn address_of(host: &str) -> Option<IpAddr> {
    split_host(host).0.parse().ok()
}
