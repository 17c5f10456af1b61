//! Says whether several plain words behind a key are a phrase that somebody chose.

use std::ops::Range;

use recall_kit_evidence::keys::key::Meaning;
use recall_kit_evidence::secrets::chosen;
use recall_kit_evidence::text::{head, tail};
use recall_kit_evidence::words::message;

use super::Literal;
use super::place::{has_copula, is_worded};
use crate::structure::syntax::{self, Place, Tie};

/// `passphrase: correct horse battery staple`: several plain words that fill a line of configuration.
pub(super) fn bare_phrase(literal: &Literal<'_>) -> Option<Range<usize>> {
    const LONGEST: usize = 160;
    let found = literal.found;
    let text = literal.text;
    let key = text.get(literal.key.clone())?;
    let plain_key = literal.meaning == Meaning::Password && !key.ends_with("pass");
    let labelled = found.place == Place::Elsewhere
        && (!key.is_ascii() || found.tie == Tie::Operator && is_a_label(literal));
    if found.quoted
        || !plain_key
        || !matches!(found.tie, Tie::Operator | Tie::Prose)
        || !(found.place == Place::Line || labelled || found.tie == Tie::Prose)
    {
        return None;
    }
    let said = says_phrase(key) && found.tie == Tie::Operator;
    let rest = head(text.get(found.span.start..)?, LONGEST);
    let stop = |c: char| matches!(c, '\n' | '\r' | '，' | '。' | '；' | '#') || c == ',' && !said;
    let end = rest.find(stop).unwrap_or(rest.len());
    let phrase = rest.get(..end)?.trim_end();
    let phrase = phrase.trim_end_matches('.');
    // `PGPASSWORD=… psql -d shop`: a command with its switches.
    if phrase.contains(" -") {
        return None;
    }
    let words = phrase.split(' ').count();
    let first = phrase.split(' ').next().unwrap_or_default();
    let part = |c: char| c.is_alphanumeric() || "-'’".contains(c) || said && ",!?.".contains(c);
    let plain = phrase
        .split(' ')
        .all(|word| !word.is_empty() && word.chars().all(part));
    let copula = found.tie == Tie::Prose && has_copula(literal);
    let told = found.tie == Tie::Prose && !copula;
    let is_one = match said {
        true => chosen::is_said_phrase(phrase),
        false => chosen::is_phrase(phrase) && !message::joins_often(phrase),
    };
    let least = if labelled && key.is_ascii() { 4 } else { 3 };
    ((least..=10).contains(&words)
        && plain
        && !told
        && !((copula || labelled) && (words < 4 || message::is_predicate(first)))
        && is_one
        && (is_capitalised(key) && found.tie == Tie::Operator
            || !syntax::stands_in_code(text, &found.span)))
    .then(|| found.span.start..found.span.start + phrase.len())
}

/// `Passphrase`: a label rather than a field of a program.
fn is_capitalised(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.bytes().skip(1).all(|b| b.is_ascii_lowercase())
}

/// Whether a key says that several words stand behind it.
pub(super) fn says_phrase(key: &str) -> bool {
    const PHRASES: &[&str] = &[
        "phrase",
        "frase",
        "фраза",
        "フレーズ",
        "合言葉",
        "合い言葉",
        "문구",
        "短语",
        "短語",
        "satz",
        "wachtzin",
    ];
    let lower = key.to_lowercase();
    PHRASES.iter().any(|word| lower.contains(word))
}

/// `The new master password: …`: a few words before the key, and a colon behind it.
fn is_a_label(literal: &Literal<'_>) -> bool {
    const MOST_WORDS: usize = 4;
    let text = literal.text;
    let before = text.get(..literal.key.start).unwrap_or_default();
    let line = tail(before, 80).rsplit('\n').next().unwrap_or_default();
    let colon = text
        .get(..literal.found.span.start)
        .is_some_and(|before| before.ends_with(": "));
    colon && line.split_whitespace().count() <= MOST_WORDS && is_worded(text, literal.key)
}
