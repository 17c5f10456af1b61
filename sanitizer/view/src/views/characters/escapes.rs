//! Escapes of programming languages: `\u0067`, `\u{67}`, `\U00000067`, `\x67`, `\147`, `\e[`.

use crate::views::map::Edit;

/// Most backslashes before an escape: each language inside another doubles them.
const MAX_BACKSLASHES: usize = 8;

/// Adds what is read for each escape.
pub(in crate::views) fn edits(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    let mut read_to = 0;
    for at in memchr::memchr_iter(b'\\', bytes) {
        if at < read_to {
            continue;
        }
        let Some(next) = bytes.get(at + 1) else { break };
        if !matches!(next, b'\\' | b'u' | b'U' | b'x' | b'0' | b'1' | b'e' | b'E') {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
        read_to = at + slashes;
        if slashes > MAX_BACKSLASHES {
            continue;
        }
        let body = rest.get(slashes..).unwrap_or_default();
        if let Some((c, length)) = decoded(body, slashes)
            && is_readable(c)
        {
            read_to += length;
            edits.push(Edit::read(at..read_to, c));
        }
    }
}

/// The character that an escape stands for, and how long it is behind its backslashes.
fn decoded(body: &[u8], slashes: usize) -> Option<(char, usize)> {
    let number = |digits: &[u8], radix| {
        let digits = std::str::from_utf8(digits).ok()?;
        u32::from_str_radix(digits, radix).ok()
    };
    let hex = |range: std::ops::Range<usize>| {
        let digits = body.get(range)?;
        let all_hex = digits.iter().all(u8::is_ascii_hexdigit);
        all_hex.then(|| number(digits, 16)).flatten()
    };
    match (body.first()?, body.get(1)?) {
        (b'u' | b'x', b'{') => {
            let end = body.iter().take(10).position(|byte| *byte == b'}')?;
            Some((char::from_u32(hex(2..end)?)?, end + 1))
        }
        (b'u', _) => match hex(1..5)? {
            high @ 0xd800..0xdc00 => {
                let second = 5 + slashes;
                let escapes = body.get(5..second)?.iter().all(|byte| *byte == b'\\');
                let low =
                    hex(second + 1..second + 5).filter(|_| body.get(second) == Some(&b'u'))?;
                let low = low
                    .checked_sub(0xdc00)
                    .filter(|low| escapes && *low < 0x400)?;
                let c = char::from_u32(0x10000 + ((high - 0xd800) << 10) + low)?;
                Some((c, second + 5))
            }
            code => Some((char::from_u32(code)?, 5)),
        },
        (b'U', _) => Some((char::from_u32(hex(1..9)?)?, 9)),
        (b'x', _) => {
            let c = char::from_u32(hex(1..3)?)?;
            c.is_ascii().then_some((c, 3))
        }
        (b'0' | b'1', _) => {
            let digits = body.get(..3)?;
            let c = char::from_u32(number(digits, 8)?)?;
            Some((c, 3))
        }
        (b'e' | b'E', b'[') => Some(('\u{1b}', 1)),
        _ => None,
    }
}

/// Whether a character is one that people read, or begins a terminal's sequence.
pub(super) fn is_readable(c: char) -> bool {
    !c.is_control() || c == '\u{1b}'
}
