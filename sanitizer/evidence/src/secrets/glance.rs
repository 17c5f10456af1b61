//! One look over the bytes of a value: which marks it holds at all. Most values hold few, and most
//! questions about them are answered by that.

/// Kinds of bytes, each a bit.
pub(crate) const DOT: u8 = 1;
/// `$ { # < %`: what templates and references begin with.
pub(crate) const TEMPLATE: u8 = 2;
/// `/`, `\` and `:`.
pub(crate) const PATH: u8 = 4;
/// `( { < " '`.
pub(crate) const BRACKET: u8 = 8;
/// Spaces, control characters and all beyond ASCII.
pub(crate) const NOT_GRAPHIC: u8 = 16;

const KINDS: [u8; 256] = kinds();

/// Run by the compiler, which checks the places.
const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'.' => DOT,
            b'$' | b'#' | b'%' => TEMPLATE,
            b'{' | b'<' => TEMPLATE | BRACKET,
            b'/' | b'\\' | b':' => PATH,
            b'(' | b'"' | b'\'' => BRACKET,
            b'!'..=b'~' => 0,
            _ => NOT_GRAPHIC,
        };
        byte += 1;
    }
    kinds
}

/// The kinds of bytes that a value holds.
pub(crate) fn kinds_in(value: &str) -> u8 {
    value.bytes().fold(0, |kinds, byte| {
        kinds | KINDS.get(usize::from(byte)).copied().unwrap_or(0)
    })
}

/// Whether a value begins with one of these, ASCII case regarded.
pub(crate) fn begins_with_any(value: &str, beginnings: &[&str]) -> bool {
    let first = value.as_bytes().first();
    beginnings
        .iter()
        .any(|one| one.as_bytes().first() == first && value.starts_with(one))
}
