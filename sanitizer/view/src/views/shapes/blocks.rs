//! A value that people set apart from its key: in a block of code, in a paragraph of its own, behind the
//! marks of a spoiler.

use super::{Breaks, behind, ends_with_key};
use crate::views::map::Edit;
use crate::views::occurrences;

/// Longest value, in bytes.
const MAX_VALUE: usize = 160;
/// Longest gap between a colon and the value in a paragraph of its own, in bytes.
const MAX_GAP: usize = 24;

/// Adds what stands between keys and values that are set apart.
pub(super) fn edits(text: &str, breaks: &Breaks, edits: &mut Vec<Edit>) {
    fences(text, &breaks.fences, edits);
    spoilers(text, edits);
    paragraphs(text, &breaks.colons, edits);
}

/// What stands before `at` without the marks that tie a key to what follows.
fn names_a_secret(text: &str, at: usize) -> bool {
    const LONGEST: usize = 160;
    const ENDS: &[&str] = &[
        "is", "was", "are", "ist", "lautet", "est", "es", "é", "是", "为", "は",
    ];
    let start = text.floor_char_boundary(at.saturating_sub(LONGEST));
    let near = text.get(start..at).unwrap_or_default().trim_end();
    let line = near.rsplit('\n').next().unwrap_or_default();
    let tied = line.ends_with([':', '：', '=']);
    let bare = line.trim_end_matches([':', '：', '=', ' ', '*', '_']);
    let told = ENDS
        .iter()
        .find_map(|end| bare.strip_suffix(end))
        .map(str::trim_end);
    match told {
        Some(before) if ends_with_key(before) => true,
        _ => tied && (ends_with_key(bare) || line_names_one(bare)),
    }
}

/// `Here is the new password for the staging box`: a few words stand between the key and the sign.
fn line_names_one(line: &str) -> bool {
    const MOST: usize = 6;
    let ends = line.match_indices(' ').rev().take(MOST);
    ends.map(|(at, _)| line.get(..at).unwrap_or_default())
        .any(ends_with_key)
}

/// A block of code that holds one line, the value.
fn fences(text: &str, breaks: &[usize], edits: &mut Vec<Edit>) {
    let mut read_to = 0;
    for &at in breaks {
        let rest = text.get(at..).unwrap_or_default();
        if at < read_to || !rest.starts_with("\n```") || !names_a_secret(text, at) {
            continue;
        }
        let from = at + "\n```".len();
        let rest = behind(text, from);
        let Some((language, body)) = rest.split_once('\n') else {
            continue;
        };
        let Some((value, end)) = body.split_once('\n') else {
            continue;
        };
        let start = from + language.len() + 1;
        let is_name = language.len() <= 16
            && language
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'\r');
        if is_name && end.starts_with("```") && is_value(value) {
            read_to = start + value.len() + 1 + "```".len();
            let gap = text.get(..at).unwrap_or_default().trim_end().len();
            edits.push(Edit::read(gap..start, ' '));
            edits.push(Edit::read(start + value.len()..read_to, '\n'));
        }
    }
}

/// `||value||`, `>!value!<`.
fn spoilers(text: &str, edits: &mut Vec<Edit>) {
    for (open, close, telling) in [("||", "||", 0), (">!", "!<", 1)] {
        let mut read_to = 0;
        for at in occurrences(text.as_bytes(), open, telling) {
            let from = at + open.len();
            let before = text.get(..at).unwrap_or_default();
            if at < read_to || !before.ends_with([' ', ':', '：', '\n']) {
                continue;
            }
            let line = behind(text, from).split('\n').next().unwrap_or_default();
            let Some(length) = line
                .find(close)
                .filter(|length| (4..=MAX_VALUE).contains(length))
            else {
                continue;
            };
            let value = line.get(..length).unwrap_or_default();
            if value.starts_with(' ') || value.ends_with(' ') {
                continue;
            }
            read_to = from + length + close.len();
            edits.push(Edit::remove(at..from));
            edits.push(Edit::remove(from + length..read_to));
        }
    }
}

/// An empty line between a sentence that ends with a colon and the value, which has a line of its own.
fn paragraphs(text: &str, breaks: &[usize], edits: &mut Vec<Edit>) {
    const APART: &[&[u8]] = &[b"\n\n", b"\n    ", b"\n\t"];
    let bytes = text.as_bytes();
    for &at in breaks {
        let (Some(before), Some(rest)) = (bytes.get(..at), bytes.get(at..)) else {
            continue;
        };
        let returned = before.ends_with(b":\r") && rest.starts_with(b"\n\r\n");
        let apart = before.ends_with(b":") && APART.iter().any(|apart| rest.starts_with(apart))
            || before.ends_with("：".as_bytes()) && rest.starts_with(b"\n\n");
        if !returned && !apart {
            continue;
        }
        let from = at - usize::from(returned);
        let is_space =
            |byte: &&u8| matches!(byte, b'\n' | b'\r' | b' ' | b'\t' | b'>' | b'`' | b'*');
        let rest = bytes.get(from..).unwrap_or_default();
        let gap = rest.iter().take(MAX_GAP + 1).take_while(is_space).count();
        if gap > MAX_GAP {
            continue;
        }
        let body = behind(text, from).get(gap..).unwrap_or_default();
        let value = body.split('\n').next().unwrap_or_default();
        let bare = value.trim_end_matches(['\r', ' ', '`', '*']);
        if is_strong(bare)
            && is_value(bare)
            && !bare.ends_with([':', '.', ',', ';', '{'])
            && names_a_secret(text, from)
        {
            edits.push(Edit::read(from..from + gap, ' '));
            if bare.len() < value.trim_end().len() {
                edits.push(Edit::remove(
                    from + gap + bare.len()..from + gap + value.trim_end().len(),
                ));
            }
        }
    }
}

/// One line that may be a value: a word with digits or signs.
fn is_value(line: &str) -> bool {
    let word = line.trim();
    (4..=MAX_VALUE).contains(&word.len())
        && !word.contains(['<', '{'])
        && (!word.contains(' ')
            || word.split(' ').count() <= 8 && !word.contains([':', '=', '(', '/']))
}

/// One word that has a digit or a sign of passwords.
fn is_strong(value: &str) -> bool {
    let sign = |byte: u8| byte.is_ascii_digit() || b"!@#$%^&*+~_".contains(&byte);
    !value.bytes().any(|byte| byte == b' ')
        && value.bytes().any(sign)
        && value.contains(char::is_alphabetic)
}
