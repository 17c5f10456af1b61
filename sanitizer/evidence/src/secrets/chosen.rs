//! Judges what people choose for a secret: a password, a phrase, a short token.
//!
//! A literal behind a key that says what it is, is what it says, however much it looks like a word. What
//! stays is a kind of its own: a reference, a type, a placeholder, a name, a number, a message.

pub mod codes;
pub mod told;
mod types;
pub(crate) mod words;

use crate::keep;
use crate::secrets::placeholder;
use crate::secrets::value::{is_digest, is_location, is_opaque, is_reference};
use crate::text::head;
use crate::words::message;
use crate::words::wordlike::{self, words};
use types::is_type;
use words::{FORMATS, NAMES, OWNERS, PARTS};

/// Longest value that is judged as something a person chose, in characters.
const MAX_CHOSEN: usize = 256;

/// How much of a longer one is judged instead, in bytes: among thousands of random characters
/// stands by chance what makes a short value a template or a call.
const TELLING: usize = 64;

/// Longest phrase, in words.
const MAX_WORDS: usize = 12;

/// Whether a value that stands where a password stands is one, and not the name of one.
///
/// `literal` says that the value is written out (quoted, or in a file that knows no expressions).
pub fn is_password(value: &str, literal: bool) -> bool {
    let len = value.chars().count();
    if len < 4 || value.chars().any(char::is_whitespace) {
        return literal && is_phrase(value);
    }
    if len > MAX_CHOSEN {
        return is_opaque(value, 8) || literal && is_password(head(value, TELLING), true);
    }
    if stays(value) || !value.is_ascii() && message::is_rule(value) {
        return false;
    }
    let digit = value.chars().any(char::is_numeric);
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
    is_word_of_its_own(value) || is_opaque(value, 8)
}

/// Whether a value in the place of a secret is of a kind that stays.
pub fn stays(value: &str) -> bool {
    placeholder::is_placeholder(value)
        || is_reference(value)
        || is_location(value)
        || is_digest(value)
        || is_type(value)
        || is_name(value)
}

/// A word or several run together, without digits: `swordfish`, `LetMeIn`, `open-sesame`, `солнышко`.
fn is_word_of_its_own(value: &str) -> bool {
    let lower = value.bytes().all(|b| b.is_ascii_lowercase());
    let letters = value
        .chars()
        .all(|c| c.is_alphabetic() || c == '-' || c == '_' || c == '.');
    if !letters {
        return !value.is_ascii() && value.chars().any(char::is_alphabetic);
    }
    if lower {
        return value.len() >= 5;
    }
    if !value.is_ascii() {
        // A label begins with a capital: `Jelszó`.
        return !value.starts_with(char::is_uppercase) && value.chars().count() >= 4;
    }
    if value.contains(['_', '.']) {
        return is_joined(value);
    }
    value.len() >= 6 && !is_member(value)
}

/// `open_sesame`, `maple.tiger`, `BlueHorse_`: words with marks between them, none of which names a part
/// of a program.
fn is_joined(value: &str) -> bool {
    let body = value.trim_end_matches('_');
    let mark = if body.contains('_') { '_' } else { '.' };
    let parts = || body.split(mark);
    let long = |word: &str| word.len() >= if parts().count() >= 3 { 2 } else { 3 };
    let named = |word: &&str| {
        let lower = word.to_ascii_lowercase();
        let among = |list: &[&str]| list.contains(&&*lower);
        among(NAMES) || among(PARTS) || among(OWNERS) || placeholder::is_of_a_placeholder(&lower)
    };
    let of_a_file = || {
        let last = parts().next_back();
        last.is_some_and(|last| is_extension(last) || keep::tld(last))
    };
    let has_small = body.bytes().any(|b| b.is_ascii_lowercase());
    let one_mark = !body.contains('_') || !body.contains('.');
    value.len() >= 6
        && parts().all(long)
        && one_mark
        && !value.ends_with('.')
        && !words(body).iter().any(named)
        && match mark {
            '.' => !of_a_file(),
            _ => has_small,
        }
}

/// Whether a word is the extension of a file.
fn is_extension(word: &str) -> bool {
    const MORE: &[&str] = &[
        "rar",
        "bak",
        "db",
        "kdbx",
        "dump",
        "img",
        "iso",
        "bin",
        "dat",
        "doc",
        "docx",
        "xls",
        "xlsx",
        "ppt",
        "odt",
        "mp3",
        "mp4",
        "avi",
        "jks",
        "pem",
        "key",
        "crt",
        "cer",
        "pfx",
        "tgz",
        "bz2",
        "deb",
        "rpm",
        "apk",
        "sqlite",
        "sh",
        "bat",
        "ps1",
        "vue",
        "lua",
        "ipynb",
        "env",
        "properties",
        "gradle",
        "proto",
        "txt",
        "out",
        "tmp",
        "old",
        "orig",
    ];
    keep::file_extension(word) || MORE.contains(&word)
}

/// `getPassword`: what programs call things, humps behind a small letter.
fn is_member(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_lowercase())
        && value.bytes().all(|b| b.is_ascii_alphabetic())
        && words(value).iter().all(|word| word.len() >= 3)
        && !is_of_no_program(value)
}

/// `iloveuRex`: what the first hump says is no word of programs.
fn is_of_no_program(value: &str) -> bool {
    const SAYINGS: &[&str] = &[
        "ilove", "ihate", "imiss", "letmein", "qwert", "asdf", "iam", "youare", "welcome", "love",
    ];
    let lower = value.to_ascii_lowercase();
    SAYINGS.iter().any(|saying| lower.starts_with(saying))
}

/// `user_password`, `passwordField`, `minimum_length_12`, `billing-db-secret`: the name of a secret, of a
/// field or a rule, not the secret.
fn is_name(value: &str) -> bool {
    if let Some(name) = value.strip_prefix(['#', '.', '@', ':'])
        && name
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-'))
    {
        return is_name(name) || placeholder::is_placeholder(name);
    }
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b':'));
    if !plain || value.len() > 64 {
        return false;
    }
    let parts = words(value);
    let among = |list: &[&str], word: &&str| list.iter().any(|one| word.eq_ignore_ascii_case(one));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let last = parts
        .iter()
        .rev()
        .find(|word| !word.bytes().all(|b| b.is_ascii_digit()));
    let part = |word: &&str| among(PARTS, word);
    let rule = digits <= 2
        && value.contains('_')
        && parts.iter().any(|word| among(&["length", "policy"], word));
    if rule {
        return true;
    }
    if digits > 0 {
        return false;
    }
    let separated = parts.len() >= 2 && !value.starts_with(|c: char| c.is_ascii_uppercase())
        || value.contains('_');
    separated
        && wordlike::made_of_words(value)
        && last.is_some_and(|last| among(NAMES, last) || part(last))
        && parts.iter().any(|word| among(NAMES, word) || part(word))
        || runs_together(value)
}

/// `smbpasswd`, `dbpassword`: a command or a field, in one lower-case word.
fn runs_together(value: &str) -> bool {
    let lower = value.bytes().all(|b| b.is_ascii_lowercase());
    lower
        && ["password", "passwd", "passphrase"]
            .iter()
            .any(|name| value.ends_with(name))
}

/// What passwords hold beside letters and digits, and names do not.
pub(crate) fn is_symbol(byte: u8) -> bool {
    b"!@#$%^&*+=?~|".contains(&byte)
}

/// A word and three digits or more: `mango4128_`, which no program calls a variable.
fn has_serial(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    digits >= 3 && letters >= 3 && !value.contains(['.', ':', '/'])
}

/// A rule, size or version rather than a secret: `8+`, `12-64`, `>=8`, `v1.2`, `3600`, `30s`.
fn is_label(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    letters <= 1 && digits <= 5
        || is_validation(value)
        || value.starts_with('^') && value.contains(['[', '(', '$', '\\', '.'])
        || value.starts_with("#/")
        || value.ends_with(':')
}

/// `required|min:8|confirmed`: rules that a framework checks fields with.
fn is_validation(value: &str) -> bool {
    const RULES: &[&str] = &[
        "required",
        "nullable",
        "sometimes",
        "string",
        "confirmed",
        "present",
        "filled",
        "bail",
        "trim",
        "min",
        "max",
        "optional",
        "numeric",
        "alpha",
        "same",
    ];
    value.contains('|')
        && value
            .split('|')
            .next()
            .and_then(|rule| rule.split([':', '[', '(']).next())
            .is_some_and(|rule| RULES.contains(&rule))
}

/// Whether a value is more than a word: it has a digit, a symbol, a mark or a capital inside.
pub fn is_no_word(value: &str) -> bool {
    let mut before = ' ';
    let humped = value.chars().any(|c| {
        let is_hump = before.is_lowercase() && c.is_uppercase();
        before = c;
        is_hump
    });
    let inner = value.trim_end_matches(['.', '!', '?']);
    humped
        || inner.bytes().any(|b| b.is_ascii_digit() || is_symbol(b))
        || inner.contains('_')
        || inner.matches(['-', '.']).count() >= 2
}

/// Whether the value has letters, digits and a symbol as people are told to put in: `Lemon8858#x`.
pub fn is_strong_password(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b"!@#$%^&*~".contains(&b))
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && is_password(value, false)
}

/// Whether a written-out value of several words is a phrase that somebody chose, and no message.
pub fn is_phrase(text: &str) -> bool {
    is_app_password(text) || is_row_of_words(text) && !message::is_message(text.trim())
}

/// The same where the key says that a phrase stands there, which may well be a sentence.
pub fn is_said_phrase(text: &str) -> bool {
    is_row_of_words(text) && !message::tells_much_of_secrets(text.trim())
}

fn is_row_of_words(text: &str) -> bool {
    let phrase = text.trim();
    let words = phrase.split_whitespace().count();
    let framed = phrase.contains([
        '{', '}', '<', '>', '(', ')', '[', ']', '"', '`', '\\', '/', '=', ';', '\n', '|',
    ]);
    (2..=MAX_WORDS).contains(&words)
        && phrase.len() >= 8
        && !framed
        && phrase.chars().next().is_some_and(char::is_alphanumeric)
        && !phrase.ends_with([':', '?', ','])
        && !is_expression(phrase)
        && !placeholder::is_placeholder(phrase)
        && !is_reference(phrase)
        && !is_location(phrase)
}

/// Four groups of four random letters, as mail and telephone providers make for programs.
fn is_app_password(text: &str) -> bool {
    let groups: Vec<&str> = text.split([' ', '-']).collect();
    let shaped = groups.len() == 4
        && groups
            .iter()
            .all(|group| group.len() == 4 && group.bytes().all(|b| b.is_ascii_lowercase()));
    shaped && wordlike::surprise(&groups.concat()) >= 4.6
}

/// `a = b`, `x + y`, `1 | 2`: an operator that stands alone.
fn is_expression(phrase: &str) -> bool {
    phrase.split(' ').any(|word| {
        !word.is_empty() && word != "&" && word.bytes().all(|b| b"=+|&*?!~".contains(&b))
    })
}

/// Whether a written-out value behind a key for a token is one that somebody chose: letters and digits,
/// as `abcd1234efgh` and `prod-key-001`, and no version, number or algorithm.
pub fn is_short_token(value: &str) -> bool {
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_-.+/=~!@#$%^&*:".contains(&b));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    (6..=MAX_CHOSEN).contains(&value.len())
        && plain
        && digits >= 2
        && (letters >= 2 || letters >= 1 && digits >= 6)
        && !value.starts_with(['#', '*', '.', '/', '@'])
        && !is_format(value)
        && !is_label(value)
        && !is_dated(value)
        && !is_address_or_version(value)
        && !stays(value)
}

/// The same with a single digit, where nothing but a value can stand: `staging-key-jcgk7m`.
pub fn is_numbered_token(value: &str) -> bool {
    value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().filter(u8::is_ascii_alphabetic).count() >= 4
        && !is_constant(value)
        && !is_format(value)
        && !is_dated(value)
        && !stays(value)
}

/// `MAX_CONNECTIONS_PER_HOST_V2`: what programs call a constant, words in capitals and their version.
fn is_constant(value: &str) -> bool {
    let version = |word: &str| {
        let digits = word.trim_start_matches('V');
        digits.len() == 1 && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let word = |word: &str| word.len() >= 2 && word.bytes().all(|b| b.is_ascii_uppercase());
    let parts = value.rsplit_once('_');
    parts.is_some_and(|(words, last)| {
        words.contains('_') && words.split('_').all(word) && version(last)
    }) && wordlike::made_of_words(&value.to_ascii_lowercase())
}

/// `hmac-sha256`, `oauth2_token`, `v1`: every part is the name of a format or of a secret, or a number.
pub fn is_format(value: &str) -> bool {
    value.is_ascii()
        && words(value).iter().all(|word| {
            word.bytes().all(|b| b.is_ascii_digit())
                || FORMATS
                    .iter()
                    .chain(NAMES)
                    .chain(PARTS)
                    .any(|one| word.eq_ignore_ascii_case(one))
        })
}

/// `2024-02-15-preview`, `10:20:30`.
fn is_dated(value: &str) -> bool {
    let mut groups = value.split(['-', ':', '/', 'T']);
    let number = |group: Option<&str>| {
        group
            .is_some_and(|g| !g.is_empty() && g.len() <= 4 && g.bytes().all(|b| b.is_ascii_digit()))
    };
    number(groups.next()) && number(groups.next()) && number(groups.next())
}

/// `1.2.3-beta`, `v2.0.1`, `a.b[0]`.
fn is_address_or_version(value: &str) -> bool {
    let bare = value.trim_start_matches(['v', 'V', '^', '~', '=']);
    let dots = bare.bytes().filter(|b| *b == b'.').count();
    dots >= 1 && bare.starts_with(|c: char| c.is_ascii_digit()) && bare.len() < 24
        || value.contains(':')
            && value
                .rsplit(':')
                .next()
                .is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

/// Letters alone, whatever they spell.
pub fn is_letters(value: &str) -> bool {
    value.chars().all(|c| c.is_alphabetic() || c == '-')
}

/// Whether a written-out value behind a key for a secret is words that somebody chose: `keyboard-cat`.
pub fn is_secret_word(value: &str) -> bool {
    let shaped = value.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    shaped
        && value.len() >= 10
        && !value.starts_with('-')
        && !stays(value)
        && !message::is_predicate(value)
}
