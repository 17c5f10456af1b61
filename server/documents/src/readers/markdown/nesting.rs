//! Limits how deep quotations and lists of one line are nested.
//!
//! The parser walks all open ones for each line below, even if a line continues a paragraph without repeating
//! their markers. So the time for a file is the depth times the number of lines.

use std::borrow::Cow;

/// The most markers at the beginning of a line.
const MAX_MARKS: usize = 32;

/// Returns a text whose lines begin with at most [`MAX_MARKS`] markers; most texts are not changed.
pub(super) fn limited(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    // The start of the text that is not yet copied, and of the current line.
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

/// Returns the range of a line's surplus markers.
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

/// Returns the text after the marker of a quotation or list item at its beginning.
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
