//! Syntax highlighting: the tokens of code as `span` elements with a class for each kind. The code remains text,
//! and code in an unknown language is not highlighted.

use maud::{Markup, html};
pub(crate) use recall_kit_code::MAX_BYTES;
use recall_kit_code::{Token, tokens};

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

/// Returns the CSS class of a token; `None` for plain text.
fn class(token: Token) -> Option<&'static str> {
    let index = match token {
        Token::Plain => return None,
        Token::Comment => 0,
        Token::Text => 1,
        Token::Number => 2,
        Token::Keyword => 3,
        Token::Type => 4,
        Token::Call => 5,
        Token::Name => 6,
        Token::Gone => 7,
    };
    CLASSES.get(index).copied()
}

/// Renders code with highlighting; `language` is the name at a code fence.
pub(crate) fn highlighted(code: &str, language: &str) -> Markup {
    html! {
        @for (token, piece) in tokens(code, Some(language)) {
            @match class(token) {
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

#[cfg(test)]
mod tests;
