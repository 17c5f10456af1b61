//! Embeddings as one signed byte per dimension, compared by brute force.
//!
//! A record has one vector or several, one for each passage of its text; the passage most like the
//! query speaks for the record. Which passages there are is decided by the service.

mod kernel;
mod rows;

use self::kernel::Kernel;
pub(super) use self::{kernel::LANES, rows::Rows};

/// Bytes of a stored vector before its passages: the dimensions.
const HEADER: usize = 2;
/// Bytes of a stored passage before its dimensions: the scale.
const SCALE: usize = 4;
/// Passages of no record from which making room for others pays.
const DEAD_LIMIT: usize = 10_000;
/// Passages compared between two looks at whose they are.
const BATCH: usize = 256;

/// Quantises the embeddings of a record's passages for storage; those of another size than the
/// first are left out.
///
/// *Shape*: the dimensions `n` as little-endian `u16`, then for every passage `4 + n` bytes: its
/// scale as little-endian `f32` and one `i8` per dimension, so that `value ≈ scale · byte`.
pub fn quantize<Embedding: AsRef<[f32]>>(passages: &[Embedding]) -> Vec<u8> {
    let dimensions = passages.first().map_or(0, |first| first.as_ref().len());
    let Ok(size) = u16::try_from(dimensions) else {
        return Vec::new();
    };
    let mut bytes = Vec::with_capacity(HEADER + passages.len() * (SCALE + dimensions));
    bytes.extend_from_slice(&size.to_le_bytes());
    for embedding in passages.iter().map(AsRef::as_ref) {
        if embedding.len() != dimensions {
            continue;
        }
        let largest = embedding.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        bytes.extend_from_slice(&scale.to_le_bytes());
        let rounded = embedding.iter().map(|x| (x / scale).round() as i8);
        bytes.extend(rounded.map(i8::cast_unsigned));
    }
    bytes
}

/// Returns the dimensions of a stored vector and its passages; `None` for what [`quantize`] did not
/// write.
fn stored_passages(stored: &[u8]) -> Option<(usize, impl Iterator<Item = &[u8]>)> {
    let (size, passages) = stored.split_first_chunk::<HEADER>()?;
    let dimensions = usize::from(u16::from_le_bytes(*size));
    let passages = passages.chunks_exact(SCALE + dimensions);
    let is_whole = dimensions > 0 && passages.remainder().is_empty();
    let has_scale = |passage: &[u8]| {
        let scale = passage
            .first_chunk()
            .map(|bytes| f32::from_le_bytes(*bytes));
        scale.is_some_and(|scale| scale.is_finite() && scale > 0.0)
    };
    (is_whole && passages.clone().all(has_scale)).then(|| {
        (
            dimensions,
            passages.filter_map(|passage| passage.get(SCALE..)),
        )
    })
}

/// Returns the embedding of a stored vector's first passage, L2-normalised; `None` where there is none.
pub fn first_passage(stored: &[u8]) -> Option<Vec<f32>> {
    let (_, mut passages) = stored_passages(stored)?;
    let values = passages
        .next()?
        .iter()
        .map(|byte| f32::from(byte.cast_signed()));
    let values: Vec<f32> = values.collect();
    let length = values.iter().map(|x| x * x).sum::<f32>().sqrt();
    (length > 0.0).then(|| values.into_iter().map(|x| x / length).collect())
}

/// The passages of one record, which lie side by side.
#[derive(Clone, Copy, Default)]
struct Place {
    first: usize,
    count: usize,
}

/// The vectors of all records; the first vector that comes sets the dimensions.
pub(super) struct Vectors {
    kernel: Kernel,
    dimensions: usize,
    rows: Rows,
    passages: Vec<Passage>,
    /// Per slot.
    places: Vec<Place>,
    /// Slots with a vector.
    count: usize,
    /// Passages that are no record's any more.
    dead: usize,
}

/// What is known of a passage besides its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) slot: u32,
    /// One over the length of the quantised vector; `NaN` when it is no record's any more.
    pub(super) factor: f32,
}

impl Passage {
    /// Whether it is a record's.
    pub(super) fn is_alive(&self) -> bool {
        !self.factor.is_nan()
    }
}

/// All vectors as they were at a moment, to be written to a file.
pub(super) struct Image {
    pub(super) dimensions: usize,
    pub(super) passages: Vec<Passage>,
    pub(super) rows: Rows,
}

impl Default for Vectors {
    fn default() -> Self {
        Self::of(Image {
            dimensions: 0,
            passages: Vec::new(),
            rows: Rows::default(),
        })
    }
}

impl Vectors {
    /// Takes over what was in a file, where the passages of a slot lie side by side.
    pub(super) fn of(image: Image) -> Self {
        let mut vectors = Self {
            kernel: Kernel::best(),
            dimensions: image.dimensions,
            rows: image.rows,
            dead: image.passages.iter().filter(|p| !p.is_alive()).count(),
            passages: image.passages,
            places: Vec::new(),
            count: 0,
        };
        vectors.find_places();
        vectors
    }

    /// Returns everything, without copying much.
    pub(super) fn image(&self) -> Image {
        Image {
            dimensions: self.dimensions,
            passages: self.passages.clone(),
            rows: self.rows.clone(),
        }
    }

    /// Sets the vector of a slot from its stored bytes; absent, damaged or of another size means
    /// none.
    pub(super) fn put(&mut self, slot: u32, stored: Option<&[u8]>) {
        self.clear(slot);
        let Some((dimensions, passages)) = stored.and_then(stored_passages) else {
            return;
        };
        if self.dimensions == 0 {
            self.dimensions = dimensions;
        }
        if dimensions != self.dimensions {
            return;
        }
        let first = self.passages.len();
        for passage in passages {
            self.push(slot, passage);
        }
        let count = self.passages.len() - first;
        if let Some(place) = self.places.get_mut(slot as usize).filter(|_| count > 0) {
            *place = Place { first, count };
            self.count += 1;
        }
        if self.dead > DEAD_LIMIT && self.dead > self.passages.len() / 2 {
            self.compact();
        }
    }

    /// Returns how many records have a vector.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Fills `cosines` with the cosine of every slot to an L2-normalised embedding: that of its
    /// best passage, `NaN` where there is none.
    pub(super) fn cosines(&self, query: &[f32], cosines: &mut Vec<f32>) {
        cosines.clear();
        cosines.resize(self.places.len(), f32::NAN);
        if query.len() != self.dimensions || self.dimensions == 0 {
            return;
        }
        let (query, scale) = fixed_point(query);
        let mut products = [0; BATCH];
        let mut passages = self.passages.as_slice();
        for rows in self.rows.batches(BATCH * query.len()) {
            let count = rows.len() / query.len();
            let (batch, rest) = passages.split_at(count.min(passages.len()));
            passages = rest;
            self.kernel.products(&query, rows, &mut products);
            for (passage, product) in batch.iter().zip(&products) {
                if let Some(best) = cosines.get_mut(passage.slot as usize) {
                    // The larger of two numbers, and the number where the other is none.
                    *best = best.max(*product as f32 * scale * passage.factor);
                }
            }
        }
    }

    /// Takes the vector of a slot away, which may be new.
    fn clear(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.places.len() <= slot {
            self.places.resize(slot + 1, Place::default());
        }
        let Some(place) = self.places.get_mut(slot).map(std::mem::take) else {
            return;
        };
        let passages = self.passages.iter_mut().skip(place.first);
        for passage in passages.take(place.count) {
            passage.factor = f32::NAN;
        }
        self.dead += place.count;
        self.count -= usize::from(place.count > 0);
    }

    /// Appends a passage; one of zeros alone is like nothing and is left out.
    fn push(&mut self, slot: u32, bytes: &[u8]) {
        let squares = bytes
            .iter()
            .map(|byte| i32::from(byte.cast_signed()).pow(2));
        let square: i32 = squares.sum();
        if square == 0 {
            return;
        }
        let factor = f64::from(square).sqrt().recip() as f32;
        self.passages.push(Passage { slot, factor });
        self.rows.push(bytes);
    }

    /// Removes the passages that are no record's any more.
    fn compact(&mut self) {
        let mut rows = Rows::default();
        let old = self.rows.batches(self.dimensions.div_ceil(LANES));
        for (_, row) in self.passages.iter().zip(old).filter(|(p, _)| p.is_alive()) {
            rows.push(row.as_flattened());
        }
        self.rows = rows;
        self.passages.retain(Passage::is_alive);
        self.dead = 0;
        self.find_places();
    }

    /// Finds where the passages of each slot are.
    fn find_places(&mut self) {
        self.places.fill(Place::default());
        for (at, passage) in self.passages.iter().enumerate() {
            if !passage.is_alive() {
                continue;
            }
            let slot = passage.slot as usize;
            if self.places.len() <= slot {
                self.places.resize(slot + 1, Place::default());
            }
            if let Some(place) = self.places.get_mut(slot) {
                if place.count == 0 {
                    place.first = at;
                }
                place.count += 1;
            }
        }
        self.count = self.places.iter().filter(|place| place.count > 0).count();
    }
}

/// Scales an embedding to 16-bit integers, fine enough not to disturb the order of near ties, and
/// so that no sum of products with bytes passes 2^31.
fn fixed_point(query: &[f32]) -> (Vec<[i16; LANES]>, f32) {
    let (largest, sum) = query
        .iter()
        .fold((f32::MIN_POSITIVE, 0.0_f32), |(max, sum), x| {
            (max.max(x.abs()), sum + x.abs())
        });
    // Half the range of each, which leaves room for rounding.
    let scale = (largest / f32::from(i16::MAX / 2)).max(sum * 128.0 / (i32::MAX / 2) as f32);
    let rounded = query.chunks(LANES).map(|values| {
        let mut lanes = [0; LANES];
        for (lane, value) in lanes.iter_mut().zip(values) {
            *lane = (value / scale).round() as i16;
        }
        lanes
    });
    (rounded.collect(), scale)
}

#[cfg(test)]
mod tests;
