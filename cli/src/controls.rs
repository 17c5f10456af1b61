//! Makes control characters visible in text that others wrote, so that it cannot steer the
//! terminal it is shown on. JSON is for programs and stays as it is.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

/// Returns the text with every character that steers a terminal written as `\u{1b}`; line breaks
/// and tabs stay what they are.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // A line break of Windows; a lone carriage return would overwrite the line.
        if c == '\r' && chars.peek() == Some(&'\n') {
            continue;
        }
        match steers(c) {
            // Writing to a string cannot fail.
            true => drop(write!(shown, "{}", c.escape_unicode())),
            false => shown.push(c),
        }
    }
    shown
}

/// Says whether a character is a control (C0, C1, DEL) other than line break and tab, or changes
/// the direction in which text is drawn (UAX #9).
fn steers(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => c.is_control(),
    }
}
