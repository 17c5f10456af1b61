//! Splits HTML and XML into tokens: elements, their attributes, comments.

use super::Token;

const OPEN_COMMENT: &str = "<!--";
const CLOSE_COMMENT: &str = "-->";

/// Splits markup into tokens, which together are the whole text.
pub(super) fn pieces(code: &str) -> Vec<(Token, &str)> {
    let mut found = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let (text, from_tag) = rest.split_at_checked(next_tag(rest)).unwrap_or((rest, ""));
        found.push((Token::Plain, text));
        rest = match from_tag.starts_with(OPEN_COMMENT) {
            true => push(&mut found, Token::Comment, from_tag, comment_end(from_tag)),
            false => tag(&mut found, from_tag),
        };
    }
    found.retain(|(_, piece)| !piece.is_empty());
    found
}

/// Returns where the next tag or comment begins; the `<` of `a < b` begins neither.
fn next_tag(text: &str) -> usize {
    let mut places = text.match_indices('<').map(|(place, _)| place);
    let begins = |place: &usize| {
        let after = text.get(place + 1..).and_then(|after| after.chars().next());
        after.is_some_and(|c| c.is_alphabetic() || matches!(c, '/' | '!' | '?'))
    };
    places.find(begins).unwrap_or(text.len())
}

fn comment_end(text: &str) -> usize {
    let end = text.find(CLOSE_COMMENT);
    end.map_or(text.len(), |end| end + CLOSE_COMMENT.len())
}

/// Splits a tag into tokens, and returns the text after it.
fn tag<'a>(found: &mut Vec<(Token, &'a str)>, text: &'a str) -> &'a str {
    let name = text.find(|c: char| c.is_whitespace() || c == '>');
    let mut rest = push(found, Token::Keyword, text, name.unwrap_or(text.len()));
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '>' => return push(found, Token::Keyword, rest, 1),
            '"' | '\'' => {
                let end = rest.get(1..).and_then(|inside| inside.find(first));
                push(
                    found,
                    Token::Text,
                    rest,
                    end.map_or(rest.len(), |end| end + 2),
                )
            }
            _ if is_name(first) => {
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                push(found, Token::Name, rest, end)
            }
            other => push(found, Token::Plain, rest, other.len_utf8()),
        };
    }
    rest
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '@' | '.')
}

/// Adds the first `length` bytes of a text as a token, and returns the rest.
fn push<'a>(
    found: &mut Vec<(Token, &'a str)>,
    token: Token,
    text: &'a str,
    length: usize,
) -> &'a str {
    let (piece, rest) = text.split_at_checked(length).unwrap_or((text, ""));
    found.push((token, piece));
    rest
}
