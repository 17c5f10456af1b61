//! The hosts of addresses in texts.

/// Returns the hosts of the addresses in a text.
fn hosts_in(text: &str) -> impl Iterator<Item = &str> {
    text.split("://").skip(1).map(|rest| {
        let is_end = |c: char| c.is_whitespace() || "/?#\"'`,;)]}>".contains(c);
        let authority = rest.split(is_end).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        host.split(':').next().unwrap_or_default()
    })
}

/// Returns whether a text names no host but these.
pub(crate) fn is_only_of(text: &str, hosts: &[&str]) -> bool {
    let is_known = |found: &str| hosts.iter().any(|host| host.eq_ignore_ascii_case(found));
    hosts_in(text).all(is_known)
}

/// Returns whether a value is an address at one of these hosts. A value that names no host may be anything.
pub(crate) fn is_only_at(value: &str, hosts: &[&str]) -> bool {
    hosts_in(value).next().is_some() && is_only_of(value, hosts)
}
