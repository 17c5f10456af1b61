//! Texts that a reader may take for a mark of the fence.
//!
//! A mark is the program's name behind a bracket, or before a number like a nonce. Letters are compared as they look:
//! case, width, accents, and letters of other scripts with the same shape make no difference, and whatever is neither
//! letter nor digit may stand between two letters.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// The letters of the name, as [`shape`] returns them.
const LETTERS: [char; 9] = ['r', 'e', 'c', 'a', 'i', 'i', 'k', 'i', 't'];
/// How the name is written in what was a mark.
const BROKEN: &str = "recall kit";
/// How many other characters may stand between two letters.
const MAX_GAP: usize = 24;
/// The fewest digits, decimal or hexadecimal, that look like a nonce.
const MIN_DIGITS: usize = 8;
/// Characters that a reader may take for the bracket of a mark, besides those that are a form of an ASCII one.
const BRACKETS: &str = "«‹⟦⟨⟪⟬〈《「『【〔〖〘〚❬❮❰❲❴⁅⦃⦅⦇⦉⦋⦍⦏⦑⦓⦕⦗⧼⌈⌊⸢⸤⸦≪⋘";

/// Returns a text so that nothing in it looks like a mark: the bracket becomes a parenthesis, and the name two words.
pub(super) fn broken_up(text: &str) -> Cow<'_, str> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut changed: Option<String> = None;
    let mut copied = 0;
    for (at, (start, c)) in chars.iter().enumerate() {
        if *start < copied {
            continue;
        }
        let after = chars.get(at + 1..).unwrap_or_default();
        let (opening, length) = match is_bracket(*c) {
            true => ("(", name_in(after).map(|length| length + 1)),
            false if shape(*c) == LETTERS.first().copied() => {
                ("", name_in(chars.get(at..).unwrap_or_default()))
            }
            false => continue,
        };
        let Some(length) = length else { continue };
        let rest = chars.get(at + length..).unwrap_or_default();
        let over = rest
            .iter()
            .take_while(|(_, c)| is_combining_mark(*c))
            .count();
        let rest = rest.get(over..).unwrap_or_default();
        if opening.is_empty() && !is_number(rest) {
            continue;
        }
        let broken = changed.get_or_insert_default();
        broken.push_str(text.get(copied..*start).unwrap_or_default());
        broken.push_str(opening);
        broken.push_str(BROKEN);
        copied = rest.first().map_or(text.len(), |(position, _)| *position);
    }
    match changed {
        None => Cow::Borrowed(text),
        Some(mut broken) => {
            broken.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(broken)
        }
    }
}

/// Returns how many characters the name takes at the start of a text, with what stands before it and between its
/// letters.
fn name_in(chars: &[(usize, char)]) -> Option<usize> {
    let mut at = 0;
    for letter in LETTERS {
        let rest = chars.get(at..)?.iter().take(MAX_GAP + 1);
        let mut found = None;
        for (gap, (_, c)) in rest.enumerate() {
            if shape(*c) == Some(letter) {
                found = Some(gap);
                break;
            }
            if !is_gap(*c) {
                break;
            }
        }
        at += found? + 1;
    }
    // The letters may be the beginning of a longer word.
    let rest = chars.get(at..).unwrap_or_default();
    let next = rest.first().map(|(_, c)| ascii(*c).unwrap_or(*c));
    let is_over = next.is_none_or(|next| !next.is_alphabetic()) || is_number(rest);
    is_over.then_some(at)
}

/// Returns whether a text begins with a number like that of a mark.
fn is_number(chars: &[(usize, char)]) -> bool {
    let gap = chars.iter().take(MAX_GAP);
    let gap = gap.take_while(|(_, c)| is_gap(*c)).count();
    let digits = chars
        .iter()
        .skip(gap)
        .filter(|(_, c)| !is_gap(*c))
        .take(MIN_DIGITS);
    let digits: Vec<char> = digits.filter_map(|(_, c)| ascii(*c)).collect();
    digits.len() == MIN_DIGITS
        && digits.iter().all(char::is_ascii_hexdigit)
        && digits.iter().any(char::is_ascii_digit)
}

fn is_bracket(c: char) -> bool {
    match c.is_ascii() {
        true => matches!(c, '[' | '<' | '{'),
        false => BRACKETS.contains(c) || ascii(c).is_some_and(|c| "[<{".contains(c)),
    }
}

/// Returns whether a character may stand between two letters of the name: it is neither letter nor digit, or it is
/// drawn over the letter before it or not at all.
fn is_gap(c: char) -> bool {
    let is_blank = matches!(
        c,
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}'
    );
    is_blank || is_combining_mark(c) || !ascii(c).unwrap_or(c).is_alphanumeric()
}

/// Returns the first character that a character stands for, if that is ASCII: without width, style, circle or accent.
fn ascii(c: char) -> Option<char> {
    let letter = |first: u32| char::from_u32(u32::from('a') + u32::from(c) - first);
    match c {
        _ if c.is_ascii() => Some(c).filter(|c| c.is_ascii_graphic()),
        '\u{1f150}'..='\u{1f169}' => letter(0x1f150),
        '\u{1f170}'..='\u{1f189}' => letter(0x1f170),
        '\u{1f1e6}'..='\u{1f1ff}' => letter(0x1f1e6),
        _ => {
            let mut parts = std::iter::once(c).nfkd();
            // A letter in parentheses stands for itself.
            let first = parts.find(|part| *part != '(')?;
            first.is_ascii_graphic().then_some(first)
        }
    }
}

/// Returns which of the name's letters a character looks like. A small L looks like an I.
fn shape(c: char) -> Option<char> {
    let base = ascii(c).unwrap_or_else(|| std::iter::once(c).nfkd().next().unwrap_or(c));
    let lower = base.to_lowercase().next().unwrap_or(base);
    Some(match lower {
        'r' | 'г' | 'ʀ' | 'ᴦ' | 'ꭇ' | 'ɼ' | 'ɾ' | 'Ꮢ' | 'ꮢ' => 'r',
        'e' | 'е' | 'є' | 'ҽ' | 'ε' | 'ɛ' | 'ᴇ' | 'ꭼ' | '3' | '℮' | '∊' | 'ǝ' => 'e',
        'c' | 'с' | 'ϲ' | 'ᴄ' | 'ꮯ' | 'ɔ' | '¢' => 'c',
        'a' | 'а' | 'α' | 'ɑ' | 'ᴀ' | 'ꭺ' | '4' | '@' | '∀' => 'a',
        'i' | 'l' | '1' | '!' | '|' | 'ı' | 'і' | 'ӏ' | 'ι' | 'ɩ' | 'ɪ' | 'ʟ' | 'ǀ' | '∣' | 'ł'
        | 'ɭ' | 'ꮮ' | 'ꭵ' => 'i',
        'k' | 'к' | 'κ' | 'ĸ' | 'ᴋ' | 'ƙ' | 'қ' | 'ꮶ' => 'k',
        't' | 'т' | 'τ' | 'ᴛ' | 'ꭲ' | '7' | '+' | '†' | 'ŧ' => 't',
        _ => return None,
    })
}
