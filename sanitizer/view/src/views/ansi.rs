//! Sequences that a terminal obeys and does not show: colours, `grep --color`, titles. Source: ECMA-48,
//! 5.4 and 5.6; also as `cat -v` (`^[[`), the client (`⟨U+001B⟩[`) and logs without the escape
//! character (`[01;31m[K`) write them.

use memchr::memmem;

use super::map::Edit;
use super::occurrences;

/// Longest sequence, in bytes.
const MAX_LENGTH: usize = 256;

/// What begins a control sequence but for an escape character and a bracket.
const INTRODUCERS: [&str; 2] = ["⟨U+001B⟩[", "\u{9b}"];

/// Adds each sequence, which nothing is read for.
pub(super) fn edits(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    let first = edits.len();
    for at in memchr::memchr2_iter(0x1b, b'^', bytes) {
        if bytes.get(at) == Some(&0x1b) {
            let end = sequence(body(bytes, at + 1)).map(|length| at + 1 + length);
            edits.extend(end.map(|end| Edit::remove(at..end)));
        } else if bytes.get(at + 1..at + 3) == Some(b"[[") {
            control_at(bytes, at, at + 3, edits);
        }
    }
    if !text.is_ascii() {
        for introducer in INTRODUCERS {
            for at in memmem::find_iter(bytes, introducer) {
                control_at(bytes, at, at + introducer.len(), edits);
            }
        }
    }
    for at in occurrences(bytes, "m[K", 2) {
        bare(bytes, at, edits);
    }
    if let Some(added) = edits.get_mut(first..) {
        added.sort_by_key(|edit| (edit.span.start, edit.span.end));
    }
}

/// Adds a control sequence whose parameters begin at `start`.
fn control_at(bytes: &[u8], at: usize, start: usize, edits: &mut Vec<Edit>) {
    let length = control(body(bytes, start));
    edits.extend(length.map(|length| Edit::remove(at..start + length)));
}

/// What may belong to a sequence that goes on at `at`.
fn body(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.get(..MAX_LENGTH).unwrap_or(rest)
}

/// How long a sequence is behind its escape character.
fn sequence(body: &[u8]) -> Option<usize> {
    match body.first()? {
        b'[' => control(body.get(1..)?).map(|length| length + 1),
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let end = body
                .iter()
                .position(|byte| matches!(byte, 7 | 0x1b | b'\n'))?;
            match (body.get(end)?, body.get(end + 1)) {
                (7, _) => Some(end + 1),
                (0x1b, Some(b'\\')) => Some(end + 2),
                _ => None,
            }
        }
        b'(' | b')' | b'#' | b'%' => body
            .get(1)
            .filter(|byte| byte.is_ascii_graphic())
            .map(|_| 2),
        b'7' | b'8' | b'=' | b'>' | b'c' | b'D' | b'E' | b'H' | b'M' | b'Z' => Some(1),
        _ => None,
    }
}

/// How long the parameters and the final byte of a control sequence are.
fn control(body: &[u8]) -> Option<usize> {
    let length = body
        .iter()
        .take_while(|byte| (b' '..=b'?').contains(*byte))
        .count();
    let last = body.get(length)?;
    (b'@'..=b'~').contains(last).then_some(length + 1)
}

/// `[01;31m[K`, of which the escape characters were lost.
fn bare(bytes: &[u8], m: usize, edits: &mut Vec<Edit>) {
    let before = bytes.get(..m).unwrap_or_default();
    let digits = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
    let length = before.iter().rev().take(12).take_while(digits).count();
    let Some(start) = (m - length).checked_sub(1) else {
        return;
    };
    if bytes.get(start) == Some(&b'[')
        && start.checked_sub(1).and_then(|at| bytes.get(at)) != Some(&0x1b)
    {
        edits.push(Edit::remove(start..m + 3));
    }
}
