//! Decides which addresses are public, and resolves hosts.
//!
//! Source: the IANA registries of special-purpose addresses for IPv4 and IPv6.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _},
    sync::mpsc,
    thread,
    time::Duration,
};

use url::{Host, Url};

use super::{SourceError, typed};

/// Whether an address is on the public internet, as opposed to a machine or a private network.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_protocol = (a, b, c) == (192, 0, 0) || (a, b, c) == (192, 88, 99);
    let is_benchmark = a == 198 && (b == 18 || b == 19);
    // 240.0.0.0/4 is reserved and ends in the broadcast address.
    let is_nowhere = a == 0 || a >= 240;
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || is_shared
        || is_protocol
        || is_benchmark
        || is_nowhere)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        // IPv4 embedded in IPv6 by NAT64 and 6to4.
        (0x64, 0xff9b) => [c, d, e, f] == [0; 4] && embedded(g, h),
        (0x2002, _) => embedded(b, c),
        (0, 0) if [c, d, e, f] == [0, 0, 0, 0xffff] => embedded(g, h),
        // Protocols (including Teredo) and documentation.
        (0x2001, ..0x200) | (0x2001, 0xdb8) | (0x3fff, ..0x1000) => false,
        // Global unicast is 2000::/3; nothing else is allocated.
        _ => a & 0xe000 == 0x2000,
    }
}

/// Rejects addresses that are not public, unless they are allowed: one private address of a host is enough.
///
/// *Errors*: [`SourceError::PrivateAddress`].
pub(super) fn check(
    host: &str,
    addresses: &[SocketAddr],
    allow_private: bool,
) -> Result<(), SourceError> {
    let mut addresses = addresses.iter().map(SocketAddr::ip);
    match addresses.find(|address| !allow_private && !is_public(*address)) {
        None => Ok(()),
        Some(address) => Err(SourceError::PrivateAddress {
            host: host.to_owned(),
            address,
        }),
    }
}

/// Returns the IP address in a URL that has one instead of a name.
pub(super) fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

/// Returns the addresses of a URL's host, all of them checked.
///
/// *Errors*: the host has none, the lookup takes too long, or one is private.
pub(super) fn resolve(
    url: &Url,
    allow_private: bool,
    timeout: Duration,
) -> Result<Vec<SocketAddr>, SourceError> {
    let host = url.host_str().unwrap_or_default().to_owned();
    let port = url.port_or_known_default().unwrap_or_default();
    let addresses = match literal(url) {
        Some(address) => vec![SocketAddr::new(address, port)],
        None => look_up(url, &host, timeout)?,
    };
    check(&host, &addresses, allow_private)?;
    Ok(addresses)
}

/// Resolves a host with the system's resolver on a separate thread, since it has no time limit of its own.
fn look_up(url: &Url, host: &str, timeout: Duration) -> Result<Vec<SocketAddr>, SourceError> {
    let port = url.port_or_known_default().unwrap_or_default();
    let (sender, receiver) = mpsc::channel();
    let query = (host.to_owned(), port);
    thread::spawn(move || {
        let found = query.to_socket_addrs().map(Iterator::collect::<Vec<_>>);
        // After the timeout there is no receiver.
        sender.send(found).ok();
    });
    match receiver.recv_timeout(timeout) {
        Ok(Ok(found)) if !found.is_empty() => Ok(found),
        Ok(_) => Err(SourceError::fetch(
            &typed::without_credentials(url),
            "its host has no address; check the spelling",
        )),
        Err(_) => Err(SourceError::Timeout {
            what: format!("finding the address of {host}"),
            seconds: timeout.as_secs(),
        }),
    }
}

#[cfg(test)]
mod tests;
