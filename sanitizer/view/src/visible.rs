//! Text that others wrote, so that whoever reads it sees all of it and a terminal obeys none of it.
//!
//! What would steer a terminal (controls but line break and tab), turn the direction of writing or
//! not be seen at all is written as a mark such as `⟨U+202E⟩`.

use std::{borrow::Cow, fmt::Write as _};

use crate::invisible::{Step, Walk};

/// Returns the text with marks; line breaks and tabs stay, and Windows' line breaks become plain ones.
///
/// ```
/// assert_eq!(recall_kit_view::visible("a\u{202e}b\u{1b}[2J"), "a⟨U+202E⟩b⟨U+001B⟩[2J");
/// ```
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut walk = Walk::of(text).peekable();
    while let Some(Step { c, stays, .. }) = walk.next() {
        // A lone carriage return would overwrite the line.
        if c == '\r' && walk.peek().is_some_and(|next| next.c == '\n') {
            continue;
        }
        match stays && !steers(c) {
            true => shown.push(c),
            false => mark(c, &mut shown),
        }
    }
    shown
}

/// Returns the text with marks on one line: line breaks and tabs become spaces.
pub fn visible_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for Step { c, stays, .. } in Walk::of(text) {
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            _ if stays && !steers(c) => shown.push(c),
            _ => mark(c, &mut shown),
        }
    }
    shown
}

/// Returns JSON, as serde_json writes it, with marks in its strings; line breaks and tabs stay. What
/// a program reads out of it is safe to show, too.
///
/// ```
/// let json = r#"{"title":"a\u001b[2J"}"#;
/// assert_eq!(recall_kit_view::visible_json(json), r#"{"title":"a⟨U+001B⟩[2J"}"#);
/// ```
pub fn visible_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    let mut walk = Walk::of(json);
    while let Some(Step { c, stays, .. }) = walk.next() {
        match c {
            '\\' => escape(&mut walk, &mut shown),
            _ if stays && !steers(c) => shown.push(c),
            _ => mark(c, &mut shown),
        }
    }
    shown
}

/// Copies the rest of an escape, or writes a mark where it stands for a control.
fn escape(walk: &mut Walk<'_>, shown: &mut String) {
    let Some(Step { c: kind, .. }) = walk.next() else {
        return;
    };
    let written = match kind {
        'u' => walk.take(4).map(|step| step.c).collect(),
        _ => String::new(),
    };
    let meant = match kind {
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        // A lone carriage return would overwrite the line.
        'r' if !walk.clone().map(|step| step.c).take(2).eq(['\\', 'n']) => Some('\r'),
        'u' => u32::from_str_radix(&written, 16)
            .ok()
            .and_then(char::from_u32),
        _ => None,
    };
    match meant {
        Some(c) if steers(c) => mark(c, shown),
        _ => {
            shown.extend(['\\', kind]);
            shown.push_str(&written);
        }
    }
}

/// Returns JSON in which every character that [`visible`] would mark is written as `\u202e`: what a
/// program reads is the same, and a terminal shows it.
///
/// ```
/// let json = "{\"title\":\"a\u{202e}b\"}";
/// assert_eq!(recall_kit_view::escaped_json(json), r#"{"title":"a\u202eb"}"#);
/// ```
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    let is_plain = |step: Step| step.stays && !steers(step.c);
    let is_ascii = json.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_ascii || Walk::of(json).all(is_plain) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 64);
    for step in Walk::of(json) {
        match is_plain(step) {
            true => escaped.push(step.c),
            false => {
                for unit in step.c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(escaped, "\\u{unit:04x}");
                }
            }
        }
    }
    Cow::Owned(escaped)
}

/// Says whether a terminal would do something other than show a character.
fn steers(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

fn mark(c: char, shown: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(c));
}
