//! Strings that a program joins: `"ghp_" + "…"`, `"a" . "b"`, `"a" "b"`, `concat("a", "b")`.

use super::map::Edit;
use super::occurrences;

/// How far the next literal may stand from the last one, in bytes.
const MAX_GAP: usize = 120;

/// Adds what stands between the parts of a joined string, quotes included.
pub(super) fn edits(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    let mut read_to = 0;
    closing_quotes(bytes, |at| {
        if at < read_to {
            return;
        }
        let before = bytes.get(..at).unwrap_or_default();
        let slashes = before
            .iter()
            .rev()
            .take(8)
            .take_while(|byte| **byte == b'\\')
            .count();
        let start = at - slashes;
        let last = start.checked_sub(1).and_then(|last| bytes.get(last));
        if last.is_some_and(is_content)
            && let Some(end) = next_literal(bytes, at)
        {
            read_to = end;
            edits.push(Edit::remove(start..end));
        }
    });
}

/// Tells the quotes behind which a joined string may go on. Most quotes are followed by something
/// else.
fn closing_quotes(bytes: &[u8], mut tell: impl FnMut(usize)) {
    let has_calls = has_calls(bytes);
    for at in memchr::memchr2_iter(b'"', b'\'', bytes) {
        if let Some(next) = bytes.get(at + 1)
            && (may_join(*next) || has_calls && *next == b',')
        {
            tell(at);
        }
    }
}

/// Whether calls may join strings anywhere in the text.
fn has_calls(bytes: &[u8]) -> bool {
    let joins = |at: usize| {
        bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(b"join("))
    };
    memchr::memchr_iter(b'j', bytes).any(joins) || occurrences(bytes, "oncat", 2).next().is_some()
}

#[inline]
const fn is_quote(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\'')
}

/// What may stand right behind a part of a joined string.
#[inline]
const fn may_join(byte: u8) -> bool {
    (byte <= b' ') | (byte == b'+') | (byte == b'.') | is_quote(byte)
}

/// What may stand beside the quotes inside.
fn is_content(byte: &u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(byte, b'"' | b'\'' | b',' | b';' | b'(' | b')' | b'{' | b'}')
}

/// Where the content of the next literal begins, when the one that ends with the quote at `at` is
/// joined to it.
fn next_literal(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes.get(at)?;
    let rest = bytes.get(at + 1..)?;
    let rest = rest.get(..MAX_GAP).unwrap_or(rest);
    let mut gap = Gap { rest, at: 0 };
    gap.skip_space();
    let operator = gap.operator();
    gap.skip_space();
    let prefix = gap.take_while(|byte| b"frbuFRBUL@$".contains(byte));
    let slashes = gap.take_while(|byte| byte == &b'\\');
    let opener = gap.next()?;
    if !matches!(opener, b'"' | b'\'')
        || prefix > 2
        || prefix > 0 && operator.is_none() && gap.at < 3
    {
        return None;
    }
    // `""` is an escaped quote where nothing stands between them.
    if operator.is_none()
        && gap.at == 1
        && opener == *quote
        && slashes == 0
        && !is_assigned(bytes, at)
    {
        return None;
    }
    let content = bytes.get(at + 1 + gap.at)?;
    let joins = is_content(content) && (operator != Some(",") || is_joining_call(bytes, at));
    joins.then_some(at + 1 + gap.at)
}

/// `NAME="one""other"`: a shell joins what stands in quotes right behind the sign.
fn is_assigned(bytes: &[u8], at: usize) -> bool {
    const LONGEST: usize = 48;
    let near = bytes
        .get(at.saturating_sub(LONGEST)..at)
        .unwrap_or_default();
    let quote = bytes.get(at);
    let open = near
        .iter()
        .rposition(|byte| Some(byte) == quote || *byte == b'\n');
    open.and_then(|open| near.get(..open))
        .is_some_and(|before| {
            let name = before.strip_suffix(b"=").unwrap_or_default();
            name.last().is_some_and(u8::is_ascii_uppercase)
        })
}

/// What stands between two literals.
struct Gap<'t> {
    rest: &'t [u8],
    at: usize,
}

impl Gap<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.rest.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn take_while(&mut self, is: impl Fn(&u8) -> bool) -> usize {
        let rest = self.rest.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is(byte)).count();
        self.at += length;
        length
    }

    /// Passes spaces, line breaks and the backslashes before them.
    fn skip_space(&mut self) {
        loop {
            self.take_while(u8::is_ascii_whitespace);
            let rest = self.rest.get(self.at..).unwrap_or_default();
            match rest.starts_with(b"\\\n") || rest.starts_with(b"\\\r\n") {
                true => self.at += 1,
                false => return,
            }
        }
    }

    fn operator(&mut self) -> Option<&'static str> {
        let rest = self.rest.get(self.at..)?;
        let operator = match rest {
            [b'+', b'+', ..] => "++",
            [b'+', ..] => "+",
            [b'.', b'.', ..] => "..",
            [b'.', ..] => ".",
            [b'|', b'|', ..] => "||",
            [b'&', ..] => "&",
            [b'<', b'>', ..] => "<>",
            [b'~', ..] => "~",
            [b',', ..] => ",",
            _ => return None,
        };
        self.at += operator.len();
        Some(operator)
    }
}

/// What calls that join strings are called.
const JOINING: [&[u8]; 4] = [b"concat", b"Concat", b"CONCAT", b"join("];

/// Whether the literal stands among the arguments of a call that joins them.
fn is_joining_call(bytes: &[u8], at: usize) -> bool {
    let near = bytes
        .get(at.saturating_sub(MAX_GAP)..at)
        .unwrap_or_default();
    let start = memchr::memrchr(b'\n', near).map_or(0, |end| end + 1);
    let line = near.get(start..).unwrap_or_default();
    let behind = bytes
        .get(at..(at + 2 * MAX_GAP).min(bytes.len()))
        .unwrap_or_default();
    let end = memchr::memchr(b'\n', behind).unwrap_or(behind.len());
    let behind = behind.get(..end).unwrap_or_default();
    let joins = |at: usize| {
        let rest = line.get(at..).unwrap_or_default();
        JOINING.iter().any(|name| rest.starts_with(name))
    };
    memchr::memchr3_iter(b'c', b'C', b'j', line).any(joins)
        || memchr::memchr_iter(b'j', behind).any(|at| {
            let before = at.checked_sub(1).and_then(|at| behind.get(at));
            let rest = behind.get(at..).unwrap_or_default();
            before == Some(&b'.') && rest.starts_with(b"join(")
        })
}
