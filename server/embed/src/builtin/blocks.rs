//! Unpacks 4-bit blocks (ggml's `Q4_0`): an f16 scale and 32 nibbles, value = (nibble − 8) × scale.

use super::model_file::{BLOCK, BLOCK_BYTES};

/// Writes the values of a row of blocks; `row` has 32 values for each block of 18 bytes.
#[inline(always)]
pub(super) fn dequantise(blocks: &[u8], row: &mut [f32]) {
    let (blocks, _) = blocks.as_chunks::<BLOCK_BYTES>();
    let (rows, _) = row.as_chunks_mut::<BLOCK>();
    for (block, row) in blocks.iter().zip(rows) {
        let [low, high, nibbles @ ..] = block;
        let scale = f32_from_f16(u16::from_le_bytes([*low, *high]));
        let (first, second) = row.split_at_mut(BLOCK / 2);
        for ((pair, low), high) in nibbles.iter().zip(first).zip(second) {
            *low = (f32::from(pair & 15) - 8.0) * scale;
            *high = (f32::from(pair >> 4) - 8.0) * scale;
        }
    }
}

/// Converts an IEEE 754 half-precision number, given by its bits.
pub(super) fn f32_from_f16(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10) & 31;
    let fraction = u32::from(half & 0x3ff);
    let magnitude = match exponent {
        // Subnormal: a multiple of 2⁻²⁴.
        0 => (f32::from(half & 0x3ff) / 16_777_216.0).to_bits(),
        31 => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}
