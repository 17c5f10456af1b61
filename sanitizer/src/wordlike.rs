//! Tells words from random characters: a character-bigram model, and the splitting of names into words.
//!
//! Shannon entropy takes camelCase and hex for random; how usual each letter is after the one
//! before it does not.

use std::sync::OnceLock;

/// Half bits per letter pair: row = letter before (`^` first), column = letter after (`$` last).
///
/// Counted over words in published Rust sources and their documentation, each word damped to the
/// square root of its frequency, `a` = 0 … `z` = 25.
const TABLE: &str = include_str!("../rules/bigrams.txt");

/// Bits per letter from which on a run of letters is taken for random. English words of six and
/// more letters stay below it in 98 of 100 cases, random letters reach it in 93.
const RANDOM_BITS: f32 = 5.2;

/// Bits per letter from which on letters in mixed case are random, however they are cut into words.
const RANDOM_MIXED_BITS: f32 = 6.0;

/// Nothing longer than this, in bytes, is a name.
const LONGEST_NAME: usize = 200;

/// More digits than a date with a time has.
const MANY_DIGITS: usize = 15;

fn table() -> &'static [[f32; 27]; 27] {
    static CELLS: OnceLock<[[f32; 27]; 27]> = OnceLock::new();
    CELLS.get_or_init(|| {
        let mut cells = [[0.0; 27]; 27];
        for (row, line) in cells.iter_mut().zip(TABLE.lines()) {
            for (cell, byte) in row.iter_mut().zip(line.bytes()) {
                *cell = f32::from(byte - b'a') / 2.0;
            }
        }
        cells
    })
}

/// Returns the mean surprise of a run of ASCII letters, in bits per letter, case ignored.
pub(crate) fn surprise(letters: &str) -> f32 {
    let mut previous = 0;
    let mut bits = 0.0;
    for byte in letters.bytes() {
        let letter = usize::from(byte.to_ascii_lowercase().wrapping_sub(b'a')).min(25);
        bits += table()
            .get(previous)
            .and_then(|row| row.get(letter))
            .unwrap_or(&0.0);
        previous = letter + 1;
    }
    bits / letters.len().max(1) as f32
}

/// Splits a name at `_`, `-`, `.`, other punctuation, case changes and between letters and digits.
pub(crate) fn words(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let mut words = Vec::new();
    let mut start = 0;
    for (at, byte) in name.bytes().enumerate() {
        let before = at.checked_sub(1).and_then(|i| bytes.get(i)).copied();
        let after = bytes.get(at + 1).copied();
        let splits = before
            .is_some_and(|before| class(before) != class(byte) && !capitalised(before, byte))
            || before.is_some_and(|b| b.is_ascii_uppercase())
                && byte.is_ascii_uppercase()
                && after.is_some_and(|b| b.is_ascii_lowercase());
        if splits {
            words.extend(name.get(start..at));
            start = at;
        }
    }
    words.extend(name.get(start..));
    words.retain(|word| word.bytes().all(|b| b.is_ascii_alphanumeric()) && !word.is_empty());
    words
}

fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 4,
    }
}

/// `Xy`: an upper-case letter begins the word its lower-case followers belong to.
fn capitalised(before: u8, byte: u8) -> bool {
    before.is_ascii_uppercase() && byte.is_ascii_lowercase()
}

/// Whether a value is made of words, short numbers and punctuation, as names and prose are.
///
/// Single random-looking words of up to four letters are allowed: `cl100k`, `rhel9`, `x86`.
pub(crate) fn made_of_words(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if digits >= MANY_DIGITS || value.len() > LONGEST_NAME {
        return false;
    }
    let segments = || {
        value
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|segment| !segment.is_empty())
    };
    let grouped: Vec<&str> = segments().take(12).collect();
    segments().filter(|segment| is_interleaved(segment)).count() < 2
        && !are_groups(&grouped)
        && segments().all(segment_is_wordlike)
}

/// Four groups or more of one length with letters and digits: `ab12-c3de-…`.
fn are_groups(segments: &[&str]) -> bool {
    let length = segments.first().map_or(0, |first| first.len());
    let with = |test: fn(&u8) -> bool| {
        segments
            .iter()
            .filter(|segment| segment.as_bytes().iter().any(test))
            .count()
    };
    segments.len() >= 4
        && (4..=8).contains(&length)
        && segments.iter().all(|segment| segment.len() == length)
        && with(u8::is_ascii_digit) >= 2
        && with(u8::is_ascii_alphabetic) >= 2
}

/// Digits between letters or letters between digits, as in the groups of a licence key.
fn is_interleaved(segment: &str) -> bool {
    const KNOWN: &[&str] = &[
        "k8s", "k3s", "i18n", "l10n", "a11y", "o11y", "e2e", "p2p", "b2b", "b2c", "m2m", "s2s",
        "u2f", "n8n", "h5p", "d3d", "x11r6", "c14n",
    ];
    let changes = segment
        .as_bytes()
        .windows(2)
        .filter(|pair| pair.first().map(u8::is_ascii_digit) != pair.last().map(u8::is_ascii_digit))
        .count();
    changes >= 2
        && !KNOWN
            .iter()
            .any(|known| segment.eq_ignore_ascii_case(known))
}

fn segment_is_wordlike(segment: &str) -> bool {
    let parts = words(segment);
    let digits: usize = parts
        .iter()
        .filter(|part| is_number(part))
        .map(|part| part.len())
        .sum();
    let numbers = parts.iter().filter(|part| is_number(part)).count();
    if segment.len() == digits {
        return digits <= 8;
    }
    if digits > 4 || numbers > 2 || (numbers == 2 && segment.len() > 9) {
        return false;
    }
    let letters: Vec<&&str> = parts.iter().filter(|part| !is_number(part)).collect();
    let single = letters.iter().filter(|part| part.len() <= 2).count();
    if letters.len() >= 4 && single * 2 > letters.len() {
        return false;
    }
    let joined: String = letters.iter().flat_map(|part| part.chars()).collect();
    if joined.len() >= 16 && joined.len() < letters.len() * 3 {
        return false;
    }
    let split_by_digits = numbers >= 1 && !segment.ends_with(|c: char| c.is_ascii_digit());
    if split_by_digits && joined.len() >= 7 && surprise(&joined) >= RANDOM_BITS {
        return false;
    }
    let mixed = letters.len() >= 2 && joined.len() >= 6;
    if mixed
        && (surprise(&joined) >= RANDOM_MIXED_BITS
            || single * 2 >= letters.len() && surprise(&joined) >= RANDOM_BITS)
    {
        return false;
    }
    letters.iter().all(|part| word_is_natural(part))
}

fn is_number(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit())
}

fn word_is_natural(word: &str) -> bool {
    match word.len() {
        0..=5 => true,
        6..=7 => surprise(word) < RANDOM_BITS + 0.5,
        8..=24 => surprise(word) < RANDOM_BITS,
        _ => false,
    }
}
