//! Where a request comes from: the other end of its connection, or the client that a trusted proxy
//! names.
//!
//! `X-Forwarded-For` and `Forwarded` (RFC 7239) are read from trusted proxies alone, from the right:
//! what stands to the left of the first stranger may be invented.

use std::net::IpAddr;

use http::{HeaderMap, header};
use recall_kit_settings::{Network, split_host};

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(
    pub IpAddr,
    /// Whether it came through a trusted proxy, so that it is never this machine's own.
    pub bool,
);

impl PeerAddress {
    /// Tells the sender of a request that came over a connection from `peer`.
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
            // The client wrote one of them: the proxy knows only the other, and passed both on.
            (Some(listed), Some(forwarded)) if listed != forwarded => peer,
            (listed, forwarded) => listed.or(forwarded).unwrap_or(peer),
        };
        Self(client.to_canonical(), true)
    }
}

/// Returns the elements of a header that is a list, in all of its lines.
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

/// Returns the first untrusted address from the right, else the leftmost readable one before that;
/// `peer` where the nearest hop is unreadable, `None` without hops.
fn client(hops: &[&str], peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool) -> Option<IpAddr> {
    // An unreadable nearest hop stands for the proxy: the other header may be the client's.
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
