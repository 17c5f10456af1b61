//! The keep-list: what is public, generic or a placeholder, and therefore stays.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeepList {
    hosts: HashSet<String>,
    tenants: HashSet<String>,
    mail: HashSet<String>,
    tlds: HashSet<String>,
    file_extensions: HashSet<String>,
    users: HashSet<String>,
    values: HashSet<String>,
    placeholder_words: HashSet<String>,
}

fn list() -> &'static KeepList {
    static CELL: OnceLock<KeepList> = OnceLock::new();
    CELL.get_or_init(|| {
        toml::from_str(include_str!("../rules/keep.toml"))
            .unwrap_or_else(|error| unreachable!("keep.toml is read by every test: {error}"))
    })
}

/// Whether `name` is one of `domains` or below one.
fn under(domains: &HashSet<String>, name: &str) -> bool {
    let mut rest = name;
    loop {
        if domains.contains(rest) {
            return true;
        }
        match rest.split_once('.') {
            Some((_, parent)) => rest = parent,
            None => return false,
        }
    }
}

/// Whether a host is public knowledge, or below such a domain.
pub(crate) fn host(name: &str) -> bool {
    under(&list().hosts, name)
}

/// Whether a host is a customer's name below a provider's domain: `acme.okta.com`.
pub(crate) fn tenant(name: &str) -> bool {
    name.split_once('.').is_some_and(|(label, parent)| {
        under(&list().tenants, parent)
            && ![
                "www", "api", "docs", "app", "status", "help", "support", "s3", "sts", "hooks",
                "files", "login", "accounts", "cdn", "static",
            ]
            .contains(&label)
    })
}

/// Whether a domain is a mail provider, whose addresses are people's.
pub(crate) fn mail(domain: &str) -> bool {
    under(&list().mail, domain)
}

/// Whether this is a common top-level domain, lower case.
pub(crate) fn tld(name: &str) -> bool {
    list().tlds.contains(name)
}

/// Whether this is the extension of a file name rather than a top-level domain.
pub(crate) fn file_extension(name: &str) -> bool {
    list().file_extensions.contains(&name.to_ascii_lowercase())
}

/// Whether a user name is a role, a service or a placeholder.
pub(crate) fn user(name: &str) -> bool {
    list().users.contains(&name.to_ascii_lowercase())
}

/// Whether a value is a well-known default or stands for "nothing".
pub(crate) fn value(text: &str) -> bool {
    list().values.contains(&text.to_ascii_lowercase())
}

/// Whether a word marks a placeholder: `your`, `changeme`, `redacted`.
pub(crate) fn placeholder_word(word: &str) -> bool {
    list()
        .placeholder_words
        .contains(&word.to_ascii_lowercase())
}
