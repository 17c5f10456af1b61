//! Code in colours: its words, texts, numbers and comments, for the languages that fences name.
//!
//! One pass over the text, in time proportional to it, and of one text no more than [`MAX_BYTES`]: what
//! others wrote cannot hold a page up. The grammars of editors, which
//! [syntect](https://docs.rs/syntect) reads, take 46 ms for 8 kB of Rust and up to a second for a line
//! of 1 kB that was made to be slow; a page of 50 results has 10 ms. What is coloured is still text:
//! only the classes of [`Token`] are added. No grammar is checked, and what is of no known language
//! stays plain.

mod languages;
mod lexer;
mod markup;
mod syntax;

use maud::{Markup, html};

use self::{languages::Language, syntax::Syntax};

/// Bytes of code that is coloured, in one piece or in all pieces of one text; what is longer stays
/// plain.
pub(crate) const MAX_BYTES: usize = 20_000;

/// Classes of what is coloured.
pub(crate) const CLASSES: [&str; 8] = [
    "code-comment",
    "code-text",
    "code-number",
    "code-keyword",
    "code-type",
    "code-call",
    "code-name",
    "code-gone",
];

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// Nothing that is coloured.
    Plain,
    Comment,
    /// Text between quotation marks, and lines that are new.
    Text,
    Number,
    Keyword,
    /// The name of a type.
    Type,
    /// What is called.
    Call,
    /// The name of a field, an attribute or an element.
    Name,
    /// A line that was removed.
    Gone,
}

impl Token {
    /// Returns the class of a piece; none where it stays plain.
    fn class(self) -> Option<&'static str> {
        let place = match self {
            Self::Plain => return None,
            Self::Comment => 0,
            Self::Text => 1,
            Self::Number => 2,
            Self::Keyword => 3,
            Self::Type => 4,
            Self::Call => 5,
            Self::Name => 6,
            Self::Gone => 7,
        };
        CLASSES.get(place).copied()
    }
}

/// Writes code in the colours of a language, named as after the marks of a fence.
pub(crate) fn highlighted(code: &str, language: &str) -> Markup {
    html! {
        @for (token, piece) in pieces(code, language) {
            @match token.class() {
                Some(class) => { span class=(class) { (piece) } }
                None => { (piece) }
            }
        }
    }
}

/// Writes code that nobody named the language of: only what is JSON is known by itself.
pub(crate) fn unnamed(code: &str) -> Markup {
    let is_json = code.trim_start().starts_with(['{', '[']) && code.len() <= MAX_BYTES;
    let is_json = is_json && serde_json::from_str::<serde::de::IgnoredAny>(code).is_ok();
    highlighted(code, if is_json { "json" } else { "" })
}

/// Takes code apart, nothing left out.
fn pieces<'a>(code: &'a str, language: &str) -> Vec<(Token, &'a str)> {
    let language = Language::named(language).filter(|_| code.len() <= MAX_BYTES);
    match language.map(|language| &language.syntax) {
        None => vec![(Token::Plain, code)],
        Some(Syntax::Words(words)) => lexer::pieces(code, words),
        Some(Syntax::Markup) => markup::pieces(code),
        Some(Syntax::Difference) => code.split_inclusive('\n').map(line_of_a_diff).collect(),
    }
}

fn line_of_a_diff(line: &str) -> (Token, &str) {
    let token = match line.as_bytes().first() {
        Some(b'+') => Token::Text,
        Some(b'-') => Token::Gone,
        Some(b'@') => Token::Keyword,
        _ => Token::Plain,
    };
    (token, line)
}

#[cfg(test)]
mod tests;
