//! Which `Host` and `Origin` may talk to the server.

use std::net::IpAddr;

use axum::{
    extract::Request,
    http::{HeaderValue, header},
};
use recall_kit_core::app::App;
use recall_kit_settings::split_host;

/// Checks both headers.
///
/// *Errors*: which header is wrong, for counters, and what is wrong with it, in words.
pub(super) fn check(app: &App, request: &Request) -> Result<(), (&'static str, &'static str)> {
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
    // A target with a host of its own makes the header meaningless, but not harmless: a proxy in
    // front may have believed it.
    let mut named = target.into_iter().chain(host).peekable();
    if named.peek().is_none() || !named.all(|host| may_be_asked(app, host)) {
        return Err((
            "host",
            "the Host header names no host that this server goes by; add the name to access.hosts",
        ));
    }
    let own = host.or(target);
    for origin in headers.get_all(header::ORIGIN) {
        let from = origin.to_str().ok().and_then(origin_host);
        // A page from the address that is asked is the server's own; one from any other address is
        // a stranger's, also where every address is listened on.
        let is_ours = |from: &str| own == Some(from) || is_own_name(app, from);
        if !from.is_some_and(is_ours) {
            return Err((
                "origin",
                "the Origin header names no host that this server goes by; add the name to access.hosts",
            ));
        }
    }
    Ok(())
}

/// Whether an origin has the port that the request was sent to, or is listed with its own.
pub(super) fn is_same_port_or_listed(app: &App, request: &Request, origin: &HeaderValue) -> bool {
    let Some(from) = origin.to_str().ok().and_then(origin_host) else {
        return false;
    };
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    let asked = host.or_else(|| Some(request.uri().authority()?.as_str()));
    let is_same_port = asked.is_some_and(|asked| split_host(asked).1 == split_host(from).1);
    let mut listed = app.settings.access.hosts.iter();
    is_same_port || listed.any(|known| known.eq_ignore_ascii_case(from))
}

fn origin_host(origin: &str) -> Option<&str> {
    let (scheme, host) = origin.split_once("://")?;
    matches!(scheme, "http" | "https").then_some(host)
}

/// Whether `host[:port]` is a name to ask for: an own one, or any address where every address is
/// listened on, since rebinding needs a name.
fn may_be_asked(app: &App, host: &str) -> bool {
    let is_address = || address_of(host).is_some();
    is_own_name(app, host) || (app.settings.host.is_unspecified() && is_address())
}

/// Whether `host[:port]` is a loopback name, the address listened on, or a name from the settings.
fn is_own_name(app: &App, host: &str) -> bool {
    let (name, _) = split_host(host);
    let mut configured = app.settings.access.hosts.iter();
    if configured.any(|known| split_host(known).0.eq_ignore_ascii_case(name)) {
        return true;
    }
    match address_of(host) {
        Some(address) => address.is_loopback() || address == app.settings.host,
        None => name.eq_ignore_ascii_case("localhost"),
    }
}

/// Returns the address in `host[:port]`, when it is one.
fn address_of(host: &str) -> Option<IpAddr> {
    split_host(host).0.parse().ok()
}
