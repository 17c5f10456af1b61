//! Embeddings as one signed byte per dimension with a scale per vector, compared by brute force.

/// Bytes of a stored vector before its dimensions: the scale.
const HEADER: usize = 4;

/// Quantises an embedding for storage.
///
/// *Shape*: `4 + n` bytes: the scale as little-endian `f32`, then one `i8` per dimension, so that
/// `value ≈ scale · byte`.
pub fn quantize(embedding: &[f32]) -> Vec<u8> {
    let largest = embedding.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    let mut bytes = Vec::with_capacity(HEADER + embedding.len());
    bytes.extend_from_slice(&scale.to_le_bytes());
    bytes.extend(
        embedding
            .iter()
            .map(|x| ((x / scale).round() as i8).to_le_bytes()[0]),
    );
    bytes
}

/// The vectors of all records, by slot; the first vector that comes sets the dimensions.
#[derive(Default)]
pub(super) struct Vectors {
    dimensions: usize,
    rows: Vec<i8>,
    /// Scale over length of the quantised row; 0 where a record has no vector.
    factors: Vec<f32>,
}

impl Vectors {
    /// Sets the vector of a slot from its stored bytes; absent or of another size means none.
    pub(super) fn put(&mut self, slot: u32, stored: Option<&[u8]>) {
        let slot = slot as usize;
        let row = stored
            .and_then(|bytes| bytes.get(HEADER..))
            .filter(|row| !row.is_empty());
        if self.dimensions == 0 {
            self.dimensions = row.map_or(0, <[u8]>::len);
        }
        self.factors.resize(self.factors.len().max(slot + 1), 0.0);
        self.rows.resize(self.factors.len() * self.dimensions, 0);
        let row = row.filter(|row| row.len() == self.dimensions);
        let Some(factor) = self.factors.get_mut(slot) else {
            return;
        };
        *factor = 0.0;
        let Some(row) = row else { return };
        let Some(place) = self
            .rows
            .get_mut(slot * self.dimensions..(slot + 1) * self.dimensions)
        else {
            return;
        };
        let mut square = 0.0_f64;
        for (to, from) in place.iter_mut().zip(row) {
            *to = i8::from_le_bytes([*from]);
            square += f64::from(*to).powi(2);
        }
        if square > 0.0 {
            *factor = square.sqrt().recip() as f32;
        }
    }

    /// Returns how many records have a vector.
    pub(super) fn count(&self) -> usize {
        self.factors.iter().filter(|factor| **factor > 0.0).count()
    }

    /// Returns the cosine of every slot to an L2-normalised embedding; `NaN` where there is none.
    pub(super) fn cosines(&self, query: &[f32]) -> Vec<f32> {
        if query.len() != self.dimensions || self.dimensions == 0 {
            return vec![f32::NAN; self.factors.len()];
        }
        let (query, scale) = fixed_point(query);
        let rows = self.rows.chunks_exact(self.dimensions);
        rows.zip(&self.factors)
            .map(|(row, factor)| {
                if *factor > 0.0 {
                    dot(&query, row) as f32 * scale * factor
                } else {
                    f32::NAN
                }
            })
            .collect()
    }
}

/// Scales an embedding to 16-bit integers, fine enough not to disturb the order of near ties.
fn fixed_point(query: &[f32]) -> (Vec<i16>, f32) {
    let largest = query
        .iter()
        .fold(f32::MIN_POSITIVE, |max, x| max.max(x.abs()));
    let scale = largest / f32::from(i16::MAX / 2);
    (
        query.iter().map(|x| (x / scale).round() as i16).collect(),
        scale,
    )
}

/// Sum of products. With 8-bit rows and half-range 16-bit queries 384 dimensions stay below 2^31;
/// more dimensions are summed in blocks.
fn dot(query: &[i16], row: &[i8]) -> i64 {
    let blocks = query.chunks(384).zip(row.chunks(384));
    blocks
        .map(|(q, r)| {
            i64::from(
                q.iter()
                    .zip(r)
                    .map(|(q, r)| i32::from(*q) * i32::from(*r))
                    .sum::<i32>(),
            )
        })
        .sum()
}

#[cfg(test)]
mod tests;
