//! Splits code into tokens: words, quoted texts, numbers and comments.

use super::{
    Token,
    syntax::{Quote, Words},
};

/// The most bytes of an escaped character, such as `\u{10ffff}`.
const LONGEST_ESCAPE: usize = 10;

/// Splits code into tokens, which together are the whole code; adjacent plain text is one token.
///
/// The time is proportional to the length of the code: if a quotation mark turns out to have no end, its
/// kind is not searched for again in the part that was searched.
pub(super) fn pieces<'a>(code: &'a str, words: &Words) -> Vec<(Token, &'a str)> {
    let mut found: Vec<(Token, &str)> = Vec::new();
    // For each kind of quote, the index up to which it is known to have no end.
    let mut endless = vec![0; words.quotes.len()];
    let (mut at, mut plain_from) = (0, 0);
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let before = code.get(..at).and_then(|before| before.chars().next_back());
        let quoted = quoted(at, rest, before, words, &mut endless);
        let (token, length) = next(rest, before, words, quoted);
        if token != Token::Plain {
            found.extend(code.get(plain_from..at).map(|plain| (Token::Plain, plain)));
            found.extend(rest.get(..length).map(|piece| (token, piece)));
            plain_from = at + length;
        }
        at += length;
    }
    found.extend(code.get(plain_from..).map(|plain| (Token::Plain, plain)));
    found.retain(|(_, piece)| !piece.is_empty());
    found
}

/// Returns the first token of the code and its length, at least one character. `quoted` is the length of the
/// quoted text at the beginning, if there is one.
fn next(rest: &str, before: Option<char>, words: &Words, quoted: Option<usize>) -> (Token, usize) {
    if let Some(length) = comment(rest, before, words) {
        return (Token::Comment, length);
    }
    if let Some(length) = quoted {
        let token = match is_name(rest.get(length..), words) {
            true => Token::Name,
            false => Token::Text,
        };
        return (token, length);
    }
    let first = rest.chars().next().unwrap_or_default();
    if first.is_ascii_digit() {
        return (Token::Number, number(rest));
    }
    if is_word(first, words) {
        let length = prefix_length(rest, |c| is_word(c, words) || c.is_numeric());
        return (word(rest, length, words), length);
    }
    (Token::Plain, first.len_utf8())
}

fn comment(rest: &str, before: Option<char>, words: &Words) -> Option<usize> {
    if let Some((open, close)) = words.block_comment
        && let Some(inside) = rest.strip_prefix(open)
    {
        let end = inside.find(close).map(|end| end + close.len());
        return Some(open.len() + end.unwrap_or(inside.len()));
    }
    let mark = words.comments.iter().find(|mark| opens(rest, mark))?;
    let is_comment = before.is_none_or(|before| match *mark {
        // `//` is not a comment in a URL.
        "//" => before != ':',
        // `#` is not a comment in `$#` or `a#b`.
        _ => before.is_whitespace(),
    });
    is_comment.then(|| prefix_length(rest, |c| c != '\n'))
}

/// Whether a comment's mark is at the beginning of the code; its space may be the end of the line.
fn opens(rest: &str, mark: &str) -> bool {
    let after = rest.strip_prefix(mark.trim_end());
    after.is_some_and(|after| {
        !mark.ends_with(' ') || after.is_empty() || after.starts_with([' ', '\n'])
    })
}

/// Returns the length of the quoted text at the beginning of the code; `None` if there is none or it has no
/// end.
fn quoted(
    at: usize,
    rest: &str,
    before: Option<char>,
    words: &Words,
    endless: &mut [usize],
) -> Option<usize> {
    let follows_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let quotes = words.quotes.iter().zip(endless);
    let mut quotes =
        quotes.filter(|(quote, end)| at >= **end && !(quote.opens_apart && follows_word));
    quotes.find_map(|(quote, endless)| {
        let inside = rest.strip_prefix(quote.open)?;
        if quote.is_character {
            return character(inside, quote.close).map(|length| quote.open.len() + length);
        }
        match text(inside, quote) {
            Ok(length) => Some(quote.open.len() + length),
            Err(searched) => {
                *endless = at + quote.open.len() + searched;
                None
            }
        }
    })
}

/// Returns the length of a quoted text and its closing mark.
///
/// *Errors*: the number of bytes that were searched, if the text has no end.
fn text(inside: &str, quote: &Quote) -> Result<usize, usize> {
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        let rest = inside.get(at..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(quote.close) {
            let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
            return match quote.closes_apart && after.starts_with(is_in_word) {
                true => Err(at),
                false => Ok(at + quote.close.len()),
            };
        }
        if c == '\\' && quote.escapes {
            chars.next();
        }
        if c == '\n' && !quote.spans_lines {
            return Err(at);
        }
    }
    Err(inside.len())
}

/// Returns the length of a single character, escaped or not, with its closing mark.
fn character(inside: &str, close: &str) -> Option<usize> {
    let first = inside.chars().next()?;
    let (end, most) = match first {
        '\\' => (2, LONGEST_ESCAPE),
        one => (one.len_utf8(), one.len_utf8()),
    };
    let length = (end..=most).find(|at| {
        inside
            .get(*at..)
            .is_some_and(|rest| rest.starts_with(close))
    });
    length.map(|length| length + close.len())
}

fn number(rest: &str) -> usize {
    let mut before = ' ';
    let end = rest.char_indices().find(|(_, c)| {
        // `1..2` is a range, and `1.max(2)` a call.
        let is_point = *c == '.' && before.is_ascii_digit();
        let follows_point = before == '.' && !c.is_ascii_digit();
        before = *c;
        follows_point || !(c.is_ascii_alphanumeric() || *c == '_' || is_point)
    });
    let end = end.map_or(rest.len(), |(end, _)| end);
    let digits = rest.get(..end).unwrap_or(rest);
    digits.trim_end_matches('.').len()
}

/// Returns the token of the word at the beginning of the code.
fn word(rest: &str, length: usize, words: &Words) -> Token {
    let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
    let mut keywords = words.keywords.split_ascii_whitespace();
    let is_keyword = match words.any_case {
        true => keywords.any(|known| known.eq_ignore_ascii_case(word)),
        false => keywords.any(|known| known == word),
    };
    let mut letters = word.chars();
    let is_capitalized = letters.next().is_some_and(char::is_uppercase);
    if is_name(Some(after), words) {
        Token::Name
    } else if is_keyword {
        Token::Keyword
    } else if words.calls && (after.starts_with('(') || after.starts_with("!(")) {
        Token::Call
    } else if words.types && is_capitalized && letters.any(char::is_lowercase) {
        Token::Type
    } else {
        Token::Plain
    }
}

/// Whether a token that is followed by `after` is the name of a field.
fn is_name(after: Option<&str>, words: &Words) -> bool {
    let (Some(mark), Some(after)) = (words.names_end, after) else {
        return false;
    };
    let after = after.trim_start_matches(' ');
    // The colon of a URL does not end a name.
    after.starts_with(mark) && !after.starts_with("://")
}

fn is_word(c: char, words: &Words) -> bool {
    c.is_alphabetic() || c == '_' || words.letters.contains(c)
}

/// Returns the length of the longest prefix whose characters all match.
fn prefix_length(text: &str, matches: impl Fn(char) -> bool) -> usize {
    text.find(|c| !matches(c)).unwrap_or(text.len())
}
