//! Bounds how deep quotations and lists of one line nest.
//!
//! The parser walks all open ones for each line below, also where a line goes on with a paragraph
//! without repeating their marks: depth times lines is the time that a file takes.

use std::borrow::Cow;

/// Marks that one line may open.
const MAX_MARKS: usize = 32;

/// A text whose lines begin with [`MAX_MARKS`] marks at most; most texts are as they were.
pub(super) fn limited(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    // Where what is not yet copied begins.
    let (mut copied, mut start) = (0, 0);
    for line in text.split_inclusive('\n') {
        if let Some((from, to)) = surplus(line) {
            out.push_str(text.get(copied..start + from).unwrap_or_default());
            copied = start + to;
        }
        start += line.len();
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => {
            out.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
    }
}

/// Where a line's surplus marks begin and end.
fn surplus(line: &str) -> Option<(usize, usize)> {
    let (mut rest, mut count, mut from) = (line, 0, None);
    let place = |rest: &str| line.len() - rest.len();
    while let Some(after) = mark(rest) {
        count += 1;
        if count > MAX_MARKS && from.is_none() {
            from = Some(place(rest));
        }
        rest = after;
    }
    from.map(|from| (from, place(rest)))
}

/// What follows the mark of a quotation or of a list's item that a text begins with.
fn mark(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t']);
    if let Some(rest) = text.strip_prefix('>') {
        return Some(rest);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).take(9).count();
    let marks: &[char] = if digits == 0 {
        &['-', '*', '+']
    } else {
        &['.', ')']
    };
    let rest = text.get(digits..)?.strip_prefix(marks)?;
    rest.starts_with([' ', '\t']).then_some(rest)
}
