//! Lines of an output as a terminal shows them: without colours, times and line prefixes of build services.

use std::borrow::Cow;

/// The length to which a line is cut. *Unit*: bytes.
pub(crate) const MAX_LINE: usize = 2_000;

/// Returns the lines of the first and last parts of a text that together have at most `most` bytes.
pub(crate) fn lines(text: &str, most: usize) -> Vec<Cow<'_, str>> {
    let (first, last) = match text.len() > most {
        true => (truncated(text, most / 2), last_part(text, most / 2)),
        false => (text, ""),
    };
    let lines = first.lines().chain(last.lines());
    lines
        .map(plain)
        .filter(|line| !line.trim().is_empty())
        .collect()
}

/// Returns the beginning of a text, at most this many bytes, without half a character.
pub(crate) fn truncated(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most))
        .unwrap_or_default()
}

fn last_part(text: &str, most: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(most));
    text.get(from..).unwrap_or_default()
}

/// Removes colours, the time in front, and what is beyond the maximum length.
fn plain(line: &str) -> Cow<'_, str> {
    let line = truncated(line.trim_end(), MAX_LINE);
    match line.contains('\u{1b}') {
        true => Cow::Owned(without_time(&without_colours(line)).to_owned()),
        false => Cow::Borrowed(without_time(line)),
    }
}

/// Removes escape sequences: `ESC [ … letter`.
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut parts = line.split('\u{1b}');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let rest = match part.strip_prefix('[') {
            Some(sequence) => {
                let end = sequence.find(|c: char| c.is_ascii_alphabetic());
                end.and_then(|end| sequence.get(end + 1..))
                    .unwrap_or_default()
            }
            None => part,
        };
        plain.push_str(rest);
    }
    plain
}

/// Removes what build services put in front of each line: `2024-05-01T10:00:00.0000000Z `, `#12 3.456 `.
fn without_time(line: &str) -> &str {
    if let Some((time, rest)) = line.split_once(' ') {
        let is_time = time.len() >= 19
            && time.ends_with('Z')
            && time.as_bytes().get(10) == Some(&b'T')
            && time.starts_with(|c: char| c.is_ascii_digit());
        if is_time {
            return rest;
        }
        let is_step = time.strip_prefix('#').is_some_and(is_number);
        if let Some((seconds, rest)) = rest.split_once(' ').filter(|_| is_step)
            && seconds.contains('.')
            && is_number(seconds)
        {
            return rest;
        }
    }
    line
}

/// Whether a text is a number with digits and dots only.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Splits `path:12:5: rest` and `path(12,5): rest`, with the column or without it, into the path and the rest.
pub(crate) fn split_position(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    for (at, _) in line.match_indices([':', '(']).take(6) {
        let (path, rest) = line.split_at(at);
        if !is_file(path) {
            continue;
        }
        if let Some(rest) = after_position(rest) {
            return Some((path, rest.trim_start()));
        }
    }
    None
}

/// Returns what follows a position: `:12:5: rest`, `:12: rest`, `(12,5): rest`, `:[12,5] rest`, `:12:5 - rest`.
fn after_position(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix(":[").or_else(|| rest.strip_prefix('('));
    if let Some(inner) = inner {
        let digits = |c: char| c.is_ascii_digit() || c == ',' || c == '-';
        let after = inner.trim_start_matches(digits);
        let has_line = after.len() < inner.len();
        let after = after.strip_prefix([']', ')']).filter(|_| has_line)?;
        return Some(after.trim_start_matches(':'));
    }
    let after = rest.strip_prefix(':')?;
    let after_line = after.trim_start_matches(|c: char| c.is_ascii_digit());
    if after_line.len() == after.len() {
        return None;
    }
    let after = match after_line.strip_prefix(':') {
        Some(column) => column.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => after_line,
    };
    let after = after.strip_prefix(':').unwrap_or(after);
    let after = after.strip_prefix(" -").unwrap_or(after);
    (after.is_empty() || after.starts_with(' ')).then_some(after)
}

/// Whether a text is a path of a file with an extension.
fn is_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    !stem.is_empty()
        && (1..=8).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !path.contains(['"', '\'', '`', '<', '>', '|'])
        && path.split(' ').count() <= 4
}
