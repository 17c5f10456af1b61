//! The keep-list: what is public, generic or a placeholder, and therefore stays.

use std::sync::OnceLock;

use crate::words::word_set::WordSet;

// The lists of `lists/keep.toml`, as the build script writes them.
include!(concat!(env!("OUT_DIR"), "/keep.rs"));

struct KeepList {
    hosts: WordSet,
    tenants: WordSet,
    mail: WordSet,
    tlds: WordSet,
    file_extensions: WordSet,
    users: WordSet,
    values: WordSet,
    placeholder_words: WordSet,
}

fn list() -> &'static KeepList {
    static CELL: OnceLock<KeepList> = OnceLock::new();
    CELL.get_or_init(|| KeepList {
        hosts: WordSet::new(HOSTS),
        tenants: WordSet::new(TENANTS),
        mail: WordSet::new(MAIL),
        tlds: WordSet::new(TLDS),
        file_extensions: WordSet::new(FILE_EXTENSIONS),
        users: WordSet::new(USERS),
        values: WordSet::new(VALUES),
        placeholder_words: WordSet::new(PLACEHOLDER_WORDS),
    })
}

/// Whether `name` is one of `domains` or below one.
fn under(domains: &WordSet, name: &str) -> bool {
    let mut rest = name;
    loop {
        if domains.has(rest) {
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

/// The providers' domains whose first label names a customer.
pub fn tenants() -> &'static [&'static str] {
    TENANTS
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
    list().tlds.has(name)
}

/// Whether this is the extension of a file name rather than a top-level domain.
pub(crate) fn file_extension(name: &str) -> bool {
    list().file_extensions.has_in_any_case(name)
}

/// Whether a user name is a role, a service or a placeholder.
pub fn user(name: &str) -> bool {
    list().users.has_in_any_case(name)
}

/// Whether a value is a well-known default or stands for "nothing".
pub(crate) fn value(text: &str) -> bool {
    list().values.has_in_any_case(text)
}

/// Whether a word marks a placeholder: `your`, `changeme`, `redacted`.
pub(crate) fn placeholder_word(word: &str) -> bool {
    list().placeholder_words.has_in_any_case(word)
}
