//! Numbers in text: versions, whole numbers, and words such as `10MB`.

use super::Kind;

/// The most bytes of one version.
pub(super) const MAX_NUMBER: usize = 100;

/// Removes the marks of emphasis behind a number, and the end of its sentence: `4.2.**`.
fn without_emphasis(text: &str) -> &str {
    let text = text.trim_end_matches(['.', '-']);
    // `_1.2_` is emphasis, `5534.vcb_64728b_649b_` a version.
    let plain = text.trim_end_matches('_');
    let text = if plain.contains('_') { text } else { plain };
    // `**1.2**` is emphasis, `1.*` a wildcard.
    let plain = text.trim_end_matches('*');
    let text = match text.len() - plain.len() {
        stars if stars % 2 == 1 && plain.ends_with('.') => &text[..=plain.len()],
        _ => plain,
    };
    text.trim_end_matches(['.', '-'])
}

/// Reads what starts with a digit: a version, a whole number, or a word such as `10MB` and `3rd`.
pub(super) fn number(rest: &str) -> (Kind, usize) {
    let part = |b: &u8| b.is_ascii_alphanumeric() || b".-_*".contains(b);
    let run = rest.bytes().take(MAX_NUMBER).take_while(part).count();
    let mut text = without_emphasis(&rest[..run]);
    // `2.0.` at the end of a sentence, and `1.2...1.5`, end at the dots.
    if let Some(dots) = text.find("..") {
        text = &text[..dots];
    }
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    if digits == text.len() {
        return (Kind::Integer, digits);
    }
    let numbers = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let suffix = &text[numbers..];
    let dotted = text[..numbers].trim_end_matches('.').contains('.');
    let local = rest[text.len()..].strip_prefix('+').map_or(0, |build| {
        let end = build
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.'))
            .unwrap_or(build.len());
        let build = build[..end].trim_end_matches('.');
        if build.is_empty() { 0 } else { build.len() + 1 }
    });
    if suffix.is_empty() {
        return (Kind::Version, text.len() + local);
    }
    let lower = suffix.to_ascii_lowercase();
    let wildcard =
        matches!(lower.as_str(), "x" | "*" | "x.x" | "*.*") && text[..numbers].ends_with('.');
    let is_suffix = suffix.starts_with('-')
        || suffix.starts_with('_')
        || text[..numbers].ends_with('.')
        || is_pre_release_word(&lower);
    // `5541.va_c0a_36b` of Jenkins' plugins.
    let commit = text[..numbers].ends_with('.') && suffix.starts_with('v') && suffix.len() > 6;
    if wildcard || commit || (is_suffix && (dotted || is_word_behind_hyphen(suffix))) {
        (Kind::Version, text.len() + local)
    } else {
        (Kind::Word, text.len())
    }
}

/// Returns whether a suffix without separator belongs to a version: `rc1`, `b2`, `post1`.
fn is_pre_release_word(suffix: &str) -> bool {
    let letters = suffix
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(suffix.len());
    matches!(
        &suffix[..letters],
        "a" | "b" | "c" | "rc" | "alpha" | "beta" | "dev" | "post" | "pre" | "p" | "m" | "u"
    ) && (letters < suffix.len()
        || matches!(
            &suffix[..letters],
            "a" | "b" | "rc" | "alpha" | "beta" | "dev" | "pre"
        ))
}

/// Returns whether a whole number with this suffix is a version: `18-alpine`, `19-rc.1`, but neither `2021-07-17` nor
/// `3-way`.
fn is_word_behind_hyphen(suffix: &str) -> bool {
    let Some(word) = suffix.strip_prefix('-') else {
        return false;
    };
    let letters = word
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(word.len());
    matches!(
        &word[..letters],
        "alpha"
            | "beta"
            | "rc"
            | "alpine"
            | "slim"
            | "bookworm"
            | "bullseye"
            | "buster"
            | "jdk"
            | "jre"
            | "ea"
            | "lts"
            | "rev"
    )
}

/// Returns the kind of a number.
pub(super) fn number_kind(text: &str) -> Kind {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        Kind::Integer
    } else {
        Kind::Version
    }
}

/// Returns whether a text is numbers, perhaps with a pre-release: `5.1rc1`.
pub(super) fn is_numbers_and_pre_release(text: &str) -> bool {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'x' | '*')))
        .unwrap_or(text.len());
    is_numbers(&text[..end]) && (end == text.len() || is_pre_release_word(&text[end..]))
}

/// Returns whether a text is numbers with dots and wildcards.
pub(super) fn is_numbers(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'x' | b'*'))
}
