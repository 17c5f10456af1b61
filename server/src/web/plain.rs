//! Text that others wrote, so that it cannot deceive who reads it.

use std::fmt::Write as _;

/// Returns the text with every control character and every character that changes the direction of
/// writing (UAX #9) written as `\u{202e}`; line breaks and tabs stay what they are.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match deceives(c) {
            // Writing to a string cannot fail.
            true => drop(write!(shown, "{}", c.escape_unicode())),
            false => shown.push(c),
        }
    }
    shown
}

fn deceives(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => c.is_control(),
    }
}
