//! A value that people set apart from its key: in a block of code, in a paragraph of its own, behind the
//! marks of a spoiler.

use super::{behind, ends_with_key};
use crate::view::map::Edit;
use crate::view::occurrences;

/// Longest value, in bytes.
const MAX_VALUE: usize = 160;

/// Adds what stands between keys and values that are set apart.
pub(super) fn edits(text: &str, edits: &mut Vec<Edit>) {
    fences(text, edits);
    spoilers(text, edits);
    paragraphs(text, edits);
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
fn fences(text: &str, edits: &mut Vec<Edit>) {
    let mut read_to = 0;
    for at in occurrences(text.as_bytes(), "\n```", 1) {
        if at < read_to || !names_a_secret(text, at) {
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
fn paragraphs(text: &str, edits: &mut Vec<Edit>) {
    for (tie, telling) in [
        (":\n\n", 0),
        (":\n    ", 0),
        (":\n\t", 0),
        ("：\n\n", 0),
        (":\r\n\r\n", 0),
    ] {
        for at in occurrences(text.as_bytes(), tie, telling) {
            let colon = tie.trim_end().len();
            let from = at + colon;
            let rest = behind(text, from);
            let body = rest.trim_start_matches(['\n', '\r', ' ', '\t', '>', '`', '*']);
            let gap = rest.len() - body.len();
            let value = body.split('\n').next().unwrap_or_default();
            let bare = value.trim_end_matches(['\r', ' ', '`', '*']);
            if gap <= 24
                && is_value(bare)
                && is_strong(bare)
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
    let sign = |c: char| c.is_ascii_digit() || "!@#$%^&*+~_".contains(c);
    !value.contains(' ') && value.contains(sign) && value.contains(char::is_alphabetic)
}
