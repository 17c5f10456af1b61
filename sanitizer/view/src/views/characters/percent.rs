//! Percent-encoding: `%5F`, `%C3%A9`, `%u005F`. Source: RFC 3986, 2.1.

use super::escapes::is_readable;
use crate::views::map::Edit;

/// Adds what is read for each encoded character.
pub(in crate::views) fn edits(text: &str, edits: &mut Vec<Edit>) {
    let bytes = text.as_bytes();
    let mut read_to = 0;
    for at in memchr::memchr_iter(b'%', bytes) {
        if at < read_to {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let found = match rest.get(1) {
            Some(b'u') => unit(rest),
            _ => character(rest),
        };
        if let Some((c, length)) = found.filter(|(c, _)| is_readable(*c) || *c == '\n') {
            read_to = at + length;
            edits.push(Edit::read(at..read_to, c));
        }
    }
}

/// The byte that `%XX` stands for at `at`.
fn byte(text: &[u8], at: usize) -> Option<u8> {
    let [b'%', high, low] = *text.get(at..at + 3)?.first_chunk::<3>()? else {
        return None;
    };
    let high = char::from(high).to_digit(16)?;
    let low = char::from(low).to_digit(16)?;
    u8::try_from(high << 4 | low).ok()
}

/// A character of one to four encoded bytes of UTF-8.
fn character(text: &[u8]) -> Option<(char, usize)> {
    let first = byte(text, 0)?;
    let length = match first {
        ..0x80 => 1,
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return None,
    };
    let mut encoded = [first; 4];
    for (place, encoded) in encoded.iter_mut().enumerate().take(length).skip(1) {
        *encoded = byte(text, place * 3)?;
    }
    let c = std::str::from_utf8(encoded.get(..length)?)
        .ok()?
        .chars()
        .next()?;
    Some((c, length * 3))
}

/// `%u005F`, as JavaScript's `escape` writes it.
fn unit(text: &[u8]) -> Option<(char, usize)> {
    let digits = std::str::from_utf8(text.get(2..6)?).ok()?;
    let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| all_hex)?;
    Some((char::from_u32(code)?, 6))
}
