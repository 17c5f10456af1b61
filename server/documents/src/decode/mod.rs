//! Decodes bytes to text, and records what had to be assumed.
//!
//! Source: the Encoding Standard (WHATWG). The encoding of bytes that have no byte order mark and are not UTF-8
//! is guessed from the frequencies of characters.

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Replaces bytes that are not a valid character.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;
/// A text with more non-ASCII characters than this for each error is damaged UTF-8, not another encoding.
const CHARACTERS_PER_ERROR: usize = 2;

/// How many bytes at the beginning of a page may declare its encoding. Source: HTML standard, "Specifying the
/// document's character encoding".
const DECLARATION: usize = 1024;

/// Decoded bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text without the byte order mark.
    pub text: String,
    /// The encoding that was used.
    pub encoding: &'static str,
    /// Whether the encoding is only a guess.
    pub guessed: bool,
    /// The number of invalid byte sequences; each is replaced by U+FFFD.
    pub replaced: usize,
}

/// Writes what a reader of the text should know: nothing for valid UTF-8, else a sentence.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoding = self.encoding;
        match (self.guessed, self.replaced) {
            (false, 0) => Ok(()),
            (true, 0) => write!(f, "read as {encoding}, which is a guess"),
            (false, 1) => write!(f, "one place is not valid {encoding} and reads \u{fffd}"),
            (false, n) => write!(f, "{n} places are not valid {encoding} and read \u{fffd}"),
            (true, n) => write!(
                f,
                "read as {encoding}, which is a guess; {n} unreadable places read \u{fffd}"
            ),
        }
    }
}

/// Decodes by the byte order mark, as UTF-8, or with a guessed encoding.
pub fn decode(bytes: &[u8]) -> Text {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return with(encoding, bytes.get(mark..).unwrap_or_default(), false);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Text {
            text: text.to_owned(),
            encoding: UTF_8.name(),
            guessed: false,
            replaced: 0,
        },
        Err(_) if is_damaged_utf8(bytes) => with(UTF_8, bytes, false),
        Err(_) => with(guess(bytes), bytes, true),
    }
}

/// Decodes an HTML page, which may declare its encoding.
pub fn decode_page(bytes: &[u8]) -> Text {
    match declared(bytes) {
        Some(encoding) if Encoding::for_bom(bytes).is_none() && !is_utf8(bytes) => {
            with(encoding, bytes, false)
        }
        _ => decode(bytes),
    }
}

fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

/// Returns the encoding that a page declares with `charset=` near its beginning.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARATION).unwrap_or(bytes);
    let head = head.to_ascii_lowercase();
    let name = memchr::memmem::find(&head, b"charset=")? + b"charset=".len();
    let name = head.get(name..)?.trim_ascii_start();
    let name = name
        .strip_prefix(b"\"")
        .or(name.strip_prefix(b"'"))
        .unwrap_or(name);
    let end = name.iter().position(|byte| !is_label(*byte));
    Encoding::for_label(name.get(..end.unwrap_or(name.len()))?)
}

fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.')
}

/// Whether the bytes begin with the byte order mark of UTF-16, the text encoding in which zero bytes are usual.
pub fn is_utf16(bytes: &[u8]) -> bool {
    let found = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let is_utf32 = bytes.starts_with(b"\xff\xfe\0\0");
    (found == Some(UTF_16LE) || found == Some(UTF_16BE)) && !is_utf32
}

/// Whether most of the non-ASCII text is valid UTF-8: then a few invalid bytes do not make it another encoding.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut characters, mut errors) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        characters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        errors += usize::from(!chunk.invalid().is_empty());
    }
    characters > errors * CHARACTERS_PER_ERROR
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

fn with(encoding: &'static Encoding, bytes: &[u8], guessed: bool) -> Text {
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    // A text may contain the character itself: it counts only if bytes were invalid.
    let replaced = match malformed {
        true => text.matches(REPLACEMENT).count(),
        false => 0,
    };
    Text {
        text: text.into_owned(),
        encoding: encoding.name(),
        guessed,
        replaced,
    }
}

#[cfg(test)]
mod tests;
