//! Letters that look like ASCII and are not: full-width and mathematical forms (those that NFKC maps to
//! one ASCII character), Cyrillic and Greek letters inside a Latin word, and what nobody sees.
//! Sources: `UnicodeData.txt` and `confusables.txt` of Unicode 16.0.0.

use crate::invisible;
use crate::views::map::Edit;

/// How many bytes of ASCII before a letter are read with it.
const MAX_BEFORE: usize = 64;

/// Adds what is read for each such letter.
pub(in crate::views) fn edits(text: &str, edits: &mut Vec<Edit>) {
    let mut at = 0;
    while let Some(next) = invisible::next_beyond_ascii(text, at) {
        let before = text.as_bytes().get(at..next).unwrap_or_default();
        let ascii = before
            .iter()
            .rev()
            .take(MAX_BEFORE)
            .take_while(|byte| is_word(char::from(**byte)))
            .count();
        at = word(text, next, ascii > 0, edits);
    }
}

/// Reads the rest of a word from its first character beyond ASCII on; returns where it ends.
fn word(text: &str, start: usize, mut has_ascii: bool, edits: &mut Vec<Edit>) -> usize {
    let first = edits.len();
    let (mut has_form, mut has_lookalike, mut is_foreign) = (false, false, false);
    let mut end = start;
    for c in text.get(start..).unwrap_or_default().chars() {
        let at = end;
        if c.is_ascii() {
            if !is_word(c) {
                break;
            }
            has_ascii |= c.is_ascii_alphabetic();
        } else if let Some(form) = ascii_form(c) {
            has_form |= form.is_ascii_alphanumeric();
            edits.push(Edit::read(at..at + c.len_utf8(), form));
        } else if let Some(letter) = lookalike(c) {
            has_lookalike = true;
            edits.push(Edit::read(at..at + c.len_utf8(), letter));
        } else if invisible::is_ignorable(c) {
            edits.push(Edit::remove(at..at + c.len_utf8()));
        } else {
            is_foreign |= c.is_alphanumeric();
            if at == start || !c.is_alphanumeric() {
                end += c.len_utf8();
                break;
            }
        }
        end += c.len_utf8();
    }
    // A word of another script stays what it is.
    let reads = has_form || has_ascii && !is_foreign;
    if !reads || has_lookalike && is_foreign {
        edits.truncate(first);
    }
    end.max(start + 1)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '=' | '+' | '/')
}

/// The ASCII character that a compatibility form stands for.
fn ascii_form(c: char) -> Option<char> {
    let code = u32::from(c);
    let from = |first: u32, ascii: char| char::from_u32(u32::from(ascii) + (code - first));
    match c {
        '\u{ff01}'..='\u{ff5e}' => from(0xff01, '!'),
        '\u{fe63}' => Some('-'),
        '\u{fe5f}' => Some('#'),
        '\u{fe60}' => Some('&'),
        '\u{fe62}' => Some('+'),
        '\u{fe66}' => Some('='),
        '\u{fe6b}' => Some('@'),
        '\u{fe52}' | '\u{2024}' => Some('.'),
        '\u{fe4d}'..='\u{fe4f}' => Some('_'),
        '\u{2010}' | '\u{2011}' => Some('-'),
        '\u{1d400}'..='\u{1d6a3}' => {
            let letter = (code - 0x1d400) % 52;
            let (base, place) = match letter {
                0..26 => ('A', letter),
                _ => ('a', letter - 26),
            };
            char::from_u32(u32::from(base) + place)
        }
        '\u{1d7ce}'..='\u{1d7ff}' => char::from_digit((code - 0x1d7ce) % 10, 10),
        '\u{24b6}'..='\u{24cf}' => from(0x24b6, 'A'),
        '\u{24d0}'..='\u{24e9}' => from(0x24d0, 'a'),
        '\u{2460}'..='\u{2468}' => from(0x2460, '1'),
        '\u{24ea}' => Some('0'),
        '\u{1f130}'..='\u{1f149}' => from(0x1f130, 'A'),
        '\u{2070}' => Some('0'),
        '\u{2074}'..='\u{2079}' => from(0x2074, '4'),
        '\u{2080}'..='\u{2089}' => from(0x2080, '0'),
        '\u{b9}' => Some('1'),
        '\u{b2}' => Some('2'),
        '\u{b3}' => Some('3'),
        _ => LETTERS
            .iter()
            .find(|(form, _)| *form == c)
            .map(|(_, letter)| *letter),
    }
}

/// Letterlike symbols that stand where the mathematical alphabets have holes.
const LETTERS: &[(char, char)] = &[
    ('ℂ', 'C'),
    ('ℊ', 'g'),
    ('ℋ', 'H'),
    ('ℌ', 'H'),
    ('ℍ', 'H'),
    ('ℎ', 'h'),
    ('ℐ', 'I'),
    ('ℑ', 'I'),
    ('ℒ', 'L'),
    ('ℓ', 'l'),
    ('ℕ', 'N'),
    ('ℙ', 'P'),
    ('ℚ', 'Q'),
    ('ℛ', 'R'),
    ('ℜ', 'R'),
    ('ℝ', 'R'),
    ('ℤ', 'Z'),
    ('ℨ', 'Z'),
    ('\u{212a}', 'K'),
    ('ℬ', 'B'),
    ('ℭ', 'C'),
    ('ℯ', 'e'),
    ('ℰ', 'E'),
    ('ℱ', 'F'),
    ('ℳ', 'M'),
    ('ℴ', 'o'),
];

/// The Latin letter that a letter of another script looks like.
fn lookalike(c: char) -> Option<char> {
    let letter = match c {
        'а' | 'α' | 'ɑ' => 'a',
        'Ь' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ҽ' => 'e',
        'ɡ' => 'g',
        'һ' | 'հ' => 'h',
        'і' | 'ι' | 'ı' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'м' => 'm',
        'п' | 'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ѡ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'У' | 'Υ' => 'Y',
        'Х' | 'Χ' => 'X',
        'Ζ' => 'Z',
        _ => return None,
    };
    Some(letter)
}
