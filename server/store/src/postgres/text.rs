//! Encoding of texts for PostgreSQL, which cannot store the character U+0000.
//!
//! U+0000 is stored as U+FDD0 (a noncharacter, which no text uses) followed by `0`. U+FDD0 itself is
//! stored as U+FDD0 followed by `1`. So every text is read back unchanged.

use std::borrow::Cow;

const ESCAPE: char = '\u{FDD0}';

/// Returns a text as it is stored.
pub(crate) fn encoded(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut stored = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => stored.extend([ESCAPE, '0']),
            ESCAPE => stored.extend([ESCAPE, '1']),
            other => stored.push(other),
        }
    }
    Cow::Owned(stored)
}

/// Returns the original of a stored text.
pub(crate) fn decoded(stored: String) -> String {
    if !stored.contains(ESCAPE) {
        return stored;
    }
    let mut text = String::with_capacity(stored.len());
    let mut characters = stored.chars();
    while let Some(character) = characters.next() {
        match character {
            ESCAPE => match characters.next() {
                Some('0') => text.push('\0'),
                Some(_) => text.push(ESCAPE),
                // An excerpt that was cut after the escape character.
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn decoding_restores_every_encoded_text(text in "[a\0\u{FDD0}01é]{0,12}") {
            let stored = encoded(&text).into_owned();
            prop_assert!(!stored.contains('\0'));
            prop_assert_eq!(decoded(stored), text);
        }
    }
}
