//! Texts as PostgreSQL can keep them: without the character U+0000, which it refuses.
//!
//! A character that means nothing in any text (U+FDD0, a noncharacter) announces what is in its
//! place; itself, should it come, is announced too. So every text comes back as it was.

use std::borrow::Cow;

const MARK: char = '\u{FDD0}';

/// Returns a text as it is stored.
pub(super) fn kept(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', MARK]) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => kept.extend([MARK, '0']),
            MARK => kept.extend([MARK, '1']),
            other => kept.push(other),
        }
    }
    Cow::Owned(kept)
}

/// Returns a stored text as it was given.
pub(super) fn given(stored: String) -> String {
    if !stored.contains(MARK) {
        return stored;
    }
    let mut given = String::with_capacity(stored.len());
    let mut characters = stored.chars();
    while let Some(character) = characters.next() {
        match character {
            MARK => match characters.next() {
                Some('0') => given.push('\0'),
                Some(_) => given.push(MARK),
                // Only of an excerpt, cut in the middle.
                None => {}
            },
            other => given.push(other),
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_come_back_as_they_were(text in "[a\0\u{FDD0}01é]{0,12}") {
            let stored = kept(&text).into_owned();
            prop_assert!(!stored.contains('\0'));
            prop_assert_eq!(given(stored), text);
        }
    }
}
