//! Public and private addresses in every notation.

#![allow(clippy::unwrap_used)]

use std::{net::SocketAddr, time::Duration};

use url::Url;

use super::{check, is_public, resolve};

#[test]
fn only_internet_addresses_are_public() {
    for address in [
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "64:ff9b::101:101",
        "2002:101:101::1",
        "::ffff:1.1.1.1",
    ] {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
    for address in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "fe80::1",
        "fec0::1",
        "fc00::1",
        "fd12:3456::1",
        "ff02::1",
        "2001:db8::1",
        "2001::1",
        "3fff::1",
        "100::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1.1.1.1",
        "2002:7f00:1::1",
        "2002:a00:1::1",
        "4000::1",
        "5f00::1",
    ] {
        assert!(!is_public(address.parse().unwrap()), "{address}");
    }
}

#[test]
fn one_private_address_of_a_host_is_enough_to_reject_it() {
    let addresses = ["1.1.1.1:443", "10.0.0.7:443"].map(|text| text.parse::<SocketAddr>().unwrap());
    let refused = check("docs.example", &addresses, false).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`docs.example` is at 10.0.0.7, which is not a public address; allow private addresses to \
         read it"
    );
    check("docs.example", &addresses, true).unwrap();
}

#[test]
fn this_machine_is_rejected_in_every_notation() {
    for url in [
        "http://localhost/a",
        "http://127.0.0.1:80/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://0/",
        "http://127.0.0.1./",
    ] {
        let found = resolve(&Url::parse(url).unwrap(), false, Duration::from_secs(30));
        let refused = found.unwrap_err().to_string();
        assert!(refused.contains("not a public address"), "{url}: {refused}");
    }
}
