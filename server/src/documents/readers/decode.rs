//! Turns a file's bytes into text: UTF-8, UTF-16 with a mark, and what old HTML pages declare.

use std::borrow::Cow;

use super::ReadError;

/// How far into a page its encoding is declared.
const DECLARATION: usize = 1024;

/// Decodes a file; `html` pages may declare Latin-1.
///
/// *Errors*: [`ReadError`] naming the line for bytes that are no text.
pub(super) fn text(bytes: &[u8], html: bool) -> Result<Cow<'_, str>, ReadError> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, html),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => utf8(bytes, html),
    }
}

fn utf8(bytes: &[u8], html: bool) -> Result<Cow<'_, str>, ReadError> {
    if let Some(at) = memchr::memchr(0, bytes) {
        return Err(ReadError::at(
            line(bytes, at),
            "a zero byte: this is a binary file, not text",
        ));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) if html && declares_latin1(bytes) => Ok(bytes
            .iter()
            .copied()
            .map(windows_1252)
            .collect::<String>()
            .into()),
        Err(error) => Err(ReadError::at(
            line(bytes, error.valid_up_to()),
            "not valid UTF-8; save the file as UTF-8",
        )),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, ReadError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().copied().map(unit);
    let text = char::decode_utf16(units).collect::<Result<String, _>>();
    match text {
        Ok(text) if rest.is_empty() => Ok(text.into()),
        _ => Err(ReadError::new("not valid UTF-16; save the file as UTF-8")),
    }
}

fn line(bytes: &[u8], offset: usize) -> usize {
    let before = bytes.get(..offset).unwrap_or(bytes);
    memchr::memchr_iter(b'\n', before).count() + 1
}

fn declares_latin1(bytes: &[u8]) -> bool {
    let head = bytes
        .get(..DECLARATION)
        .unwrap_or(bytes)
        .to_ascii_lowercase();
    [&b"iso-8859-1"[..], b"windows-1252", b"latin1", b"us-ascii"]
        .iter()
        .any(|it| memchr::memmem::find(&head, it).is_some())
}

/// *Source*: WHATWG Encoding, windows-1252, which is what Latin-1 means in HTML.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    let high = usize::from(byte)
        .checked_sub(0x80)
        .and_then(|it| HIGH.get(it));
    high.copied().unwrap_or(char::from(byte))
}
