//! Tells words from random characters: a character-bigram model, and the splitting of names into words.
//!
//! Shannon entropy takes camelCase and hex for random; how usual each letter is after the one
//! before it does not.

use std::ops::Deref;

/// Half bits per letter pair: row = letter before (`^` first), column = letter after (`$` last).
///
/// Counted over words in published Rust sources and their documentation, each word damped to the
/// square root of its frequency, `a` = 0 … `z` = 25.
const TABLE: &str = include_str!("../../lists/bigrams.txt");

/// Bits per letter from which on a run of letters is taken for random. English words of six and
/// more letters stay below it in 98 of 100 cases, random letters reach it in 93.
const RANDOM_BITS: f32 = 5.2;

/// Bits per letter from which on letters in mixed case are random, however they are cut into words.
const RANDOM_MIXED_BITS: f32 = 6.0;

/// Nothing longer than this, in bytes, is a name.
const LONGEST_NAME: usize = 200;

/// More digits than a date with a time has.
const MANY_DIGITS: usize = 15;

/// The table as numbers: half bits.
const CELLS: [[u8; 27]; 27] = cells(TABLE.as_bytes());

/// Run by the compiler, which checks the places.
const fn cells(table: &[u8]) -> [[u8; 27]; 27] {
    let mut cells = [[0; 27]; 27];
    let (mut row, mut column, mut at) = (0, 0, 0);
    while at < table.len() {
        if table[at] == b'\n' {
            (row, column) = (row + 1, 0);
        } else if column < 27 {
            cells[row][column] = table[at] - b'a';
            column += 1;
        }
        at += 1;
    }
    cells
}

/// Returns the surprise of a letter behind another one, in half bits; `a` = 0 … `z` = 25.
pub fn half_bits(before: usize, letter: usize) -> u8 {
    let row = CELLS.get(before + 1);
    row.and_then(|row| row.get(letter)).copied().unwrap_or(0)
}

/// Returns the mean surprise of a run of ASCII letters, in bits per letter, case ignored.
pub(crate) fn surprise(letters: &str) -> f32 {
    mean_surprise(letters.bytes(), letters.len())
}

/// The same of letters that do not stand together.
pub fn mean_surprise(letters: impl Iterator<Item = u8>, count: usize) -> f32 {
    let (mut previous, mut half_bits) = (0, 0_u32);
    for byte in letters {
        let letter = usize::from(byte.to_ascii_lowercase().wrapping_sub(b'a')).min(25);
        let cell = CELLS.get(previous).and_then(|row| row.get(letter));
        half_bits += u32::from(cell.copied().unwrap_or(0));
        previous = letter + 1;
    }
    half_bits as f32 / 2.0 / count.max(1) as f32
}

/// The words of a name, in order.
#[derive(Debug)]
pub(crate) struct Words<'n> {
    /// The first of them; more are rare.
    few: [&'n str; 12],
    count: usize,
    all: Vec<&'n str>,
}

impl<'n> Words<'n> {
    fn push(&mut self, word: &'n str) {
        match self.few.get_mut(self.count) {
            // What follows the first byte of a word is of its kind.
            _ if !word.starts_with(|c: char| c.is_ascii_alphanumeric()) => return,
            Some(place) => *place = word,
            None => {
                if self.all.is_empty() {
                    self.all.extend(self.few);
                }
                self.all.push(word);
            }
        }
        self.count += 1;
    }
}

impl<'n> Deref for Words<'n> {
    type Target = [&'n str];

    fn deref(&self) -> &[&'n str] {
        self.few.get(..self.count).unwrap_or(&self.all)
    }
}

/// Splits a name at `_`, `-`, `.`, other punctuation, case changes and between letters and digits.
pub(crate) fn words(name: &str) -> Words<'_> {
    let bytes = name.as_bytes();
    let mut words = Words {
        few: [""; 12],
        count: 0,
        all: Vec::new(),
    };
    let (mut start, mut before) = (0, None);
    for (at, byte) in name.bytes().enumerate() {
        let splits = before.is_some_and(|before| {
            (class(before) != class(byte) && !capitalised(before, byte))
                || before.is_ascii_uppercase()
                    && byte.is_ascii_uppercase()
                    && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
        });
        if splits {
            words.push(name.get(start..at).unwrap_or_default());
            start = at;
        }
        before = Some(byte);
    }
    words.push(name.get(start..).unwrap_or_default());
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
pub fn made_of_words(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if digits >= MANY_DIGITS || value.len() > LONGEST_NAME {
        return false;
    }
    let segments = || {
        value
            .as_bytes()
            .split(|byte| !byte.is_ascii_alphanumeric())
            .filter(|segment| !segment.is_empty())
            .filter_map(|segment| std::str::from_utf8(segment).ok())
    };
    // Most values that are no words show it in their first segment.
    segments().all(segment_is_wordlike)
        && segments().filter(|segment| is_interleaved(segment)).count() < 2
        && !are_groups(segments)
}

/// Four groups or more of one length with letters and digits: `ab12-c3de-…`.
fn are_groups<'v, S: Iterator<Item = &'v str>>(segments: impl Fn() -> S) -> bool {
    const LOOKED_AT: usize = 12;
    let segments = || segments().take(LOOKED_AT);
    let length = segments().next().map_or(0, str::len);
    let with = |test: fn(&u8) -> bool| {
        segments()
            .filter(|segment| segment.as_bytes().iter().any(test))
            .count()
    };
    (4..=8).contains(&length)
        && segments().all(|segment| segment.len() == length)
        && segments().count() >= 4
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
    let (mut numbers, mut digits, mut in_number) = (0, 0, false);
    for byte in segment.bytes() {
        let digit = byte.is_ascii_digit();
        numbers += usize::from(digit && !in_number);
        digits += usize::from(digit);
        in_number = digit;
    }
    if segment.len() == digits {
        return digits <= 8;
    }
    if digits > 4 || numbers > 2 || (numbers == 2 && segment.len() > 9) {
        return false;
    }
    let parts = words(segment);
    let letters = || parts.iter().filter(|part| !is_number(part));
    let (count, joined) =
        letters().fold((0, 0), |(count, sum), part| (count + 1, sum + part.len()));
    let single = letters().filter(|part| part.len() <= 2).count();
    if count >= 4 && single * 2 > count {
        return false;
    }
    if joined >= 16 && joined < count * 3 {
        return false;
    }
    let surprise = || {
        let bytes = letters().flat_map(|part| part.bytes());
        mean_surprise(bytes, joined)
    };
    let split_by_digits = numbers >= 1 && !segment.ends_with(|c: char| c.is_ascii_digit());
    if split_by_digits && joined >= 7 && surprise() >= RANDOM_BITS {
        return false;
    }
    if count >= 2 && joined >= 6 {
        let surprise = surprise();
        if surprise >= RANDOM_MIXED_BITS || single * 2 >= count && surprise >= RANDOM_BITS {
            return false;
        }
    }
    letters().all(|part| word_is_natural(part))
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
