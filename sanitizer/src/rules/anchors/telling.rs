//! Which three bytes of an anchor tell it from other text best.

use recall_kit_evidence::words::wordlike;

use super::gate::fold;

/// The three bytes of an anchor that are least usual, as a number, and where they stand.
pub(super) fn telling(anchor: &[u8]) -> (u8, u32) {
    let mut best = (0, 0, 0);
    for (offset, [first, second, third]) in (0..=u8::MAX - 2).zip(anchor.array_windows()) {
        let three = [fold(*first), fold(*second), fold(*third)];
        let rarity = rarity(three);
        if rarity > best.0 {
            let [first, second, third] = three;
            best = (
                rarity,
                offset,
                u32::from_le_bytes([first, second, third, 0]),
            );
        }
    }
    (best.1, best.2)
}

/// How unusual bytes in a row are in code and prose, in half bits: letters behind letters by those,
/// anything else by itself.
fn rarity(three: [u8; 3]) -> u32 {
    /// The letters of the alphabet.
    const LETTERS: [u8; 26] = [
        9, 13, 11, 11, 8, 12, 13, 12, 9, 19, 15, 10, 11, 9, 9, 12, 19, 9, 9, 8, 11, 15, 14, 14, 14,
        19,
    ];
    let mut half_bits = 0;
    let mut before = None;
    for byte in three {
        let letter = byte.is_ascii_lowercase().then(|| usize::from(byte - b'a'));
        let here = match (before, letter) {
            (Some(before), Some(letter)) => wordlike::half_bits(before, letter),
            (None, Some(letter)) => LETTERS.get(letter).copied().unwrap_or(0),
            (_, None) => match byte {
                b' ' => 5,
                // Line breaks are among them.
                b'*' => 10,
                b'"' | b'(' | b')' | b',' | b'-' | b'.' | b'/' | b':' | 0x7f => 13,
                b'0' | b'=' | b'{' | b'}' => 14,
                b'\'' | b'1' | b'2' | b';' | b'<' | b'>' | b'#' | b'`' => 16,
                _ => 19,
            },
        };
        half_bits += u32::from(here);
        before = letter;
    }
    half_bits
}
