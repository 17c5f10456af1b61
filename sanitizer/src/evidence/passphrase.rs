//! Tells a passphrase in quotes, `hunter 86 x7`, from a sentence about passwords.

use crate::evidence::{keep, value, wordlike};

/// Longest passphrase, in words.
const MAX_WORDS: usize = 12;

/// Words of messages, labels and hints that stand where a password might.
const SENTENCE_WORDS: &[&str] = &[
    "a",
    "an",
    "the",
    "at",
    "and",
    "or",
    "of",
    "to",
    "for",
    "in",
    "with",
    "by",
    "on",
    "from",
    "is",
    "are",
    "be",
    "was",
    "has",
    "have",
    "do",
    "does",
    "did",
    "not",
    "no",
    "must",
    "should",
    "can",
    "may",
    "will",
    "need",
    "needs",
    "if",
    "when",
    "this",
    "that",
    "it",
    "you",
    "we",
    "please",
    "than",
    "between",
    "only",
    "more",
    "least",
    "most",
    "minimum",
    "maximum",
    "min",
    "max",
    "length",
    "long",
    "short",
    "weak",
    "characters",
    "character",
    "chars",
    "char",
    "digits",
    "digit",
    "letters",
    "letter",
    "numbers",
    "number",
    "symbol",
    "symbols",
    "bits",
    "bytes",
    "days",
    "day",
    "hours",
    "minutes",
    "seconds",
    "times",
    "expires",
    "expired",
    "invalid",
    "wrong",
    "incorrect",
    "required",
    "forgot",
    "forgotten",
    "new",
    "old",
    "current",
    "confirm",
    "reset",
    "login",
    "log",
    "sign",
    "error",
    "step",
    "version",
    "passwords",
    "passwd",
    "passphrase",
    "see",
    "section",
    "passwort",
    "kennwort",
    "mindestens",
    "zeichen",
    "caracteres",
    "caratteri",
    "almeno",
    "tekens",
    "minimaal",
    "minimo",
];

/// Whether a quoted value with spaces inside is a passphrase: it has a digit or a symbol and no
/// word that a sentence has.
pub(crate) fn is_passphrase(text: &str) -> bool {
    let phrase = text.trim_end_matches(['!', '?', '.', ':', ' ']);
    let words = phrase.split(' ').count();
    let odd = phrase
        .bytes()
        .any(|b| b.is_ascii_digit() || value::is_symbol(b));
    let plain = phrase.bytes().all(|b| b == b' ' || b.is_ascii_graphic())
        && !phrase.contains(['{', '}', '<', '>', '(', ')', '[', ']', '"', '\'', '`', '\\']);
    let sentence = phrase
        .split(|c: char| !c.is_ascii_alphabetic())
        .map(str::to_ascii_lowercase)
        .any(|word| SENTENCE_WORDS.contains(&word.as_str()) || keep::placeholder_word(&word));
    if is_app_password(text) {
        return true;
    }
    (2..=MAX_WORDS).contains(&words)
        && phrase.len() >= 8
        && odd
        && plain
        && !sentence
        && !value::is_placeholder(phrase)
        && !value::is_reference(phrase)
        && !value::is_location(phrase)
        && !is_expression(phrase)
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
    phrase
        .split(' ')
        .any(|word| !word.is_empty() && word.bytes().all(|b| b"=+|&*?!~".contains(&b)))
}
