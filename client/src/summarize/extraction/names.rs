//! Finds names in the text of a conversation, for the keywords and the title of an experience. Placeholders for
//! removed data are not names.

use super::super::{TITLE_CHARS, shortened};
use super::sentences;

/// Parts by which placeholders of the sanitizer are recognized.
const PLACEHOLDERS: [&str; 7] = [
    "YOUR_",
    "YOUR/",
    "WEBHOOK_ID",
    "example.com",
    "192.0.2.1",
    "2001:db8::1",
    "00:00:5E:00:53:01",
];
/// The prefix of anonymized variables.
const VARIABLE: &str = "var_";
/// The maximum length of a name. *Unit*: characters.
const MAX_NAME_CHARS: usize = 40;
/// Words that may come before a program's name.
const PREFIXES: [&str; 5] = ["sudo", "env", "time", "exec", "npx"];

/// Returns the names in a text: `useState`, `E0502`, `DATABASE_URL`, `node.js`, `sqlx::query`. In code these
/// are the identifiers.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace();
    // Paths and addresses are skipped.
    let words = words.filter(|word| !is_placeholder(word) && !word.contains(['/', '\\']));
    words.flat_map(pieces).filter(|word| is_name(word))
}

/// Returns the program that a command runs.
pub(super) fn program_of(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    let program = words.find(|word| !word.contains('=') && !PREFIXES.contains(word))?;
    let program = program.rsplit(['/', '\\']).next()?;
    is_plain(program).then_some(program)
}

/// Returns whether a name consists of letters, digits and joining characters.
pub(super) fn is_plain(name: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    name.chars().any(char::is_alphabetic) && name.chars().all(joins) && !is_placeholder(name)
}

/// Creates a title from a line: short, and without placeholders. If the line has placeholders, the first sentence
/// of `text` without one is used, if there is one.
pub(super) fn title_of(line: &str, text: &str) -> String {
    let is_clean = |text: &str| !text.split_whitespace().any(is_placeholder);
    if is_clean(line) {
        return fitted(line);
    }
    let is_usable = |sentence: &&str| is_clean(sentence) && sentence.contains(char::is_whitespace);
    if let Some(sentence) = short_sentences(text).find(is_usable) {
        return fitted(sentence);
    }
    let mut words: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        let word = if is_placeholder(word) { "…" } else { word };
        if word != "…" || words.last() != Some(&word) {
            words.push(word);
        }
    }
    fitted(&words.join(" "))
}

fn short_sentences(text: &str) -> impl Iterator<Item = &str> {
    let sentences = sentences(text).flat_map(|sentence| sentence.split_inclusive("? "));
    let sentences = sentences.flat_map(|sentence| sentence.split_inclusive("! "));
    sentences.map(str::trim)
}

/// Cuts a line that is too long at the end of its first sentence, or at the end of a word.
fn fitted(line: &str) -> String {
    let fits = |text: &str| text.chars().count() <= TITLE_CHARS;
    let line = line.trim();
    if fits(line) {
        return line.to_owned();
    }
    match short_sentences(line).next() {
        Some(sentence) if fits(sentence) => sentence.to_owned(),
        _ => {
            let start: String = line.chars().take(TITLE_CHARS).collect();
            let words = start.rsplit_once(char::is_whitespace);
            let words = words.map_or(start.as_str(), |(words, _)| words.trim_end());
            shortened(&format!("{words}…"), TITLE_CHARS)
        }
    }
}

fn is_placeholder(word: &str) -> bool {
    let is_variable = |piece: &str| {
        let number = piece.strip_prefix(VARIABLE).unwrap_or_default();
        number.len() >= 3 && number.chars().all(|c| c.is_ascii_digit())
    };
    let is_user = |piece: &str| piece == "USER";
    word.contains('@')
        || PLACEHOLDERS.iter().any(|part| word.contains(part))
        || pieces(word).any(|piece| is_variable(piece) || is_user(piece))
}

/// Splits a word at characters that are not part of a name: `setCount(count` gives two pieces.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let is_inside = |c: char| c.is_alphanumeric() || "_.:-".contains(c);
    let pieces = word.split(move |c: char| !is_inside(c));
    let pieces = pieces.map(|piece| piece.trim_matches(|c: char| !c.is_alphanumeric()));
    pieces.filter(|piece| !piece.is_empty())
}

/// Returns whether a word looks like a name: it has capitals, digits or joining characters inside.
fn is_name(word: &str) -> bool {
    let mut inner = word.chars().skip(1);
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2
        && word.starts_with(char::is_alphabetic)
        && word.chars().count() <= MAX_NAME_CHARS
        && inner.any(|c| c.is_uppercase() || c.is_ascii_digit() || "_.:-".contains(c))
        && !word.eq_ignore_ascii_case("error")
}
