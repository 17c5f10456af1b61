//! The tokens of code: words, quoted texts, numbers and comments, for the languages that code fences name.
//!
//! It is one pass over at most [`MAX_BYTES`] of a text, in time proportional to its length, so that texts of
//! others cannot delay a page. The grammars of editors, which [syntect](https://docs.rs/syntect) uses, take
//! 46 ms for 8 kB of Rust and up to a second for a line of 1 kB that was made to be slow; a page of 50
//! results has 10 ms. No grammar is checked.

mod languages;
mod lexer;
mod markup;
mod syntax;
#[cfg(test)]
mod tests;

use self::{languages::Language, syntax::Syntax};

/// The most bytes of code that are split into tokens.
pub const MAX_BYTES: usize = 20_000;

/// The kind of a piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Not highlighted.
    Plain,
    /// A comment.
    Comment,
    /// Text between quotation marks, and the added lines of a diff.
    Text,
    /// A number.
    Number,
    /// A keyword.
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

/// Splits code into tokens, which together are the whole code. `language` is the name at a code fence; without
/// one (`None`), only what many languages share is recognized. Code in an unknown language, and code of more
/// than [`MAX_BYTES`], is one plain token.
pub fn tokens<'a>(code: &'a str, language: Option<&str>) -> Vec<(Token, &'a str)> {
    let syntax = match language {
        Some(name) => Language::named(name).map(|language| &language.syntax),
        None => Some(&languages::COMMON),
    };
    match syntax.filter(|_| code.len() <= MAX_BYTES) {
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
