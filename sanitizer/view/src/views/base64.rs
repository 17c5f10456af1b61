//! Runs of base64 that spell text. Source: RFC 4648, 4 and 5; PowerShell's `-EncodedCommand` for UTF-16.

use std::ops::Range;

/// Shortest run, in bytes.
const MIN_RUN: usize = 24;
/// Longest run that is read, in bytes.
const MAX_RUN: usize = 1 << 20;
/// How many bytes of a run tell whether it spells text.
const TELLING: usize = 16;

/// A run of base64 and the text that it spells.
#[derive(Debug, PartialEq, Eq)]
pub struct Spelt {
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// What it says.
    pub text: String,
}

/// Finds every run that spells text, of those that are `wanted`; lines of one width are one run.
pub fn spelt(text: &str, wanted: impl Fn(&Range<usize>) -> bool) -> Vec<Spelt> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at + MIN_RUN <= bytes.len() {
        let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk::<MIN_RUN>) else {
            break;
        };
        if let Some(gap) = window.iter().rposition(|byte| !is_digit(*byte)) {
            at += gap + 1;
            continue;
        }
        let span = run(bytes, at);
        at = span.end.max(at + MIN_RUN);
        if span.len() <= MAX_RUN
            && wanted(&span)
            && let Some(text) = bytes.get(span.clone()).and_then(decoded)
        {
            found.push(Spelt { span, text });
        }
    }
    found
}

#[inline]
fn is_digit(byte: u8) -> bool {
    DIGITS.get(usize::from(byte)).copied().unwrap_or(false)
}

/// The characters of both alphabets.
const DIGITS: [bool; 256] = digits();

/// Run by the compiler, which checks the places.
const fn digits() -> [bool; 256] {
    let mut digits = [false; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        let is_sign = matches!(byte as u8, b'+' | b'-' | b'/' | b'_');
        digits[byte] = (byte as u8).is_ascii_alphanumeric() || is_sign;
        byte += 1;
    }
    digits
}

/// The run that begins at `start`, with the lines that it goes on in and its padding.
fn run(bytes: &[u8], start: usize) -> Range<usize> {
    let line = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_digit(**byte)).count();
        let padding = rest.get(length..).unwrap_or_default();
        let padding = padding
            .iter()
            .take(2)
            .take_while(|byte| **byte == b'=')
            .count();
        (length, length + padding)
    };
    let (width, padded) = line(start);
    let mut end = start + padded;
    if padded > width || width < 60 {
        return start..end;
    }
    loop {
        let rest = bytes.get(end..).unwrap_or_default();
        let gap = rest
            .iter()
            .take(64)
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let is_next = rest.get(..gap).is_some_and(|gap| gap.contains(&b'\n'));
        let (length, padded) = line(end + gap);
        if !is_next || length == 0 || length > width {
            return start..end;
        }
        end += gap + padded;
        if padded < width {
            return start..end;
        }
    }
}

/// The six bits of a character of either alphabet.
fn value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

/// The text that a run spells.
fn decoded(run: &[u8]) -> Option<String> {
    let head = bytes_of(run.get(..TELLING)?);
    if !is_text(&head) && utf16(&head).is_none() {
        return None;
    }
    let bytes = bytes_of(run);
    match utf16(&bytes) {
        Some(text) => Some(text),
        None => String::from_utf8(bytes)
            .ok()
            .filter(|text| is_text(text.as_bytes())),
    }
}

fn bytes_of(run: &[u8]) -> Vec<u8> {
    let (mut bits, mut count) = (0_u32, 0);
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    for six in run.iter().filter_map(|byte| value(*byte)) {
        bits = bits << 6 | six;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// Whether bytes hold no control characters but those of text, and no character is broken before the
/// last.
fn is_text(bytes: &[u8]) -> bool {
    let plain = |byte: &u8| *byte >= b' ' && *byte != 0x7f || matches!(byte, b'\n' | b'\r' | b'\t');
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    valid && bytes.iter().all(plain)
}

/// Text of UTF-16 in little-endian bytes that is ASCII.
fn utf16(bytes: &[u8]) -> Option<String> {
    let ascii = |pair: &[u8]| match pair {
        [low, 0] if is_text(&[*low]) && low.is_ascii() => Some(char::from(*low)),
        _ => None,
    };
    bytes.chunks_exact(2).map(ascii).collect()
}
