//! Which address counts as the client's.

#![allow(clippy::unwrap_used)]

use http::{HeaderMap, HeaderName};

use super::PeerAddress;

/// The proxies of every case: 10.0.0.0/8 and this machine.
fn check(peer: &str, headers: &[(&str, &str)], expected: &str, forwarded: bool) {
    let trusted = ["10.0.0.0/8", "127.0.0.1"].map(|network| network.parse().unwrap());
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
    }
    let found = PeerAddress::of(peer.parse().unwrap(), &map, &trusted);
    let expected = PeerAddress(expected.parse().unwrap(), forwarded);
    assert_eq!(found, expected, "{peer} {headers:?}");
}

#[test]
fn a_trusted_proxy_reports_the_client_address() {
    let list = "x-forwarded-for";
    check("127.0.0.1", &[(list, "203.0.113.9")], "203.0.113.9", true);
    check("10.1.1.1", &[(list, "203.0.113.9")], "203.0.113.9", true);
    // The value that the client sent is to the left of the one that the proxy added.
    check(
        "10.1.1.1",
        &[(list, "127.0.0.1, 203.0.113.9")],
        "203.0.113.9",
        true,
    );
    check(
        "10.1.1.1",
        &[(list, "203.0.113.9, 10.2.2.2")],
        "203.0.113.9",
        true,
    );
    let lines = [(list, "198.51.100.1"), (list, "203.0.113.9, 10.2.2.2")];
    check("10.1.1.1", &lines, "203.0.113.9", true);
    check(
        "10.1.1.1",
        &[(list, "203.0.113.9:4711")],
        "203.0.113.9",
        true,
    );
    check(
        "10.1.1.1",
        &[(list, "[2001:db8::1]:80")],
        "2001:db8::1",
        true,
    );
    check(
        "10.1.1.1",
        &[(list, "::ffff:203.0.113.9")],
        "203.0.113.9",
        true,
    );
    let standard = "for=127.0.0.1, For=\"[2001:db8::1]:80\";proto=https";
    check("10.1.1.1", &[("forwarded", standard)], "2001:db8::1", true);
    let both = [(list, "203.0.113.9"), ("forwarded", "for=203.0.113.9")];
    check("10.1.1.1", &both, "203.0.113.9", true);
}

#[test]
fn an_unknown_client_counts_as_the_proxy() {
    let list = "x-forwarded-for";
    check("127.0.0.1", &[], "127.0.0.1", true);
    check("10.1.1.1", &[(list, "unknown")], "10.1.1.1", true);
    check(
        "10.1.1.1",
        &[(list, "127.0.0.1, unknown, 10.2.2.2")],
        "10.2.2.2",
        true,
    );
    check(
        "10.1.1.1",
        &[("forwarded", "proto=https")],
        "10.1.1.1",
        true,
    );
    let two = [(list, "203.0.113.9"), ("forwarded", "for=127.0.0.1")];
    check("10.1.1.1", &two, "10.1.1.1", true);
    let hidden = [(list, "203.0.113.9"), ("forwarded", "for=_hidden")];
    check("10.1.1.1", &hidden, "10.1.1.1", true);
}

#[test]
fn headers_from_untrusted_peers_are_ignored() {
    let headers = [
        ("x-forwarded-for", "127.0.0.1"),
        ("forwarded", "for=127.0.0.1"),
    ];
    check("203.0.113.9", &headers, "203.0.113.9", false);
    check("::1", &headers, "::1", false);
}
