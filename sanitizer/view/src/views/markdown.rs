//! Marks of Markdown and HTML inside what people read as one word: `ghp\_…`, `**ghp_**…`,
//! `<b>ghp_</b>…`, and those around a key: `**Password:** …`.

use super::lines::is_word;
use super::map::Edit;

/// Shortest word for which a mark inside it counts, in bytes.
const MIN_WORD: usize = 12;
/// How far a word is followed to each side of a mark, in bytes.
const REACH: usize = 64;
/// Longest tag, in bytes.
const MAX_TAG: usize = 120;

/// Tags that a word goes on behind.
const INLINE: &[&str] = &[
    "b", "i", "u", "em", "strong", "span", "mark", "wbr", "font", "code", "kbd", "tt", "s", "ins",
];

/// Adds the backslashes of escapes: `\_`, `\*`, `https\:\/\/`.
pub(super) fn escapes(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    let mut read_to = 0;
    for at in memchr::memchr_iter(b'\\', bytes) {
        if at < read_to {
            continue;
        }
        match bytes.get(at + 1) {
            Some(b'\\') => {
                let rest = bytes.get(at..).unwrap_or_default();
                let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
                read_to = at + slashes;
                // A continued line in a string of JSON.
                let end = read_to + 1;
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                if slashes == 3
                    && bytes.get(read_to) == Some(&b'n')
                    && before.is_some_and(is_word)
                    && bytes.get(end).is_some_and(is_word)
                {
                    edits.push(Edit::remove(at..end));
                }
            }
            Some(escaped) if is_escaped(*escaped) => {
                read_to = at + 2;
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                let is_inside = before.is_some_and(u8::is_ascii_graphic)
                    && bytes.get(read_to).is_some_and(u8::is_ascii_graphic);
                if is_inside {
                    edits.push(Edit::remove(at..at + 1));
                }
            }
            _ => {}
        }
    }
}

/// Punctuation that Markdown, LaTeX, JSON and property files escape without need.
fn is_escaped(byte: u8) -> bool {
    b"_*-.+=!~#&@$%:/".contains(&byte)
}

/// Adds marks of emphasis and inline tags. At first only those that a word or a key cannot do
/// without; where something is read differently anyway, all of them.
pub(super) fn emphasis(text: &str, all: bool, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    let first = edits.len();
    let mut read_to = 0;
    for at in memchr::memchr2_iter(b'*', b'~', bytes) {
        if at < read_to {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let mark = rest.first().copied().unwrap_or_default();
        let length = rest.iter().take_while(|byte| **byte == mark).count();
        read_to = at + length;
        let span = at..read_to;
        let is_mark = length <= 3 && (mark == b'*' || length == 2);
        if is_mark
            && (joins_word(bytes, &span)
                || length == 2 && is_inside_key(bytes, &span)
                || length >= 2 && (all && touches_word(bytes, &span) || ends_key(bytes, &span)))
        {
            edits.push(Edit::remove(span));
        }
    }
    for at in memchr::memchr_iter(b'<', bytes) {
        let unseen = unseen_end(bytes, at).filter(|end| stands_inside(bytes, &(at..*end)));
        let tag = || tag_end(bytes, at).filter(|end| joins_word(bytes, &(at..*end)));
        if let Some(end) = unseen.or_else(tag) {
            edits.push(Edit::remove(at..end));
        }
    }
    if let Some(added) = edits.get_mut(first..) {
        added.sort_by_key(|edit| edit.span.start);
    }
}

/// Where something ends that nobody sees in a word: a comment, a place where a word may be broken.
fn unseen_end(bytes: &[u8], at: usize) -> Option<usize> {
    const LONGEST: usize = 60;
    let rest = bytes.get(at..)?;
    let known = |tag: &&[u8]| {
        rest.get(..tag.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(tag))
    };
    const BREAKS: &[&[u8]] = &[b"<wbr>", b"<wbr/>", b"<wbr />", b"</wbr>"];
    if let Some(tag) = BREAKS.iter().copied().find(|tag| known(tag)) {
        return Some(at + tag.len());
    }
    let inner = rest.strip_prefix(b"<!--")?;
    let inner = inner.get(..LONGEST).unwrap_or(inner);
    let close = memchr::memmem::find(inner, b"-->")?;
    Some(at + "<!--".len() + close + "-->".len())
}

/// Whether characters that one word may have stand on both sides.
fn stands_inside(bytes: &[u8], span: &std::ops::Range<usize>) -> bool {
    let part = |byte: Option<&u8>| {
        byte.is_some_and(|byte| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'<' | b'>' | b'"' | b'=' | b':')
        })
    };
    let before = span.start.checked_sub(1).and_then(|at| bytes.get(at));
    part(before) && part(bytes.get(span.end))
}

/// Where an inline tag ends that begins at `at`.
fn tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at + 1..)?;
    let slash = usize::from(rest.first() == Some(&b'/'));
    let name = rest.get(slash..)?;
    let length = name
        .iter()
        .take(8)
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let known = |tag: &str| {
        name.get(..length)
            .is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes()))
    };
    if length == 0 || !INLINE.iter().any(|tag| known(tag)) {
        return None;
    }
    let rest = rest.get(..MAX_TAG).unwrap_or(rest);
    let close = rest.iter().position(|byte| matches!(byte, b'>' | b'\n'))?;
    (rest.get(close) == Some(&b'>')).then_some(at + 2 + close)
}

/// Whether a long word with digits goes on behind the mark. Other marks may stand in it.
fn joins_word(bytes: &[u8], span: &std::ops::Range<usize>) -> bool {
    let before = bytes.get(..span.start).unwrap_or_default();
    let after = bytes.get(span.end..).unwrap_or_default();
    let is_part = |byte: &&u8| is_word(byte) || matches!(byte, b'*' | b'~' | b'`' | b'<' | b'>');
    if !before
        .last()
        .is_some_and(|byte| is_word(byte) || *byte == b'>')
        || !after
            .first()
            .is_some_and(|byte| is_word(byte) || *byte == b'<')
    {
        return false;
    }
    let (mut length, mut digits) = (0, 0);
    let before = before.iter().rev().take(REACH).take_while(is_part);
    for byte in before.chain(after.iter().take(REACH).take_while(is_part)) {
        length += 1;
        digits += usize::from(byte.is_ascii_digit());
    }
    length >= MIN_WORD && digits > 0
}

/// `**pass**word: …`: letters on both sides, and behind them what ties a value.
fn is_inside_key(bytes: &[u8], span: &std::ops::Range<usize>) -> bool {
    const LONGEST: usize = 24;
    let before = span.start.checked_sub(1).and_then(|at| bytes.get(at));
    let after = bytes.get(span.end..).unwrap_or_default();
    let letters = after
        .iter()
        .take(LONGEST)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    letters > 0
        && before.is_some_and(u8::is_ascii_alphanumeric)
        && matches!(after.get(letters), Some(b':' | b'='))
}

fn touches_word(bytes: &[u8], span: &std::ops::Range<usize>) -> bool {
    let before = span.start.checked_sub(1).and_then(|at| bytes.get(at));
    before.is_some_and(is_word) || bytes.get(span.end).is_some_and(is_word)
}

/// `**Password:**`, `**Password**:`.
fn ends_key(bytes: &[u8], span: &std::ops::Range<usize>) -> bool {
    let before = span.start.checked_sub(1).and_then(|at| bytes.get(at));
    let after = bytes.get(span.end);
    let ties = |byte: Option<&u8>| matches!(byte, Some(b':' | b'='));
    ties(before) && after == Some(&b' ')
        || before.is_some_and(u8::is_ascii_alphanumeric) && ties(after)
}
