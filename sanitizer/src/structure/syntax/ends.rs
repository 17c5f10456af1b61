//! Where a value ends: at its closing quote, at a space, or at the punctuation around it.

use std::ops::Range;

use super::head;

/// `“value”`, `「value」`, `«value»`: what stands between the quotes of prose.
pub(super) fn typographic(rest: &str) -> Option<Range<usize>> {
    const QUOTES: &[(char, char)] = &[
        ('“', '”'),
        ('„', '“'),
        ('‘', '’'),
        ('«', '»'),
        ('「', '」'),
        ('『', '』'),
    ];
    let first = rest.chars().next().filter(|c| !c.is_ascii())?;
    let (_, close) = QUOTES.iter().find(|(open, _)| *open == first)?;
    let inner = head(rest.get(first.len_utf8()..)?, 256);
    let length = inner.find([*close, '\n'])?;
    let kept = inner.get(..length)?.trim();
    let start = first.len_utf8() + inner.len() - inner.trim_start().len();
    (!kept.is_empty()).then(|| start..start + kept.len())
}

/// `"\"abc\""`, as build files quote for the code they write.
pub(super) fn without_inner_quotes(text: &str, span: Range<usize>) -> Range<usize> {
    let inner = |quote: &str| {
        let value = text.get(span.clone())?.strip_prefix(quote)?;
        let value = value.strip_suffix(quote)?;
        let start = span.start + quote.len();
        Some(start..start + value.len())
    };
    inner("\\\"").or_else(|| inner("'")).unwrap_or(span.clone())
}

/// Bytes up to the closing quote; to the end of the line where it is missing.
pub(super) fn quoted_length(rest: &str, quote: &str) -> Option<usize> {
    if rest.starts_with(quote)
        && rest
            .get(quote.len()..)
            .is_some_and(|more| more.starts_with(quote))
    {
        return None;
    }
    let line = rest.find('\n').unwrap_or(rest.len());
    let mut from = 0;
    while let Some(found) = rest.get(from..line).and_then(|tail| tail.find(quote)) {
        let end = from + found;
        let slashes = rest
            .get(..end)?
            .bytes()
            .rev()
            .take_while(|b| *b == b'\\')
            .count();
        if slashes % 2 == 0 {
            return Some(end);
        }
        from = end + quote.len();
    }
    Some(line)
}

/// Bytes of a value without quotes: it ends at a space or at punctuation of the language around it.
pub(super) fn bare_length(rest: &str) -> usize {
    rest.find(|c: char| {
        c.is_whitespace()
            || !(c.is_ascii() || is_european(c))
            || matches!(
                c,
                '"' | '\'' | '`' | ',' | ';' | ')' | '}' | ']' | '<' | '>' | '&' | '|' | '\\'
            )
    })
    .unwrap_or(rest.len())
}

/// Bytes of the rest of a value that goes on with `&`, and is no further pair of a query.
pub(super) fn ampersand_length(more: &str) -> usize {
    let end = more.find(char::is_whitespace).unwrap_or(more.len());
    let rest = more.get(..end).unwrap_or_default();
    match rest.contains(['=', '"', '\'', '(', '{', ';']) || rest.starts_with("&&") {
        true => 0,
        false => end,
    }
}

/// Bytes of a value of so many bytes and of what follows it behind spaces that a shell reads as part of it:
/// `one\ other`.
pub(super) fn escaped_length(rest: &str, length: usize) -> usize {
    let mut end = length;
    loop {
        let mark = rest.get(end..).is_some_and(|more| more.starts_with('\\'));
        let behind = end + usize::from(mark);
        let escaped = rest
            .get(..behind)
            .is_some_and(|value| value.ends_with('\\'));
        let more = rest.get(behind..).and_then(|more| more.strip_prefix(' '));
        let word = more.map_or(0, bare_length);
        if !escaped || word == 0 {
            return end;
        }
        end = behind + 1 + word;
    }
}

/// A letter of the Latin, Greek and Cyrillic alphabets.
pub(super) fn is_european(c: char) -> bool {
    c.is_alphabetic() && c < '\u{500}'
}

/// Bytes of a value that begins with a letter beyond ASCII: letters and digits of any script, as in
/// `小猫2024`.
pub(super) fn foreign_length(rest: &str) -> usize {
    const LONGEST: usize = 96;
    let part =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '·' | '!' | '@' | '#');
    match rest.starts_with(|c: char| !c.is_ascii() && c.is_alphabetic()) {
        true => head(rest, LONGEST)
            .find(|c| !part(c))
            .unwrap_or(head(rest, LONGEST).len()),
        false => 0,
    }
}

/// `<![CDATA[value]]>`: what stands inside.
pub(super) fn character_data(rest: &str) -> Option<Range<usize>> {
    const OPEN: &str = "<![CDATA[";
    const LONGEST: usize = 512;
    let inner = head(rest.strip_prefix(OPEN)?, LONGEST);
    let length = inner.find("]]>")?;
    (length > 0).then_some(OPEN.len()..OPEN.len() + length)
}

/// `[value]`, as Java prints the values of a request: the bytes between the brackets.
pub(super) fn bracketed(rest: &str) -> Option<usize> {
    const LONGEST: usize = 200;
    let inner = head(rest.strip_prefix('[')?, LONGEST);
    let end =
        inner.find(|c: char| c.is_whitespace() || matches!(c, ']' | '[' | '"' | '\'' | ','))?;
    (end > 0 && inner.get(end..)?.starts_with(']')).then_some(end)
}
