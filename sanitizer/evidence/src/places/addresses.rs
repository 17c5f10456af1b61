//! Judges IP and MAC addresses: loopback, documentation, public resolvers and versions stay.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::text::tail;

/// Resolvers and services that documentation names, the same for everybody.
const PUBLIC: &[&str] = &[
    // Cloudflare, Google, Quad9, OpenDNS, Level 3, Verisign, AdGuard, Control D
    "1.1.1.1",
    "1.0.0.1",
    "1.1.1.2",
    "1.0.0.2",
    "1.1.1.3",
    "1.0.0.3",
    "8.8.8.8",
    "8.8.4.4",
    "9.9.9.9",
    "9.9.9.10",
    "9.9.9.11",
    "149.112.112.112",
    "149.112.112.10",
    "208.67.222.222",
    "208.67.220.220",
    "208.67.222.123",
    "208.67.220.123",
    "4.2.2.1",
    "4.2.2.2",
    "4.2.2.3",
    "4.2.2.4",
    "64.6.64.6",
    "64.6.65.6",
    "94.140.14.14",
    "94.140.15.15",
    "76.76.2.0",
    "76.76.10.0",
    // Yandex, 114DNS, Alibaba, DNSPod, Baidu, CleanBrowsing, Comodo
    "77.88.8.8",
    "77.88.8.1",
    "114.114.114.114",
    "114.114.115.115",
    "223.5.5.5",
    "223.6.6.6",
    "119.29.29.29",
    "180.76.76.76",
    "185.228.168.9",
    "185.228.169.9",
    "8.26.56.26",
    "8.20.247.20",
    // What clouds answer themselves: AWS and others, Azure, Alibaba, Tailscale
    "169.254.169.254",
    "169.254.169.253",
    "168.63.129.16",
    "100.100.100.200",
    "100.100.100.100",
];

/// The same in IPv6.
const PUBLIC_V6: &[&str] = &[
    "2620:fe::fe",
    "2620:fe::9",
    "2620:fe::10",
    "2620:119:35::35",
    "2620:119:53::53",
    "2a10:50c0::ad1:ff",
    "2a10:50c0::ad2:ff",
    "2400:3200::1",
    "2400:3200:baba::1",
    "fd00:ec2::254",
];

/// Networks that examples and defaults name, without their length: RFC 1918, containers, clusters.
const NETWORKS: &[&str] = &["192.168.0.0", "172.16.0.0", "172.17.0.0"];

/// Networks of 256 addresses that routers and virtual machines come with.
const SMALL_NETWORKS: &[&str] = &[
    "10.0.1.0",
    "10.0.2.0",
    "192.168.1.0",
    "192.168.56.0",
    "192.168.99.0",
    "192.168.100.0",
    "192.168.122.0",
];

/// Whether an IPv4 address should go; a netmask, loopback, documentation range or version stays.
pub fn is_private_ipv4(before: &str, text: &str, after: &str) -> bool {
    let Ok(address) = text.parse::<Ipv4Addr>() else {
        return false;
    };
    let [first, second, third, fourth] = address.octets();
    let kept = address.is_loopback()
        || address.is_unspecified()
        || address.is_documentation()
        || address.is_broadcast()
        || address.is_multicast()
        || first == 255
        || first == 0
        || PUBLIC.contains(&text);
    let network = (third, fourth) == (0, 0) && (after.starts_with('/') || second == 0)
        || NETWORKS.contains(&text)
        || after.starts_with('/') && SMALL_NETWORKS.contains(&text);
    !kept
        && !network
        && !is_joined(before, text, after)
        && !is_version(before, after)
        && !is_upgrade(before, address, after)
        && !is_release_or_section(before, address)
        && !is_object_identifier(before, after)
}

/// `( 2.5.4.3 NAME 'cn'`, `OID: 2.5.4.3`: what a directory calls an attribute by.
fn is_object_identifier(before: &str, after: &str) -> bool {
    const MARKS: &[&str] = &[
        "oid",
        "oid:",
        "oid=",
        "objectidentifier",
        "object identifier",
    ];
    let defined = before.ends_with("( ")
        && [" NAME ", " DESC ", " SUP "]
            .iter()
            .any(|word| after.starts_with(word));
    let lead = tail(before, 24).trim_end().to_ascii_lowercase();
    defined || MARKS.iter().any(|mark| lead.ends_with(mark))
}

/// `v8@3.14.5.9`, `// 2.2.1.2`: a release behind a package's name, a section alone in its comment.
fn is_release_or_section(before: &str, address: Ipv4Addr) -> bool {
    const MOST: u8 = 30;
    let [first, ..] = address.octets();
    let package = before
        .strip_suffix('@')
        .is_some_and(|name| name.ends_with(|c: char| c.is_ascii_alphanumeric()));
    let line = before.rsplit('\n').next().unwrap_or_default();
    let marks = |c: char| c.is_whitespace() || matches!(c, '/' | '*' | '#' | ';' | '-' | '§');
    let section = !line.trim().is_empty() && line.chars().all(marks);
    package && first < 10
        || section && address.octets().iter().all(|octet| *octet < MOST) && first != 10
}

/// Whether letters, digits or marks make the digits part of something longer.
fn is_joined(before: &str, text: &str, after: &str) -> bool {
    // Ranges in the networks that routers come with are in every manual.
    let default = ["10.0.0.", "192.168.0.", "192.168.1."]
        .iter()
        .any(|network| text.starts_with(network));
    let range_ends = !default && before.ends_with('-') && ends_in_address(before);
    let range_begins = !default && after.strip_prefix('-').is_some_and(begins_with_address);
    before.ends_with(['.', '_', 'v', 'V'])
        || before.ends_with('-') && !range_ends
        || before.ends_with(|c: char| c.is_alphanumeric())
        || after.starts_with('_')
        || after.starts_with('-') && !range_begins
        || after.starts_with(|c: char| c.is_alphanumeric())
        || after
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// `10.1.2.3-`: the first address of a range.
fn ends_in_address(before: &str) -> bool {
    let range = before.trim_end_matches('-');
    let start = range
        .rfind(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map_or(0, |at| range.ceil_char_boundary(at + 1));
    let first = range.get(start..).unwrap_or_default();
    first.parse::<Ipv4Addr>().is_ok()
}

fn begins_with_address(rest: &str) -> bool {
    quad(rest).is_some()
}

/// The four numbers at the start of a text.
fn quad(text: &str) -> Option<Ipv4Addr> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    text.get(..end)?.trim_end_matches('.').parse().ok()
}

/// Whether an address belongs to nobody's network in particular, so that only an insider knows it.
fn is_internal(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_private() || address.is_link_local() || first == 100 && (64..128).contains(&second)
}

/// `version = "4.0.3.1"`, `Chrome/120.0.0.0`, `==1.2.3.4`. Java prints `host/10.1.2.3:5432`.
fn is_version(before: &str, after: &str) -> bool {
    let near = tail(before, 24).to_ascii_lowercase();
    let product = near.strip_suffix('/').is_some_and(|name| {
        name.ends_with(|c: char| c.is_ascii_alphabetic()) && !near.contains("://")
    });
    let before_port = after
        .strip_prefix(':')
        .is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()));
    let line = near.rsplit('\n').next().unwrap_or_default();
    let line = line.replace("tables ", "");
    product && !before_port
        || after.starts_with(" version")
        || near.ends_with("==")
        || [
            "version",
            "ver.",
            "oid",
            "release",
            "build ",
            "section",
            "chapter",
            "paragraph",
            "appendix",
            "annex",
            "figure",
            "table",
            "kapitel",
            "abschnitt",
            "chapitre",
            "capítulo",
            "глав",
            "§",
            "clause",
            "rfc ",
            "identifier(",
        ]
        .iter()
        .any(|word| line.contains(word))
}

/// What stands between two versions of a package.
const ARROWS: &[&str] = &[
    "->",
    "→",
    "=>",
    "to",
    "⇒",
    "..",
    "➜",
    "was replaced by",
    "replaced by",
    "superseded by",
    "replaces",
    "supersedes",
];

/// Words of the network: two addresses between which something goes.
const TRAFFIC: &[&str] = &[
    "src", "dst", "host", "addr", "ip", "route", "via", "packet", "tcp", "udp", "icmp", "nat",
    "peer", "server", "client", "port", "ping", "dns", "proto", "forward",
];

/// `8.0.0.1 -> 9.0.0.0`, `(3.2.1.0) to (3.3.0.1)`: one of two versions of a package. All numbers are
/// small, which in two addresses they hardly ever are.
fn is_upgrade(before: &str, address: Ipv4Addr, after: &str) -> bool {
    const BRACKETS: &[char] = &[' ', '(', ')', '[', ']', '"', '\'', '`', '*'];
    let line = tail(before, 80).rsplit('\n').next().unwrap_or_default();
    let ahead = after.trim_start_matches(BRACKETS);
    let following = ARROWS.iter().find_map(|arrow| {
        let rest = ahead.strip_prefix(arrow)?;
        quad(rest.trim_start_matches(BRACKETS))
    });
    let behind = line.trim_end_matches(BRACKETS);
    let preceding = ARROWS.iter().find_map(|arrow| {
        let rest = behind.strip_suffix(arrow)?.trim_end_matches(BRACKETS);
        let start = rest
            .rfind(|c: char| !(c.is_ascii_digit() || c == '.'))
            .map_or(0, |at| rest.ceil_char_boundary(at + 1));
        rest.get(start..)?.parse().ok()
    });
    let Some(other) = following.or(preceding) else {
        return false;
    };
    let small = |address: Ipv4Addr| address.octets().iter().all(|octet| *octet < 100);
    let lower = line.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    small(address)
        && small(other)
        && !(is_internal(address) && is_internal(other))
        && !words.any(|word| TRAFFIC.contains(&word))
}

/// Whether an IPv6 address should go.
pub fn is_private_ipv6(before: &str, text: &str, after: &str) -> bool {
    // A time of day has fewer groups.
    let colons = text.bytes().filter(|byte| *byte == b':').count();
    if colons != 7 && !text.contains("::") {
        return false;
    }
    let groups = text.split(':').filter(|group| !group.is_empty()).count();
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    if groups < 3 || !digits {
        return false;
    }
    let Ok(address) = text.parse::<Ipv6Addr>() else {
        return false;
    };
    let [first, second, ..] = address.segments();
    let lower = text.to_ascii_lowercase();
    let kept = address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        // RFC 3849 and RFC 9637
        || (first, second) == (0x2001, 0xdb8)
        || first == 0x3fff && second < 0x1000
        || text.starts_with("::") && !text.contains('.')
        || lower.starts_with("2001:4860:4860:")
        || text.starts_with("2606:4700:4700:")
        || PUBLIC_V6.contains(&&*lower);
    let joined = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
    !kept
        && !before.ends_with(joined)
        && !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':'))
}

/// Whether a MAC address names a device.
pub fn is_device_mac(before: &str, text: &str, after: &str) -> bool {
    let digits: String = text
        .chars()
        .filter(char::is_ascii_hexdigit)
        .collect::<String>()
        .to_ascii_lowercase();
    let varied = digits
        .bytes()
        .collect::<std::collections::BTreeSet<_>>()
        .len()
        > 3;
    let documented = digits.starts_with("00005e00")
        || digits == "001122334455"
        || digits == "aabbccddeeff"
        || digits == "deadbeef0000";
    let joined = |c: char| c.is_alphanumeric() || matches!(c, ':' | '-' | '_');
    varied
        && !documented
        && !before.ends_with(joined)
        && !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'))
        && !after
            .strip_prefix(':')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit()))
}
