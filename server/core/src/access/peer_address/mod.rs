//! The client address of a request: the peer of its connection, or the client that a trusted proxy
//! reports.
//!
//! `X-Forwarded-For` and `Forwarded` (RFC 7239) are read only from trusted proxies, from right to left:
//! everything to the left of the first untrusted address may be forged.

use std::net::IpAddr;

use http::{HeaderMap, header};
use recall_kit_settings::{Network, split_host};

/// The client address of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(
    pub IpAddr,
    /// Whether it came through a trusted proxy; such an address never counts as this machine's own.
    pub bool,
);

impl PeerAddress {
    /// Returns the client address of a request over a connection from `peer`.
    pub fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> Self {
        let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
        if !is_trusted(peer) {
            return Self(peer, false);
        }
        let listed = client(&hops(headers, "x-forwarded-for"), peer, is_trusted);
        let forwarded = hops(headers, header::FORWARDED.as_str());
        let forwarded: Vec<&str> = forwarded.into_iter().map(for_parameter).collect();
        let forwarded = client(&forwarded, peer, is_trusted);
        let client = match (listed, forwarded) {
            // The client sent one of them, and the proxy, which sets only the other, passed both on.
            (Some(listed), Some(forwarded)) if listed != forwarded => peer,
            (listed, forwarded) => listed.or(forwarded).unwrap_or(peer),
        };
        Self(client.to_canonical(), true)
    }
}

/// Returns the elements of a list header, from all of its lines.
fn hops<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter();
    let lines = lines.map(|line| line.to_str().unwrap_or_default());
    lines.flat_map(|line| line.split(',')).collect()
}

/// Returns the value of `for` in an element of `Forwarded`.
fn for_parameter(element: &str) -> &str {
    let mut parameters = element.split(';').filter_map(|one| one.split_once('='));
    let named = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
    named.map_or("", |(_, value)| value.trim().trim_matches('"'))
}

/// Returns the first untrusted address from the right; if there is none, the leftmost address that is
/// readable without a gap. `peer` if the nearest hop is unreadable, `None` without hops.
fn client(hops: &[&str], peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool) -> Option<IpAddr> {
    // An unreadable nearest hop counts as the proxy itself: the other header may come from the client.
    let nearest_hop = hops.last().filter(|hop| !hop.trim().is_empty());
    let mut nearest = nearest_hop.map(|_| peer);
    for hop in hops.iter().rev() {
        let (name, _) = split_host(hop.trim());
        let Ok(address) = name.parse() else {
            break;
        };
        nearest = Some(address);
        if !is_trusted(address) {
            break;
        }
    }
    nearest
}

#[cfg(test)]
mod tests;
