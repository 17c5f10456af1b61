//! Finds mnemonics of wallets: twelve words or more in a row that are all of BIP 39's English list.
//!
//! Prose has no such row: `the`, `of`, `is` and their like are not in the list. A row in alphabetical
//! order is a list, and one that repeats itself is a published example.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use recall_kit_evidence::words::word_set::WordSet;

use crate::RuleGroup;
use crate::clues::{Clue, Evidence};

/// The words of a mnemonic, at least and at most; a word beside it may be one by chance.
const WORDS: std::ops::RangeInclusive<usize> = 12..=26;
/// Lengths of words, in bytes.
const WORD: std::ops::RangeInclusive<usize> = 3..=8;
/// Longest gap between two words, in bytes: numbers, quotes, line breaks.
const MAX_GAP: usize = 16;
/// Twelve words take more than this, in bytes, but for one in thousands: one of them stands wherever so
/// many have passed.
const STRIDE: usize = 62;

/// BIP 39, English. Source: PyPI `mnemonic` 0.21, `wordlist/english.txt`.
const LIST: &str = include_str!("../../rules/bip39.txt");

/// The list, and which numbers the first four letters of its words come to.
struct Known {
    words: WordSet,
    beginnings: Box<[u64; 1 << 8]>,
}

impl Known {
    fn new() -> Self {
        let words: Vec<&'static str> = LIST.split_ascii_whitespace().collect();
        let mut beginnings = Box::new([0; 1 << 8]);
        for word in &words {
            let number = beginning(word.as_bytes());
            if let Some(bits) = beginnings.get_mut(number >> 6) {
                *bits |= 1 << (number & 63);
            }
        }
        Self {
            words: WordSet::new(&words),
            beginnings,
        }
    }

    /// Says quickly of most words that they are not in the list.
    fn may_have(&self, bytes: &[u8], word: &Range<usize>) -> bool {
        let number = beginning(bytes.get(word.clone()).unwrap_or_default());
        let bits = self.beginnings.get(number >> 6).copied().unwrap_or(0);
        WORD.contains(&word.len()) && bits >> (number & 63) & 1 == 1
    }

    fn has(&self, text: &str, word: &Range<usize>) -> bool {
        self.may_have(text.as_bytes(), word)
            && text
                .get(word.clone())
                .is_some_and(|word| self.words.has_in_any_case(word))
    }
}

/// A number of 14 bits for the first four letters of a word.
fn beginning(word: &[u8]) -> usize {
    let letters = word.iter().take(4);
    let number = letters.fold(0_u32, |number, byte| number << 5 | u32::from(byte & 0x1f));
    (number.wrapping_mul(0x9e37_79b1) >> 18) as usize
}

fn known() -> &'static Known {
    static CELL: OnceLock<Known> = OnceLock::new();
    CELL.get_or_init(Known::new)
}

/// Finds every mnemonic.
pub(crate) fn phrases(text: &str) -> Vec<Clue<'static>> {
    let (bytes, known) = (text.as_bytes(), known());
    let mut clues = Vec::new();
    let (mut at, mut read_to) = (STRIDE, 0);
    while at < bytes.len() {
        if !looks_like_words(bytes, at) {
            at += STRIDE;
            continue;
        }
        let word = word_at(bytes, at);
        if may_stand_in_a_row(known, bytes, &word) && known.has(text, &word) {
            let row = row_around(text, word, read_to);
            read_to = row.last().map_or(at, |last| last.end);
            clues.extend(phrase(text, &row).map(clue));
            at = read_to;
        }
        at += STRIDE;
    }
    clues
}

/// Whether nothing but words of three to eight letters stands behind the word at `at` for a while.
fn looks_like_words(bytes: &[u8], at: usize) -> bool {
    const AHEAD: usize = 36;
    let Some(ahead) = bytes.get(at..).and_then(<[u8]>::first_chunk::<AHEAD>) else {
        return true;
    };
    // The first word may have begun before.
    let (mut length, mut is_first) = (0, true);
    for byte in ahead {
        match CLASSES.get(usize::from(*byte)) {
            Some(Class::Letter) => length += 1,
            Some(Class::Between) => {
                if length > *WORD.end() || length > 0 && length < *WORD.start() && !is_first {
                    return false;
                }
                (length, is_first) = (0, false);
            }
            _ => return false,
        }
    }
    length <= *WORD.end()
}

/// What a byte may be in a mnemonic.
#[derive(Clone, Copy)]
enum Class {
    Letter,
    /// Spaces, numbers, quotes: what may stand between two words.
    Between,
    Other,
}

const CLASSES: [Class; 256] = classes();

/// Run by the compiler, which checks the places.
const fn classes() -> [Class; 256] {
    let mut classes = [Class::Other; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' => Class::Letter,
            b'0'..=b'9'
            | b' '
            | b'\t'
            | b'\n'
            | b'\r'
            | b','
            | b'"'
            | b'\''
            | b'.'
            | b')'
            | b'-'
            | b'|'
            | b'*' => Class::Between,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
}

/// Whether a word and two beside it may be of the list.
fn may_stand_in_a_row(known: &Known, bytes: &[u8], word: &Range<usize>) -> bool {
    let may_have = |word: Range<usize>| known.may_have(bytes, &word).then_some(word);
    let behind = |word: Range<usize>| may_have(word_behind(bytes, word.end)?);
    let before = |word: Range<usize>| may_have(word_before(bytes, word.start)?);
    known.may_have(bytes, word)
        && (behind(word.clone()).and_then(behind).is_some()
            || before(word.clone()).and_then(before).is_some())
}

/// The word at `at`, or the next one.
fn word_at(bytes: &[u8], at: usize) -> Range<usize> {
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
    let rest = bytes.get(at..).unwrap_or_default();
    let gap = rest
        .iter()
        .take(MAX_GAP)
        .take_while(|byte| !is_letter(byte))
        .count();
    let before = bytes.get(..at).unwrap_or_default();
    let back = match gap {
        0 => before
            .iter()
            .rev()
            .take(*WORD.end())
            .take_while(is_letter)
            .count(),
        _ => 0,
    };
    let start = at + gap - back;
    start..start + length(bytes, start)
}

/// How many letters stand at `start`, or one more than a word has.
fn length(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let letters = rest.iter().take(*WORD.end() + 1);
    letters
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count()
}

/// The words of the list in a row around one, those before it not before `from`.
fn row_around(text: &str, word: Range<usize>, from: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut row = vec![word.clone()];
    let mut first = word.start;
    while let Some(before) = word_before(bytes, first)
        && before.start >= from
        && known().has(text, &before)
    {
        first = before.start;
        row.push(before);
    }
    row.reverse();
    let mut end = word.end;
    while let Some(behind) = word_behind(bytes, end)
        && known().has(text, &behind)
    {
        end = behind.end;
        row.push(behind);
    }
    row
}

fn word_before(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let before = bytes.get(..start)?;
    let gap = |byte: &&u8| byte.is_ascii() && !byte.is_ascii_alphabetic();
    let gap = before.iter().rev().take(MAX_GAP).take_while(gap).count();
    let end = start - gap;
    let letters = before.get(..end)?.iter().rev().take(*WORD.end() + 1);
    let length = letters
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    (gap > 0 && length > 0).then_some(end - length..end)
}

fn word_behind(bytes: &[u8], end: usize) -> Option<Range<usize>> {
    let behind = bytes.get(end..)?;
    let gap = |byte: &&u8| byte.is_ascii() && !byte.is_ascii_alphabetic();
    let gap = behind.iter().take(MAX_GAP).take_while(gap).count();
    let start = end + gap;
    let length = length(bytes, start);
    (gap > 0 && length > 0).then_some(start..start + length)
}

/// The mnemonic that a row of words is.
fn phrase(text: &str, row: &[Range<usize>]) -> Option<Range<usize>> {
    if !WORDS.contains(&row.len()) {
        return None;
    }
    let words: Vec<String> = row
        .iter()
        .filter_map(|word| Some(text.get(word.clone())?.to_ascii_lowercase()))
        .collect();
    let different: HashSet<&String> = words.iter().collect();
    let rising = words
        .iter()
        .zip(words.iter().skip(1))
        .filter(|(one, two)| one < two);
    let is_list = rising.count() * 6 > words.len() * 5;
    // Published examples say the same words in the same order again.
    let pairs: HashSet<_> = words.iter().zip(words.iter().skip(1)).collect();
    let repeats = different.len() * 5 <= words.len() * 2 || pairs.len() + 3 <= words.len();
    (!is_list && !repeats).then(|| Some(row.first()?.start..row.last()?.end))?
}

fn clue(span: Range<usize>) -> Clue<'static> {
    Clue {
        span,
        group: RuleGroup::RemoveApiKeys,
        rule: "mnemonic",
        kind: "seed phrase",
        replacement: "YOUR_SEED_PHRASE".into(),
        evidence: Evidence::Shape,
    }
}
