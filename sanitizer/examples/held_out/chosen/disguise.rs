//! Ways to write a value so that it does not stand there as it is, and a view that undoes them.

use std::fmt::Write;

/// A value in a disguise: `name` or `name:argument`.
pub(crate) fn disguised(disguise: &str, value: &str) -> String {
    let (name, argument) = disguise.split_once(':').unwrap_or((disguise, ""));
    let each = |write: fn(char) -> String| value.chars().map(write).collect::<String>();
    match name {
        "zero" => between(value, "\u{200b}"),
        "joiner" => between(value, "\u{2060}"),
        "soft" => between(value, "\u{ad}"),
        "entities" => each(|one| format!("&#{};", one as u32)),
        "hex_entities" => each(|one| format!("&#x{:x};", one as u32)),
        "percent" => value.bytes().fold(String::new(), |mut text, byte| {
            match byte.is_ascii_alphanumeric() {
                true => text.push(char::from(byte)),
                false => write!(text, "%{byte:02X}").expect("a string takes it"),
            }
            text
        }),
        "unicode" => value
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect(),
        "braced" => each(|one| format!("\\u{{{:x}}}", one as u32)),
        "hex" => value.bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        "octal" => value.bytes().map(|byte| format!("\\{byte:03o}")).collect(),
        "wide" => each(|one| match one {
            '!'..='~' => char::from_u32(one as u32 + 0xfee0).map_or_else(String::new, String::from),
            other => other.to_string(),
        }),
        "markdown" => each(|one| match one.is_ascii_punctuation() {
            true => format!("\\{one}"),
            false => one.to_string(),
        }),
        "split" => between_at(value, argument, 2),
        "thirds" => between_at(value, argument, 3),
        "prefix" => value.replace('\n', &format!("\n{argument}")),
        "lines" => value.replace('\n', argument),
        "base64" => base64(value.as_bytes()),
        other => panic!("no disguise is called {other}"),
    }
}

/// A mark after every other character.
fn between(value: &str, mark: &str) -> String {
    let mut text = String::new();
    for (at, one) in value.chars().enumerate() {
        text.push(one);
        if at % 2 == 1 {
            text.push_str(mark);
        }
    }
    text
}

/// A mark between so many pieces.
fn between_at(value: &str, mark: &str, pieces: usize) -> String {
    let all: Vec<char> = value.chars().collect();
    let pieces = all.chunks(all.len().div_ceil(pieces).max(1));
    let pieces: Vec<String> = pieces.map(|piece| piece.iter().collect()).collect();
    pieces.join(mark)
}

/// What a person sees or a program reads: without colours, invisible characters, escapes and full width.
pub(crate) fn view(text: &str) -> String {
    let mut view = String::new();
    let mut rest = text;
    while let Some(one) = rest.chars().next() {
        let (shown, length) = escape(rest).unwrap_or((plain(one), one.len_utf8()));
        view.extend(shown);
        rest = &rest[length..];
    }
    view
}

/// A character that stands for itself, if it is seen.
fn plain(one: char) -> Option<char> {
    match one {
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{ad}' | '\u{feff}' => None,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(one as u32 - 0xfee0),
        other => Some(other),
    }
}

/// The character that an escape at the start of a text stands for, none for a colour, and its length.
fn escape(text: &str) -> Option<(Option<char>, usize)> {
    const COLOURS: &[&str] = &["\u{1b}[", "\\u001b[", "\\x1b[", "\\033[", "\\e["];
    for start in COLOURS {
        if let Some(rest) = text.strip_prefix(start) {
            let end = rest.find(|one: char| one.is_ascii_alphabetic())?;
            return Some((None, start.len() + end + 1));
        }
    }
    const NUMBERS: &[(&str, Option<usize>, &str, u32)] = &[
        ("&#x", None, ";", 16),
        ("&#", None, ";", 10),
        ("\\u{", None, "}", 16),
        ("\\u", Some(4), "", 16),
        ("\\x", Some(2), "", 16),
        ("%", Some(2), "", 16),
        ("\\", Some(3), "", 8),
    ];
    for (start, length, end, base) in NUMBERS {
        let Some(rest) = text.strip_prefix(start) else {
            continue;
        };
        let length = length.or_else(|| rest.find(end).filter(|at| *at <= 8));
        let digits = length.and_then(|length| rest.get(..length));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, *base).ok());
        if let (Some(code), Some(digits)) = (code, digits) {
            let length = start.len() + digits.len() + end.len();
            return Some((char::from_u32(code), length));
        }
    }
    let mut rest = text.strip_prefix('\\')?.chars();
    let next = rest.next().filter(char::is_ascii_punctuation)?;
    Some((Some(next), 1 + next.len_utf8()))
}

/// Base64 with padding.
fn base64(bytes: &[u8]) -> String {
    let alphabet = super::super::dice::BASE64.as_bytes();
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut block = [0; 3];
        block[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, block[0], block[1], block[2]]);
        for at in 0..4 {
            match at <= chunk.len() {
                true => text.push(char::from(alphabet[(bits >> (18 - 6 * at)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}
