//! Words that go on in the next line: behind a backslash, or because a terminal wrapped the line.

use std::ops::Range;

use recall_kit_evidence::words::wordlike::made_of_words;

use super::map::Edit;

/// How wide a terminal is at least, in columns.
const MIN_WIDTH: usize = 40;
/// How wide one is at most, in bytes.
const MAX_WIDTH: usize = 600;
/// Shortest word that a terminal's wrap counts in, in bytes.
const MIN_WORD: usize = 16;
/// How far a word is followed to each side of a line break, in bytes.
const REACH: usize = 256;

/// Adds line breaks that only separate parts of one word: those that the mark before them undoes, and
/// those that only the width of a terminal explains. There the line is as long as the next at least,
/// and a word that no language has goes on behind it.
pub(super) fn edits(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        let line = std::mem::replace(&mut start, end + 1)..end;
        // Most lines are followed by an indent or an empty line.
        let last = bytes
            .get(end.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        let next = bytes.get(start).copied().unwrap_or_default();
        let may_wrap = line.len() >= MIN_WIDTH && next > b' ' && last != b'.' && is_word(&last);
        if is_mark(last) || may_wrap {
            edits.extend(joined(bytes, &line).map(Edit::remove));
        }
    }
}

/// Whether a word goes on behind the line break at `end`.
pub fn goes_on_behind(bytes: &[u8], end: usize) -> bool {
    let least = end.saturating_sub(MAX_WIDTH + 1);
    let before = bytes.get(least..end).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(least, |at| least + at + 1);
    joined(bytes, &(start..end)).is_some()
}

/// What separates the last word of a line from the rest of it in the next.
fn joined(bytes: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let last = bytes.get(line.clone()).and_then(<[u8]>::last)?;
    let next = bytes.get(line.end + 1)?;
    if is_mark(*last) {
        return continued(bytes, line);
    }
    let is_wide = (MIN_WIDTH..=MAX_WIDTH).contains(&line.len());
    (is_wide && is_word(last) && is_word(next) && goes_on(bytes, line))
        .then_some(line.end..line.end + 1)
}

/// Whether a line that ends so may go on in the next.
fn is_mark(last: u8) -> bool {
    matches!(last, b'\\' | b'`' | b'^' | b'\r' | b'=')
}

/// The end of a line with the mark before it and the indent behind it.
fn continued(bytes: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let whole = bytes.get(line.clone())?;
    let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
    let (mark, before) = whole.split_last()?;
    let rest = bytes.get(line.end + 1..)?;
    let space = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let indent = rest.iter().take(REACH).take_while(space).count();
    // These end lines of prose too.
    let word = rest.get(indent..)?;
    let word = word.get(
        ..word
            .iter()
            .take(REACH)
            .take_while(|byte| is_word(byte))
            .count(),
    )?;
    // Quoted-printable mail breaks lines anywhere; a variable without a value begins its line.
    let is_soft = *mark == b'='
        && indent == 0
        && before.contains(&b' ')
        && word.iter().all(u8::is_ascii_graphic)
        && !word.contains(&b'=')
        && !word.starts_with(b"-");
    let joins = (*mark == b'\\' || is_soft || matches!(mark, b'`' | b'^') && is_generated(word))
        && before.last().is_some_and(is_word)
        && rest.get(indent).is_some_and(is_word);
    // `--password \\`: one space is left between the flag and its value.
    let is_flag = *mark == b'\\'
        && before.strip_suffix(b" ").is_some_and(|before| {
            let word = before.rsplit(|byte| *byte == b' ').next();
            word.is_some_and(|word| word.starts_with(b"-"))
        })
        && rest
            .get(indent)
            .is_some_and(|byte| byte.is_ascii_graphic() && *byte != b'-');
    (joins || is_flag).then_some(line.start + before.len()..line.end + 1 + indent)
}

/// Whether the word at the end of a line is one with the word that begins the next.
fn goes_on(bytes: &[u8], line: &Range<usize>) -> bool {
    let before = bytes.get(line.clone()).unwrap_or_default();
    let after = bytes.get(line.end + 1..).unwrap_or_default();
    let part = |byte: &&u8| is_word(byte) && **byte != b'=';
    let head = before.iter().rev().take(REACH).take_while(part).count();
    let tail = after.iter().take(REACH).take_while(part).count();
    if head + tail < MIN_WORD {
        return false;
    }
    let word = bytes
        .get(line.end - head..line.end + 1 + tail)
        .unwrap_or_default();
    let count = |is: fn(&u8) -> bool| word.iter().filter(|byte| is(byte)).count();
    let next = after.get(..MAX_WIDTH + 1).unwrap_or(after);
    let width = memchr::memchr(b'\n', next).unwrap_or(next.len());
    let names = match (after.get(tail), after.get(tail + 1)) {
        (Some(b'='), padding) => {
            padding.is_some_and(|byte| byte.is_ascii_graphic() && *byte != b'=')
        }
        (behind, _) => matches!(behind, Some(b':' | b'"' | b'(')),
    };
    count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_alphabetic) >= 4
        && !names
        && is_generated(after.get(..tail).unwrap_or_default())
        && columns(next.get(..width).unwrap_or_default()) <= columns(before)
}

pub(super) fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.')
}

/// Whether the beginning of a line looks like the rest of a token: not like a word, a flag or a rule.
fn is_generated(tail: &[u8]) -> bool {
    let Ok(tail) = std::str::from_utf8(tail) else {
        return false;
    };
    let is_flag = tail.starts_with(['-', '.', '/']) && tail.len() < 4 || tail.starts_with("--");
    let has_digit = tail.bytes().any(|byte| byte.is_ascii_digit());
    !is_flag && (has_digit || !made_of_words(tail))
}

/// How many characters a line has.
fn columns(line: &[u8]) -> usize {
    line.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}
