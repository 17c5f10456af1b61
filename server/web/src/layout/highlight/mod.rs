//! Syntax highlighting of words, quoted texts, numbers and comments, for the languages that code fences
//! name.
//!
//! It is one pass over at most [`MAX_BYTES`] of a text, in time proportional to its length, so that texts of
//! others cannot delay a page. The grammars of editors, which [syntect](https://docs.rs/syntect) uses, take
//! 46 ms for 8 kB of Rust and up to a second for a line of 1 kB that was made to be slow; a page of 50
//! results has 10 ms. The code remains text: only `span` elements with a class for each [`Token`] are added.
//! No grammar is checked, and code in an unknown language is not highlighted.

mod languages;
mod lexer;
mod markup;
mod syntax;

use maud::{Markup, html};

use self::{languages::Language, syntax::Syntax};

/// The most bytes of code that are highlighted, in one code block and in all blocks of one text.
pub(crate) const MAX_BYTES: usize = 20_000;

/// The CSS classes of tokens.
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

/// The kind of a piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// Not highlighted.
    Plain,
    Comment,
    /// Text between quotation marks, and the added lines of a diff.
    Text,
    Number,
    Keyword,
    /// The name of a type.
    Type,
    /// The name of a called function.
    Call,
    /// The name of a field, an attribute or an element.
    Name,
    /// A removed line of a diff.
    Gone,
}

impl Token {
    /// Returns the CSS class; `None` for plain text.
    fn class(self) -> Option<&'static str> {
        let index = match self {
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
        CLASSES.get(index).copied()
    }
}

/// Renders code with highlighting; `language` is the name at a code fence.
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

/// Renders code whose language is not given; only JSON is recognised and highlighted.
pub(crate) fn highlight_json(code: &str) -> Markup {
    let is_json = code.trim_start().starts_with(['{', '[']) && code.len() <= MAX_BYTES;
    let is_json = is_json && serde_json::from_str::<serde::de::IgnoredAny>(code).is_ok();
    highlighted(code, if is_json { "json" } else { "" })
}

/// Splits code into tokens, which together are the whole code.
fn pieces<'a>(code: &'a str, language: &str) -> Vec<(Token, &'a str)> {
    let language = Language::named(language).filter(|_| code.len() <= MAX_BYTES);
    match language.map(|language| &language.syntax) {
        None => vec![(Token::Plain, code)],
        Some(Syntax::Words(words)) => lexer::pieces(code, words),
        Some(Syntax::Markup) => markup::pieces(code),
        Some(Syntax::Diff) => code.split_inclusive('\n').map(diff_line).collect(),
    }
}

fn diff_line(line: &str) -> (Token, &str) {
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
