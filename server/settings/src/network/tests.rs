//! Which addresses are in a network.

#![allow(clippy::unwrap_used)]

use super::Network;

#[test]
fn a_network_contains_the_addresses_that_share_its_leading_bits() {
    let check = |network: &str, address: &str, expected: bool| {
        let network: Network = network.parse().unwrap();
        let found = network.contains(address.parse().unwrap());
        assert_eq!(found, expected, "{address} in {network}");
    };
    check("10.0.0.0/8", "10.255.0.1", true);
    check("10.0.0.0/8", "11.0.0.1", false);
    check("10.1.2.3/8", "10.9.9.9", true);
    check("192.0.2.7", "192.0.2.7", true);
    check("192.0.2.7", "192.0.2.6", false);
    check("192.0.2.6/31", "192.0.2.7", true);
    check("0.0.0.0/0", "203.0.113.9", true);
    check("0.0.0.0/0", "2001:db8::1", false);
    check("10.0.0.0/8", "::ffff:10.0.0.1", true);
    check("2001:db8::/32", "2001:db8:1::1", true);
    check("2001:db8::/32", "2001:db9::1", false);
    check("::1", "::1", true);
    check("::/0", "10.0.0.1", false);
}

#[test]
fn a_text_that_is_no_network_is_rejected() {
    for text in [
        "",
        "proxy",
        "10.0.0.0/33",
        "::/129",
        "10.0.0/8",
        "10.0.0.0/",
        "10.0.0.0/-1",
    ] {
        assert!(text.parse::<Network>().is_err(), "{text}");
    }
}

#[test]
fn a_network_is_displayed_as_it_was_parsed() {
    for text in ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1"] {
        assert_eq!(text.parse::<Network>().unwrap().to_string(), text);
    }
}
