//! Extracts the keywords from a request in natural language, on this machine and without a model.
//!
//! The server also searches by meaning, so the order of the words stays and only little is removed:
//! articles, pronouns, question words, polite phrases. Identifiers, error codes, versions, quoted text and
//! negations stay exactly as they are, and so do whole lines that read like an error message.

mod cjk;
mod message;
mod problem_type;
mod stop_words;
#[cfg(test)]
mod tests;

use cjk::{is_cjk, strip_phrases};
use message::is_message;
pub use problem_type::ProblemType;
use recall_kit_shared_types::limits::MAX_QUERY_CHARS;
use serde::{Deserialize, Serialize};
use stop_words::StopWords;

/// The maximum number of error messages that stay as they are; the server uses no more.
const MAX_MESSAGES: usize = 50;

/// Quotation marks; the text between them stays as it is.
const QUOTES: [(char, char); 6] = [
    ('`', '`'),
    ('"', '"'),
    ('“', '”'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
];
const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

/// The analysis of a request in natural language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// The keywords to search for.
    pub keywords: String,
    /// The kind of problem, if the words indicate one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem_type: Option<ProblemType>,
}

impl Need {
    /// Analyzes a text with rules, on this machine and without a model.
    pub fn of(text: &str) -> Self {
        Self {
            keywords: extract_keywords(text),
            problem_type: ProblemType::of(text),
        }
    }
}

/// Returns the keywords of `text`, separated by spaces, or the trimmed text itself if every word is a stop
/// word. Each error message is on a line of its own.
pub fn extract_keywords(text: &str) -> String {
    let lines = with_messages(text);
    if let Some(lines) = lines.filter(|lines| lines.chars().count() <= MAX_QUERY_CHARS) {
        return lines;
    }
    let keywords = keywords_of(text);
    match keywords.is_empty() {
        true => text.trim().to_owned(),
        false => keywords,
    }
}

/// Returns the error messages in a text, with the keywords of the lines between them, in the order of the
/// text; `None` if there is no message.
fn with_messages(text: &str) -> Option<String> {
    let mut parts = Vec::new();
    let mut between = String::new();
    let mut messages = 0;
    for line in text.lines() {
        if messages < MAX_MESSAGES && is_message(line) {
            messages += 1;
            parts.push(keywords_of(&std::mem::take(&mut between)));
            parts.push(line.trim().to_owned());
        } else {
            between.push_str(line);
            between.push('\n');
        }
    }
    parts.push(keywords_of(&between));
    parts.retain(|part| !part.is_empty());
    (messages > 0).then(|| parts.join("\n"))
}

/// Returns the words of a text without stop words; may be empty.
fn keywords_of(text: &str) -> String {
    let tokens = tokens_of(text);
    let stop_words = StopWords::of(tokens.iter().filter_map(Token::word));
    let keywords: Vec<&str> = tokens
        .iter()
        .filter_map(|token| token.keyword(stop_words))
        .collect();
    keywords.join(" ")
}

#[derive(Debug)]
enum Token<'a> {
    /// Text in quotation marks, which stays as it is.
    Quoted(&'a str),
    /// A run of Chinese or Japanese.
    Cjk(&'a str),
    /// A word of any other script, without the punctuation around it.
    Word(&'a str),
}

impl<'a> Token<'a> {
    fn word(&self) -> Option<&'a str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Quoted(_) | Self::Cjk(_) => None,
        }
    }

    /// Returns the token without stop words; `None` if nothing is left.
    fn keyword(&self, stop_words: StopWords) -> Option<&'a str> {
        let left = match self {
            Self::Quoted(text) => text,
            Self::Cjk(run) => strip_phrases(run),
            Self::Word(word) => stop_words.strip(word),
        };
        (!left.is_empty()).then_some(left)
    }
}

/// Splits at spaces, at full-width punctuation, at quotes, and between Chinese or Japanese and another
/// script.
fn tokens_of(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(separates);
    while let Some(first) = rest.chars().next() {
        let (token, after) = match split_quoted(rest, first) {
            Some((quoted, after)) => (Token::Quoted(quoted), after),
            None => {
                let ends = |c: char| separates(c) || is_cjk(c) != is_cjk(first);
                let (run, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
                match is_cjk(first) {
                    true => (Token::Cjk(run), after),
                    false => (Token::Word(trim_punctuation(run)), after),
                }
            }
        };
        tokens.push(token);
        rest = after.trim_start_matches(separates);
    }
    tokens
}

/// Splits `"text" rest` into the quoted text and the rest.
fn split_quoted(text: &str, first: char) -> Option<(&str, &str)> {
    let (open, close) = QUOTES.into_iter().find(|(open, _)| *open == first)?;
    let (quoted, after) = text.strip_prefix(open)?.split_once(close)?;
    Some((quoted.trim(), after))
}

fn separates(c: char) -> bool {
    c.is_whitespace() || "。，？！；：、（）【】《》…".contains(c)
}

/// Removes sentence punctuation and unpaired brackets around a word; `foo()`, `C++`, `.NET` and
/// `--no-verify` are not changed.
fn trim_punctuation(word: &str) -> &str {
    let mut word = word;
    loop {
        let trimmed = trim_brackets(
            word.trim_end_matches([',', ';', '?', '!', ':', '.', '\'', '"', '`', '’', '”', '»'])
                .trim_start_matches(['\'', '"', '`', '‘', '“', '«', '¿', '¡', ',', ';']),
        );
        if trimmed.len() == word.len() {
            return word;
        }
        word = trimmed;
    }
}

fn trim_brackets(word: &str) -> &str {
    for (open, close) in BRACKETS {
        let (opened, closed) = (word.matches(open).count(), word.matches(close).count());
        let inner = match opened.cmp(&closed) {
            std::cmp::Ordering::Less => word.strip_suffix(close),
            std::cmp::Ordering::Greater => word.strip_prefix(open),
            std::cmp::Ordering::Equal => word
                .strip_prefix(open)
                .and_then(|word| word.strip_suffix(close)),
        };
        if let Some(inner) = inner {
            return inner;
        }
    }
    word
}
