//! Decides what kind of thing a value is: placeholder, reference, name, or something only a secret looks like.
//!
//! Evidence against comes first. Nothing here looks at the key.

use crate::evidence::wordlike::{made_of_words, words};
use crate::evidence::{glance, keep};
use crate::structure::syntax::head;

/// How much of a value is judged, in bytes: what it begins with says what it is.
const MAX_JUDGED: usize = 8192;

/// Longest value that is judged as something a person chose, in characters.
const MAX_CHOSEN: usize = 256;

/// How much of a longer one is judged instead, in bytes: among thousands of random characters
/// stands by chance what makes a short value a template or a call.
const TELLING: usize = 64;

/// Longest placeholder, in bytes.
const MAX_PLACEHOLDER: usize = 200;

/// Whether the value stands for something else: an example, a mask, an instruction to fill it in.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    stands_in(value)
        || value.is_ascii()
            && value.len() <= MAX_PLACEHOLDER
            && made_of_words(value)
            && words(value).iter().any(|word| keep::placeholder_word(word))
}

/// Whether the value stands for something else by anything but its words.
fn stands_in(value: &str) -> bool {
    let kinds = glance::kinds_in(value);
    if value.is_empty()
        || kinds & glance::DOT != 0 && value.contains("...")
        || kinds & glance::NOT_GRAPHIC != 0 && value.contains('…')
    {
        return true;
    }
    let counts = |counted: &&str| {
        let head = value.as_bytes().get(..counted.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(counted.as_bytes()))
    };
    if COUNTED.iter().any(counts) {
        return true;
    }
    if keep::value(value) || is_mask(value) || is_anonymous(value) {
        return true;
    }
    let bracketed = matches!(
        (value.chars().next(), value.chars().next_back()),
        (Some('<'), Some('>'))
            | (Some('['), Some(']'))
            | (Some('{'), Some('}'))
            | (Some('%'), Some('%'))
            | (Some('_'), Some('_'))
            | (Some('('), Some(')'))
    );
    bracketed || is_framed(value) || value.ends_with("EXAMPLE") || value.ends_with("EXAMPLEKEY")
}

/// `^PASS^`, `@@TOKEN@@`: a name in capitals between the same marks, to be replaced by a program.
fn is_framed(value: &str) -> bool {
    let Some(mark) = value.chars().next().filter(|mark| "^@#|~".contains(*mark)) else {
        return false;
    };
    let inner = value.trim_start_matches(mark);
    let name = inner.trim_end_matches(mark);
    name.len() > 1
        && value.len() - inner.len() == inner.len() - name.len()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Bytes counted up and magic numbers: test vectors, not keys.
const COUNTED: &[&str] = &[
    "0001020304",
    "00112233",
    "0123456789abcdef",
    "deadbeef",
    "cafebabe",
    "111-22-3333",
    "123-45-6789",
];

/// `********`, `xxxxxxxx`, `ghp_xxxxxxxx`, `0000-0000`: half of it or more is one repeated character.
fn is_mask(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (mut run, mut longest, mut last) = (1, 1, None);
    for byte in bytes {
        run = if last == Some(byte) { run + 1 } else { 1 };
        longest = longest.max(run);
        last = Some(byte);
    }
    let masks = value.chars().all(|c| "*xX•●#.-_?0".contains(c));
    masks
        || (longest >= 4 && longest * 2 >= bytes.len())
        || longest >= 8
            && ["00000000", "xxxxxxxx", "XXXXXXXX"]
                .iter()
                .any(|mask| value.contains(mask))
}

/// `var_001`, as the variable rule writes it.
pub(crate) fn is_anonymous(value: &str) -> bool {
    value
        .strip_prefix("var_")
        .is_some_and(|digits| digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit()))
}

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
];

/// Whether the value is read from elsewhere: an environment reference, a template, a call.
pub(crate) fn is_reference(value: &str) -> bool {
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
    if template && (value.contains("%s") || value.contains("%d") || value.contains("%(")) {
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
        || (value.starts_with('/') && made_of_words(value))
        || (value.contains('\\') && value.get(1..3) == Some(":\\"))
        || [
            ".pem", ".key", ".json", ".txt", ".yml", ".yaml", ".crt", ".pub", ".p12", ".jks",
            ".env", ".toml", ".html", ".js", ".ts", ".py", ".svg", ".png",
        ]
        .iter()
        .any(|extension| value.ends_with(extension))
}

/// Whether only a generated secret looks like this: no spaces, not made of words, long enough.
pub(crate) fn is_opaque(value: &str, min_len: usize) -> bool {
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
fn is_digest(value: &str) -> bool {
    const DIGESTS: &[&str] = &[
        "sha1:", "sha1-", "sha256:", "sha256-", "sha384-", "sha512:", "sha512-", "md5:", "MD5:",
        "SHA256:", "h1:",
    ];
    glance::begins_with_any(value, DIGESTS)
}

/// Whether a value that stands where a password stands is one, and not the name of one.
///
/// `literal` says that the value is written out (quoted, or in a file that knows no expressions).
pub(crate) fn is_password(value: &str, literal: bool) -> bool {
    let len = value.chars().count();
    if len < 4 || value.chars().any(char::is_whitespace) {
        return false;
    }
    if len > MAX_CHOSEN {
        return is_opaque(value, 8) || literal && is_password(head(value, TELLING), true);
    }
    if is_placeholder(value) || is_reference(value) || is_location(value) || is_digest(value) {
        return false;
    }
    if names_a_secret(value) {
        return false;
    }
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    let symbol = value.bytes().any(is_symbol);
    if !literal {
        return !value.contains(['(', '[', '{', '<', '>', '"', '\'', '`'])
            && (is_opaque(value, 8)
                || digit && symbol && !value.contains("==")
                || has_serial(value));
    }
    if digit || symbol {
        return !is_label(value);
    }
    let lower = value.bytes().all(|b| b.is_ascii_lowercase());
    is_opaque(value, 8) || (lower && len >= 6) || mixed_case(value)
}

/// Whether the value has letters, digits and a symbol as people are told to put in: `Lemon8858#x`.
pub(crate) fn is_strong_password(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b"!@#$%^&*~".contains(&b))
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && is_password(value, false)
}

/// What passwords hold beside letters and digits, and names do not.
pub(crate) fn is_symbol(byte: u8) -> bool {
    b"!@#$%^&*+=?~|".contains(&byte)
}

/// A word and three digits or more: `mango4128_`, which no program calls a variable.
fn has_serial(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    digits >= 3 && letters >= 3 && !value.contains(['.', ':', '/'])
}

/// `user_password`, `minimum_length_12`, `passwordField2`: a name, whatever it names.
fn names_a_secret(value: &str) -> bool {
    let named = words(value).iter().any(|word| {
        [
            "password",
            "passwd",
            "passphrase",
            "secret",
            "token",
            "key",
            "field",
            "length",
            "credential",
            "credentials",
        ]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
    });
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'#' | b'/' | b':'));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    named && plain && digits <= 2 && made_of_words(value) || runs_together(value)
}

/// `smbpasswd`, `dbpassword`: a command or a field, in one lower-case word.
fn runs_together(value: &str) -> bool {
    let lower = value.bytes().all(|b| b.is_ascii_lowercase());
    lower
        && ["password", "passwd", "passphrase"]
            .iter()
            .any(|name| value.ends_with(name))
}

/// Whether a secret's name may stand in the line: a quick look before a closer one.
pub(crate) fn may_name_a_secret(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    [
        "pass",
        "token",
        "secret",
        "key",
        "pwd",
        "senha",
        "credential",
    ]
    .iter()
    .any(|name| lower.contains(name))
}

/// Whether only a generator makes such a string: long, and symbols among letters and digits.
///
/// Brackets are allowed, which [`is_opaque`] takes for code.
pub(crate) fn is_symbolic(value: &str) -> bool {
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
pub(crate) fn is_program_name(value: &str) -> bool {
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

/// A rule, size or version rather than a secret: `8+`, `12-64`, `>=8`, `v1.2`, `3600`, `30s`.
fn is_label(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    letters <= 1 && digits <= 5
        || value.starts_with('^') && value.contains(['[', '(', '$', '\\', '.'])
        || value.starts_with("#/")
        || value.ends_with(':')
}

/// Upper case inside the word, more than camel case has: `lUjHFBIRog`.
fn mixed_case(value: &str) -> bool {
    value.len() >= 8
        && value.bytes().all(|b| b.is_ascii_alphabetic())
        && words(value).iter().filter(|word| word.len() <= 2).count() >= 2
}

/// Whether the body of a key block holds key material: a long run of base64.
pub(crate) fn has_key_material(body: &str) -> bool {
    body.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')))
        .any(|run| run.len() >= 16 && !is_mask(run))
}
