//! Decides what kind of thing a value is: placeholder, reference, name, or something only a secret looks like.
//!
//! Evidence against comes first. Nothing here looks at the key.

pub use crate::secrets::chosen::{is_password, is_strong_password};
use crate::secrets::glance;
pub use crate::secrets::placeholder::is_anonymous;
use crate::secrets::placeholder::{is_mask, stands_in};
use crate::text::head;
use crate::words::wordlike::{made_of_words, words};

/// How much of a value is judged, in bytes: what it begins with says what it is.
const MAX_JUDGED: usize = 8192;

/// Whether a value of a known shape stands for something else: an example, a mask, an instruction to
/// fill it in.
pub use crate::secrets::placeholder::is_shaped_placeholder as is_placeholder;

/// Where values are read from, as expressions begin.
const SOURCES: &[&str] = &[
    "process.env",
    "os.environ",
    "os.getenv",
    "import.meta",
    "env.",
    "env:",
    "var.",
    "vars.",
    "local.",
    "secrets.",
    "secret:",
    "vault:",
    "ref:",
    "op://",
    "arn:",
    "file:",
    "/run/secrets",
    "projects/",
    "data.",
    "module.",
    "keyring:",
    "ssm:",
    "awssm",
    "sm://",
    "gcp-sm",
    "secretref",
    "secretKeyRef",
    "valueFrom",
    "ENC[",
    "System.getenv",
    "getenv(",
    "@Microsoft.KeyVault(",
    "@microsoft.keyvault(",
    "{cipher}",
    "{vault}",
    "ENC(",
    "ref+",
    "akv://",
    "awssm://",
    "gcpsm://",
    "keyvault://",
    "hashivault://",
    "bws://",
    "infisical://",
    "doppler://",
    "env://",
    "secret://",
    "secrets://",
    "keychain:",
    "sops:",
    "ENV[",
];

/// Whether the value is read from elsewhere: an environment reference, a template, a call.
pub fn is_reference(value: &str) -> bool {
    let value = value.trim();
    let template = glance::kinds_in(value) & glance::TEMPLATE != 0;
    if template
        && (value.contains("${")
            || value.contains("{{")
            || value.contains("#{")
            || is_substituted(value)
            || value.contains("<%"))
    {
        return true;
    }
    if let Some(name) = value.strip_prefix('$') {
        return name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b':' || b == b'.');
    }
    if value.starts_with('$') && (value.contains("::") || value.contains("->")) {
        return true;
    }
    if template && (value.contains("%s") || value.contains("%d") || value.contains("%(")) {
        return true;
    }
    const TAGS: &[&str] = &[
        "vault",
        "secret",
        "env",
        "env_var",
        "include",
        "reference",
        "lookup",
    ];
    let tag = value.strip_prefix('!').unwrap_or_default();
    if TAGS.contains(&tag.split([' ', ':']).next().unwrap_or_default()) {
        return true;
    }
    if value.starts_with("!Ref") || value.starts_with("!Sub") || value.starts_with("!Get") {
        return true;
    }
    glance::begins_with_any(value, SOURCES)
}

/// `$(command …)`, but not a dollar sign before a bracket by chance.
fn is_substituted(value: &str) -> bool {
    value.split("$(").skip(1).any(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '<' | ' ' | '('))
    })
}

/// Whether the value is a path or an address, which other rules judge.
pub(crate) fn is_location(value: &str) -> bool {
    if glance::kinds_in(value) & (glance::DOT | glance::PATH) == 0 {
        return value.starts_with("localhost");
    }
    value.contains("://")
        || value.starts_with("localhost")
        || value.starts_with("./")
        || value.starts_with("../")
        || value.starts_with("~/")
        || (value.starts_with('/') && (made_of_words(value) || is_path(value)))
        || (value.contains('\\') && value.get(1..3) == Some(":\\"))
        || [
            ".pem", ".key", ".json", ".txt", ".yml", ".yaml", ".crt", ".pub", ".p12", ".jks",
            ".env", ".toml", ".html", ".js", ".ts", ".py", ".svg", ".png",
        ]
        .iter()
        .any(|extension| value.ends_with(extension))
}

/// `/root/.ssh/id_ed25519`: it begins with a directory that every system has, or has a hidden one.
fn is_path(value: &str) -> bool {
    const ROOTS: &[&str] = &[
        "root",
        "etc",
        "usr",
        "home",
        "var",
        "opt",
        "srv",
        "run",
        "tmp",
        "mnt",
        "app",
        "data",
        "bin",
        "lib",
        "proc",
        "sys",
        "dev",
        "Users",
        "Applications",
        "Library",
        "workspace",
        "builds",
        "media",
    ];
    let first = value.split('/').nth(1).unwrap_or_default();
    value.matches('/').count() >= 2 && (ROOTS.contains(&first) || value.contains("/."))
}

/// Whether only a generated secret looks like this: no spaces, not made of words, long enough.
pub fn is_opaque(value: &str, min_len: usize) -> bool {
    let value = head(value, MAX_JUDGED);
    value.len() >= min_len
        && glance::kinds_in(value) & (glance::NOT_GRAPHIC | glance::BRACKET) == 0
        && !made_of_words(value)
        && !stands_in(value)
        && !is_reference(value)
        && !is_location(value)
        && !is_digest(value)
}

/// `sha256:…`, `sha512-…`: a digest says what it is.
pub(crate) fn is_digest(value: &str) -> bool {
    const DIGESTS: &[&str] = &[
        "sha1:", "sha1-", "sha256:", "sha256-", "sha384-", "sha512:", "sha512-", "md5:", "MD5:",
        "SHA256:", "h1:",
    ];
    glance::begins_with_any(value, DIGESTS)
}

/// Whether a secret's name may stand in the line: a quick look before a closer one.
pub fn may_name_a_secret(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    [
        "pass",
        "token",
        "secret",
        "key",
        "pwd",
        "senha",
        "credential",
        "username",
        "surname",
        "lastname",
        "last_name",
        "login",
    ]
    .iter()
    .any(|name| lower.contains(name))
}

/// Whether only a generator makes such a string: long, and symbols among letters and digits.
///
/// Brackets are allowed, which [`is_opaque`] takes for code.
pub fn is_symbolic(value: &str) -> bool {
    let kinds: std::collections::BTreeSet<u8> =
        value.bytes().filter(u8::is_ascii_punctuation).collect();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= 16
        && value.bytes().all(|b| b.is_ascii_graphic())
        && digits >= 2
        && kinds.len() >= 2
        && !is_placeholder(value)
        && !is_reference(value)
        && !is_location(value)
        && !made_of_words(value)
}

/// Whether a value without quotes is a name or a number of the program rather than a literal.
pub fn is_program_name(value: &str) -> bool {
    let number = value.len() < 15 && value.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let last = words(value)
        .last()
        .map(|word| word.to_ascii_lowercase())
        .unwrap_or_default();
    let named = [
        "key", "token", "client", "secret", "password", "provider", "type", "error", "config", "id",
    ]
    .contains(&last.as_str());
    number || plain && named
}

/// Whether the body of a key block holds key material: a long run of base64.
pub fn has_key_material(body: &str) -> bool {
    body.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')))
        .any(|run| run.len() >= 16 && !is_mask(run))
}
