//! Shapes in which a key and its value are written apart: cells of a table, a here document, raw and
//! tripled quotes, a list of parts that a program joins, a value in the line behind its key.

mod blocks;

use super::map::Edit;
use super::occurrences;

/// Longest key, in bytes.
const MAX_KEY: usize = 48;
/// How far a value may stand behind its key, in bytes.
const MAX_GAP: usize = 80;

/// How much of a text is read for one shape, in bytes.
const REACH: usize = 400;

/// What the keys end with in whose surroundings shapes are undone, in any case.
const KEYS: &[&str] = &[
    "password",
    "passwort",
    "passwd",
    "passphrase",
    "kennwort",
    "pwd",
    "secret",
    "token",
    "api key",
    "apikey",
    "api_key",
    "api-key",
    "mot de passe",
    "senha",
    "contraseña",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "pin",
];

/// The last bytes of keys, and those before the last.
const ENDS: [[bool; 256]; 2] = ends();

/// Run by the compiler, which checks the places.
const fn ends() -> [[bool; 256]; 2] {
    let mut ends = [[false; 256]; 2];
    let mut key = 0;
    while key < KEYS.len() {
        let bytes = KEYS[key].as_bytes();
        ends[0][bytes[bytes.len() - 1] as usize] = true;
        ends[1][bytes[bytes.len() - 2] as usize] = true;
        key += 1;
    }
    // Letters beyond ASCII have two cases.
    let mut byte = 0x80;
    while byte < 256 {
        ends[0][byte] = true;
        byte += 1;
    }
    ends
}

/// Adds what stands between the parts of each shape.
pub(super) fn edits(text: &str, edits: &mut Vec<Edit>) {
    let first = edits.len();
    cells(text, edits);
    here_documents(text, edits);
    quotes(text, edits);
    joined_parts(text, edits);
    let breaks = Breaks::of(text.as_bytes());
    next_lines(text, &breaks.values, edits);
    lines_in_strings(text, edits);
    underscores(text, edits);
    blocks::edits(text, &breaks, edits);
    if let Some(added) = edits.get_mut(first..) {
        added.sort_by_key(|edit| edit.span.start);
    }
}

/// The line breaks beside which a shape may stand, in order. Most lines end and begin otherwise.
#[derive(Debug, Default)]
struct Breaks {
    /// A value may follow the words of the line before.
    values: Vec<usize>,
    /// Three backquotes follow.
    fences: Vec<usize>,
    /// A colon stands before, and an empty line or an indent behind.
    colons: Vec<usize>,
}

impl Breaks {
    fn of(bytes: &[u8]) -> Self {
        let mut breaks = Self::default();
        for at in memchr::memchr_iter(b'\n', bytes) {
            let last = at.checked_sub(1).and_then(|at| bytes.get(at)).copied();
            let next = bytes.get(at + 1).copied();
            // A word stands there.
            let follows = next.is_some_and(|next| !matches!(next, b' ' | b'\n'));
            let ties = matches!(
                last,
                Some(b':' | b's' | b'=' | b'o' | b't' | b'd' | b'e' | b'n' | 0x80..)
            );
            if follows && ties {
                breaks.values.push(at);
            }
            if next == Some(b'`') {
                breaks.fences.push(at);
            }
            let apart = matches!(next, Some(b'\n' | b' ' | b'\t' | b'\r'));
            if apart && matches!(last, Some(b':' | b'\r' | 0x9a)) {
                breaks.colons.push(at);
            }
        }
        breaks
    }
}

/// What of a text stands behind `from`, as far as a shape goes: a long line is not read again and again.
fn behind(text: &str, from: usize) -> &str {
    let end = text.floor_char_boundary(from.saturating_add(REACH));
    text.get(from..end).unwrap_or_default()
}

/// The same before `to`.
fn ahead(text: &str, to: usize) -> &str {
    let start = text.ceil_char_boundary(to.saturating_sub(REACH));
    text.get(start..to).unwrap_or_default()
}

/// Whether a text ends with a key for a secret; a copula may stand behind it.
fn ends_with_key(text: &str) -> bool {
    let bare = without_ties(text);
    if !may_end_with_key(bare.as_bytes()) {
        return false;
    }
    let last = bare
        .bytes()
        .next_back()
        .map(|byte| byte.to_ascii_lowercase());
    let near = bare.get(bare.floor_char_boundary(bare.len().saturating_sub(MAX_KEY))..);
    let near = near.unwrap_or_default();
    // What the sanitizer writes is no key.
    let is_own = |rest: &str| {
        let start = rest.len().checked_sub("your_".len());
        let end = start.and_then(|start| rest.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case("your_"))
    };
    if near.is_ascii() {
        let ends_with = |key: &&str| {
            let start = near.len().checked_sub(key.len());
            let parts = start.and_then(|start| near.split_at_checked(start));
            key.as_bytes().last().copied() == last
                && parts.is_some_and(|(rest, end)| end.eq_ignore_ascii_case(key) && !is_own(rest))
        };
        return KEYS.iter().any(ends_with);
    }
    let lower = near.to_lowercase();
    KEYS.iter()
        .any(|key| lower.strip_suffix(key).is_some_and(|rest| !is_own(rest)))
}

/// Says at once of most texts that no key ends them.
#[inline]
fn may_end_with_key(text: &[u8]) -> bool {
    let is_in = |byte: &u8, ends: &[bool; 256]| {
        let lower = byte.to_ascii_lowercase();
        ends.get(usize::from(lower)) == Some(&true)
    };
    let [ends, befores] = &ENDS;
    match text {
        [.., last] if !is_in(last, ends) => false,
        [.., before, last] => *last >= 0x80 || is_in(before, befores),
        [last] => *last >= 0x80,
        [] => false,
    }
}

/// A text without what may stand between a key and its value.
fn without_ties(text: &str) -> &str {
    let is_tie = |byte: &u8| matches!(byte, b':' | b'=' | b' ' | b'*' | b'_');
    let ties = text.bytes().rev().take_while(|byte| is_tie(byte)).count();
    let bare = text.get(..text.len() - ties).unwrap_or_default();
    match bare.ends_with('：') {
        true => bare.trim_end_matches([':', '：', '=', ' ', '*', '_']),
        false => bare,
    }
}

/// `<td>Password</td><td>…</td>`, `<b>Password:</b> <code>…</code>`.
fn cells(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    let mut read_to = 0;
    for at in occurrences(bytes, "</", 0) {
        if at < read_to || !text.get(..at).is_some_and(ends_with_key) {
            continue;
        }
        let Some(close) = tag(bytes, at) else {
            continue;
        };
        let rest = bytes.get(close..).unwrap_or_default();
        let gap = rest
            .iter()
            .take(MAX_GAP)
            .take_while(|byte| byte.is_ascii_whitespace() || **byte == b':')
            .count();
        let opens =
            bytes.get(close + gap) == Some(&b'<') && bytes.get(close + gap + 1) != Some(&b'/');
        let Some(value) = tag(bytes, close + gap).filter(|_| opens) else {
            continue;
        };
        let value_end = bytes
            .get(value..)
            .and_then(|rest| memchr::memchr2(b'<', b'\n', rest))
            .map(|length| value + length);
        let Some(value_end) = value_end.filter(|end| bytes.get(*end) == Some(&b'<')) else {
            continue;
        };
        let Some(end) = tag(bytes, value_end) else {
            continue;
        };
        let tied = bytes.get(..at).is_some_and(|before| before.ends_with(b":"));
        edits.push(Edit::read(at..value, if tied { ' ' } else { '=' }));
        edits.push(Edit::read(value_end..end, '\n'));
        read_to = end;
    }
}

/// Where the tag ends that begins at `at`.
fn tag(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?.strip_prefix(b"<")?;
    let rest = rest.get(..MAX_GAP).unwrap_or(rest);
    let end = memchr::memchr2(b'>', b'\n', rest)?;
    (rest.get(end) == Some(&b'>')).then_some(at + 1 + end + 1)
}

/// `password=$(cat <<EOF`, the value, `EOF`, `)`.
fn here_documents(text: &str, edits: &mut Vec<Edit>) {
    let mut read_to = 0;
    for at in occurrences(text.as_bytes(), "=$(cat <<", 1) {
        if at < read_to || !text.get(..at).is_some_and(ends_with_key) {
            continue;
        }
        let from = at + "=$(cat <<".len();
        let Some((word, body)) = behind(text, from).split_once('\n') else {
            continue;
        };
        let start = from + word.len() + 1;
        let word = word.trim_matches(['-', '~', '\'', '"', ' ', '\r']);
        let Some((value, end)) = body.split_once('\n') else {
            continue;
        };
        let indent = end.len() - end.trim_start().len();
        let is_closed = !word.is_empty() && end.trim_start().starts_with(word);
        if is_closed && value.len() <= MAX_GAP {
            let closing = start + value.len() + 1;
            read_to = closing + indent + word.len();
            edits.push(Edit::remove(at + 1..start));
            edits.push(Edit::remove(closing..read_to));
        }
    }
}

/// `r#"…"#`, `"""…"""` on one line: read with quotes of one sign.
fn quotes(text: &str, edits: &mut Vec<Edit>) {
    for (open, close, quote, telling) in [
        ("r#\"", "\"#", '"', 1),
        ("\"\"\"", "\"\"\"", '"', 2),
        ("'''", "'''", '\'', 2),
    ] {
        let mut read_to = 0;
        for at in occurrences(text.as_bytes(), open, telling) {
            let from = at + open.len();
            if at < read_to {
                continue;
            }
            let before = ahead(text, at).trim_end_matches(' ');
            if !before.ends_with(['=', ':']) {
                continue;
            }
            let rest = behind(text, from);
            let line = rest.split('\n').next().unwrap_or_default();
            if let Some(length) = line
                .find(close)
                .filter(|length| (1..=MAX_GAP).contains(length))
            {
                read_to = from + length + close.len();
                edits.push(Edit::read(at..from, quote));
                edits.push(Edit::read(from + length..read_to, quote));
            }
        }
    }
}

/// `"".join(["a", "b"])`: what stands before and behind the parts.
fn joined_parts(text: &str, edits: &mut Vec<Edit>) {
    for at in occurrences(text.as_bytes(), ".join([", 1) {
        let from = at + ".join([".len();
        let before = text.get(..at).unwrap_or_default();
        let Some(start) = before.strip_suffix("\"\"").or(before.strip_suffix("''")) else {
            continue;
        };
        let rest = behind(text, from);
        let line = rest.split('\n').next().unwrap_or_default();
        if let Some(length) = line.find("])") {
            edits.push(Edit::remove(start.len()..from));
            edits.push(Edit::remove(from + length..from + length + 2));
        }
    }
}

/// Words behind which a line breaks before the value.
const TIES: &[&str] = &[
    " is",
    " is:",
    " was",
    " to",
    ":",
    "：",
    " =",
    " ist",
    " lautet",
    " est",
    " es",
    " é",
    " password",
    " passphrase",
    " token",
    " secret",
];

/// `the root password is`, and the value in the next line, which a mail may quote.
fn next_lines(text: &str, breaks: &[usize], edits: &mut Vec<Edit>) {
    for &at in breaks {
        let start = text.floor_char_boundary(at.saturating_sub(2 * MAX_GAP));
        let line = text.get(start..at).unwrap_or_default();
        if !TIES.iter().any(|tie| line.ends_with(tie)) {
            continue;
        }
        let line = line.rsplit('\n').next().unwrap_or_default();
        let Some(tie) = TIES.iter().find(|tie| line.ends_with(**tie)) else {
            continue;
        };
        let before = line.strip_suffix(tie).unwrap_or_default();
        let quoted = line.starts_with("> ");
        let gap = match (quoted, text.get(at + 1..)) {
            (true, Some(rest)) if rest.starts_with("> ") => 2,
            (false, _) => 0,
            _ => continue,
        };
        let rest = behind(text, at + 1 + gap);
        let word = rest.split([' ', '\n']).next().unwrap_or_default();
        let strong = word.bytes().any(|b| b.is_ascii_digit())
            && word.chars().any(char::is_alphabetic)
            && !word.ends_with([':', '=', ')', ';', ',']);
        let has_key = || ends_with_key(before) || tie.len() > 4 && ends_with_key(line);
        if strong && has_key() {
            edits.push(Edit::read(at..at + 1 + gap, ' '));
        }
    }
}

/// `"password=…"`, `<code>password: …</code>`: a line of a configuration that a string or an element
/// holds.
fn lines_in_strings(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr2_iter(b'=', b':', bytes) {
        if !bytes.get(..at).is_some_and(may_end_with_key) {
            continue;
        }
        let before = ahead(text, at);
        if !before.ends_with(char::is_alphanumeric) || !ends_with_key(before) {
            continue;
        }
        let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
        let key = before.trim_end_matches(is_key);
        let Some(open) = key.chars().next_back() else {
            continue;
        };
        if before.len() - key.len() > MAX_KEY || !matches!(open, '"' | '\'' | '`' | '>') {
            continue;
        }
        let close = if open == '>' { '<' } else { open };
        let rest = behind(text, at + 1);
        let value = rest.trim_start_matches([' ', '=', ':']);
        let from = at + 1 + (rest.len() - value.len());
        let length = value.find(|c: char| c.is_whitespace() || c == close || c == '\\');
        let Some(length) = length.filter(|length| (4..=MAX_GAP).contains(length)) else {
            continue;
        };
        let Some((value, behind)) = value.split_at_checked(length) else {
            continue;
        };
        let is_line = behind.starts_with(close)
            || ["\\n", "\\r\\n"].iter().any(|end| {
                behind
                    .strip_prefix(end)
                    .is_some_and(|rest| rest.starts_with(close))
            });
        if is_line && from <= at + 3 && is_mixed(value) {
            let start = at - (before.len() - key.len());
            edits.push(Edit::read(start - open.len_utf8()..start, '\n'));
            edits.push(Edit::read(from + length..from + length + 1, '\n'));
        }
    }
}

/// Whether a value has letters and digits or the signs of passwords, and nothing that programs put in.
fn is_mixed(value: &str) -> bool {
    let sign = |c: char| c.is_ascii_digit() || "!@#+*~^".contains(c);
    value.chars().any(char::is_alphabetic)
        && value.chars().any(sign)
        && !value.contains([
            '{', '}', '$', '%', '<', '>', '(', ')', '[', ']', ',', ';', '&', '/',
        ])
        && !value.starts_with(sign)
}

/// `__Password__: __…__`: emphasis with underscores.
fn underscores(text: &str, edits: &mut Vec<Edit>) {
    for at in occurrences(text.as_bytes(), "__: ", 0) {
        let before = ahead(text, at);
        if before.ends_with('_') || !ends_with_key(before) {
            continue;
        }
        let line = before.rsplit('\n').next().unwrap_or_default();
        let Some(open) = line.rfind("__") else {
            continue;
        };
        let start = at - line.len() + open;
        edits.push(Edit::remove(start..start + 2));
        edits.push(Edit::remove(at..at + 2));
        let rest = behind(text, at + 4);
        let value = rest.split('\n').next().unwrap_or_default().trim_end();
        if value.len() > 6 && value.starts_with("__") && value.ends_with("__") {
            edits.push(Edit::remove(at + 4..at + 6));
            let end = at + 4 + value.len();
            edits.push(Edit::remove(end - 2..end));
        }
    }
}
