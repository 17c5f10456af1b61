//! Names among the words of a conversation: what an experience is found by, and what its title may say.
//! What stands in the place of removed data is no name.

use super::super::{TITLE_CHARS, shortened};
use super::sentences;

/// What the sanitizer puts in the place of data, as far as a part of it tells.
const PLACEHOLDERS: [&str; 7] = [
    "YOUR_",
    "YOUR/",
    "WEBHOOK_ID",
    "example.com",
    "192.0.2.1",
    "2001:db8::1",
    "00:00:5E:00:53:01",
];
/// The names that variables are given.
const VARIABLE: &str = "var_";
/// The most characters of a name.
const MAX_NAME_CHARS: usize = 40;
/// Words before a program's name.
const PREFIXES: [&str; 5] = ["sudo", "env", "time", "exec", "npx"];

/// Returns the names in a text: `useState`, `E0502`, `DATABASE_URL`, `node.js`, `sqlx::query`. Of a
/// piece of code these are its identifiers.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace();
    // Paths and addresses are found by their words elsewhere.
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

/// Says whether a name consists of letters, digits and what joins them.
pub(super) fn is_plain(name: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    name.chars().any(char::is_alphabetic) && name.chars().all(joins) && !is_placeholder(name)
}

/// Makes a title of a line: short, and without what stands for removed data. `told` is the text around
/// it, of which a sentence may say the same without.
pub(super) fn title_of(line: &str, told: &str) -> String {
    let is_clean = |text: &str| !text.split_whitespace().any(is_placeholder);
    if is_clean(line) {
        return fitted(line);
    }
    let says_something =
        |sentence: &&str| is_clean(sentence) && sentence.contains(char::is_whitespace);
    if let Some(sentence) = short_sentences(told).find(says_something) {
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

/// Returns a line that is too long up to the end of its first sentence, or of a word.
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

/// Splits a word where no name goes on: `setCount(count` is two.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let goes_on = |c: char| c.is_alphanumeric() || "_.:-".contains(c);
    let pieces = word.split(move |c: char| !goes_on(c));
    let pieces = pieces.map(|piece| piece.trim_matches(|c: char| !c.is_alphanumeric()));
    pieces.filter(|piece| !piece.is_empty())
}

/// Says whether a word is more than a word.
fn is_name(word: &str) -> bool {
    let mut inner = word.chars().skip(1);
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2
        && word.starts_with(char::is_alphabetic)
        && word.chars().count() <= MAX_NAME_CHARS
        && inner.any(|c| c.is_uppercase() || c.is_ascii_digit() || "_.:-".contains(c))
        && !word.eq_ignore_ascii_case("error")
}
