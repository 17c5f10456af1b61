//! Tells a sentence about passwords from a password: labels, hints, messages, descriptions.
//!
//! A closed list per language names what such a sentence says: that one is required, wrong, too short,
//! expired, to be entered. Everything else in the place of a password may be one.

mod parts;
mod states;
mod words;

use parts::{RULE_PARTS, TELLING_PARTS};
use states::{ENDINGS, FOREIGN_ENDINGS, STATES};
use words::{JOINING, TELLING};

/// Whether a value beyond ASCII states a rule for passwords: `密码长度至少8位`.
pub(crate) fn is_rule(value: &str) -> bool {
    RULE_PARTS.iter().any(|part| value.contains(part))
}

/// Whether a text of several words is a message rather than a phrase that somebody chose.
pub fn is_message(text: &str) -> bool {
    let text = text.trim();
    if tells_of_secrets(text) {
        return true;
    }
    let lower = text.to_lowercase();
    let words = || words_of(&lower);
    let joining = words().filter(|word| JOINING.contains(word)).count();
    let capital = text.starts_with(char::is_uppercase)
        && text.chars().skip(1).filter(|c| c.is_uppercase()).count() == 0;
    // "Window, lamp and river!" lists things; it says nothing about them.
    let list = text.contains(", ") && words().all(|word| word == "and" || !JOINING.contains(&word));
    joining >= 1 && (capital && !list || text.ends_with(['.', ':', '?', ',']))
        || joining * 2 > words().count()
}

/// Whether a text names what secrets and accounts are, or says something about them.
pub(crate) fn tells_of_secrets(text: &str) -> bool {
    if !text.is_ascii() && TELLING_PARTS.iter().any(|part| text.contains(part)) {
        return true;
    }
    let lower = text.to_lowercase();
    let tells = |word: &str| TELLING.iter().any(|list| list.contains(&word));
    let (soft, hard) =
        words_of(&lower)
            .filter(|word| tells(word))
            .fold((0, 0), |(soft, hard), word| match SOFT.contains(&word) {
                true => (soft + 1, hard),
                false => (soft, hard + 1),
            });
    hard > 0 || soft > 1 || soft > 0 && words_of(&lower).count() < 4
}

/// Words that a phrase may hold as well as a message.
const SOFT: &[&str] = &[
    "only", "most", "new", "old", "same", "times", "given", "between", "above", "below", "please",
    "days", "hours", "minutes", "seconds", "see", "match", "check", "class", "current", "letters",
    "numbers", "sign", "log", "hours",
];

/// The same, but for a single word behind the first: a phrase may hold one.
pub(crate) fn tells_much_of_secrets(text: &str) -> bool {
    let lower = text.to_lowercase();
    let tells = |word: &str| TELLING.iter().any(|list| list.contains(&word));
    let first = words_of(&lower).next().is_some_and(tells);
    let few = words_of(&lower).count() < 4;
    let count = words_of(&lower).filter(|word| tells(word)).count();
    !text.is_ascii() && TELLING_PARTS.iter().any(|part| text.contains(part))
        || first && count > 1
        || count >= if few { 1 } else { 2 }
}

/// The words of a text in lower case.
fn words_of(lower: &str) -> impl Iterator<Item = &str> {
    lower
        .split(|c: char| !c.is_alphabetic() && c != '\'' && c != '.')
        .map(|word| word.trim_matches(['.', '\'']))
        .filter(|word| !word.is_empty())
}

/// Whether a single word in a sentence says something about a password: "the password is wrong".
pub fn is_predicate(word: &str) -> bool {
    let lower = word
        .trim_end_matches(['.', ',', ';', ':', '!', '?'])
        .to_lowercase();
    let told = |list: &&[&str]| list.contains(&&*lower);
    let parts = !lower.is_ascii() && TELLING_PARTS.iter().any(|part| lower.contains(part));
    let ending = lower.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-')
        && ENDINGS.iter().any(|ending| lower.ends_with(ending));
    parts
        || ending
        || TELLING.iter().any(told)
        || JOINING.contains(&&*lower)
        || STATES.contains(&&*lower)
}

/// The same behind a word such as "es" or "ist", where words of other languages stand.
pub fn is_foreign_predicate(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_lowercase())
        && FOREIGN_ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// Whether more than one word joins a sentence.
pub fn joins_often(text: &str) -> bool {
    text.split(' ')
        .filter(|word| JOINING.contains(word))
        .count()
        > 1
}

/// Whether one of the words joins a sentence.
pub fn has_joining_word(text: &str) -> bool {
    text.split(' ').any(|word| JOINING.contains(&word))
}
