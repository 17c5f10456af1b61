//! Embeddings with one signed byte per dimension, compared by brute force.
//!
//! A record has a vector for each passage of its text, and its cosine to a query is that of the most similar
//! passage. `core` decides which passages there are.
//!
//! With many passages, the cosines are first estimated from the signs alone. They are computed exactly only for
//! the records with the best estimates and those that the caller names; which records these are does not depend
//! on the requested page.

mod check;
mod kernel;
mod rows;
mod signs;

pub use self::check::{UnfitVector, check_stored};
use self::{
    kernel::Kernel,
    signs::{Signs, error_variance},
};
pub(super) use self::{kernel::LANES, rows::Rows};

/// Bytes of a stored vector before its passages: the number of dimensions.
const HEADER: usize = 2;
/// Bytes of a stored passage before its values: the scale.
const SCALE: usize = 4;
/// The number of dead passages from which removing them pays off.
const DEAD_LIMIT: usize = 10_000;
/// The number of passages that are multiplied at a time.
const BATCH: usize = 256;
/// The number of passages from which cosines are estimated first.
const ESTIMATED_FROM: usize = 30_000;
/// The number of records whose cosines are then computed exactly: more than anybody pages through, and enough
/// that an estimate never hides one of the best.
pub(super) const EXACT: usize = 4_096;
/// The smallest ratio of spreads that is returned; below it, estimates are only errors.
const LEAST_SPREAD: f32 = 0.01;
/// The number of values that are sampled to find a threshold for the largest.
const SAMPLE: usize = 16_384;

/// Quantises the embeddings of a record's passages for storage; those with another number of dimensions than the
/// first are left out.
///
/// *Shape*: the number of dimensions `n` as little-endian `u16`, then for every passage `4 + n` bytes: its scale
/// as little-endian `f32` and one `i8` per dimension, so that `value ≈ scale · byte`.
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

/// Returns the number of dimensions of a stored vector and its passages; `None` for bytes that [`quantize`] did
/// not write.
fn stored_passages(stored: &[u8]) -> Option<(usize, impl Iterator<Item = &[u8]>)> {
    let (size, passages) = stored.split_first_chunk::<HEADER>()?;
    let dimensions = usize::from(u16::from_le_bytes(*size));
    let passages = passages.chunks_exact(SCALE + dimensions);
    let is_complete = dimensions > 0 && passages.remainder().is_empty();
    let has_scale = |passage: &[u8]| {
        let scale = passage
            .first_chunk()
            .map(|bytes| f32::from_le_bytes(*bytes));
        scale.is_some_and(|scale| scale.is_finite() && scale > 0.0)
    };
    (is_complete && passages.clone().all(has_scale)).then(|| {
        (
            dimensions,
            passages.filter_map(|passage| passage.get(SCALE..)),
        )
    })
}

/// Returns the embedding of a stored vector's first passage, L2-normalised; `None` if there is none.
pub fn first_passage(stored: &[u8]) -> Option<Vec<f32>> {
    let (_, mut passages) = stored_passages(stored)?;
    normalized(passages.next()?)
}

/// Returns the embeddings of a stored vector's passages, L2-normalised; empty for bytes that [`quantize`] did
/// not write.
pub fn passages(stored: &[u8]) -> Vec<Vec<f32>> {
    let passages = stored_passages(stored).map(|(_, passages)| passages);
    passages
        .into_iter()
        .flatten()
        .filter_map(normalized)
        .collect()
}

/// Returns the embedding of a passage's bytes, L2-normalised; `None` if they are all zero.
fn normalized(passage: &[u8]) -> Option<Vec<f32>> {
    let values = passage.iter().map(|byte| f32::from(byte.cast_signed()));
    let values: Vec<f32> = values.collect();
    let length = values.iter().map(|x| x * x).sum::<f32>().sqrt();
    (length > 0.0).then(|| values.into_iter().map(|x| x / length).collect())
}

/// The range of one record's passages, which are contiguous.
#[derive(Clone, Copy, Default)]
struct Place {
    first: usize,
    count: usize,
}

/// The vectors of all records; the first vector sets the number of dimensions.
pub(super) struct Vectors {
    kernel: Kernel,
    dimensions: usize,
    rows: Rows,
    signs: Signs,
    passages: Vec<Passage>,
    /// Per slot.
    places: Vec<Place>,
    /// The number of slots with a vector.
    count: usize,
    /// The number of passages that no longer belong to a record.
    dead: usize,
}

/// The metadata of a passage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) slot: u32,
    /// One divided by the length of the quantised vector; `NaN` if the passage no longer belongs to a record.
    pub(super) factor: f32,
}

impl Passage {
    /// Returns whether it belongs to a record.
    pub(super) fn is_alive(&self) -> bool {
        !self.factor.is_nan()
    }
}

/// A snapshot of all vectors, to be written to a file.
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
    /// Creates it from the contents of a file, in which the passages of a slot are contiguous.
    pub(super) fn of(image: Image) -> Self {
        let mut vectors = Self {
            kernel: Kernel::best(),
            dimensions: image.dimensions,
            signs: Signs::default(),
            rows: image.rows,
            dead: image.passages.iter().filter(|p| !p.is_alive()).count(),
            passages: image.passages,
            places: Vec::new(),
            count: 0,
        };
        vectors.compute_signs();
        vectors.find_places();
        vectors
    }

    /// Returns a snapshot, without copying much.
    pub(super) fn image(&self) -> Image {
        Image {
            dimensions: self.dimensions,
            passages: self.passages.clone(),
            rows: self.rows.clone(),
        }
    }

    /// Sets the vector of a slot from its stored bytes. Missing or damaged bytes, or another number of
    /// dimensions, leave the slot without a vector.
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

    /// Returns the embedding of the first passage in a slot, L2-normalised; `None` if there is none.
    pub(super) fn first_passage(&self, slot: u32) -> Option<Vec<f32>> {
        let place = self.places.get(slot as usize).filter(|p| p.count > 0)?;
        let width = self.dimensions.div_ceil(LANES);
        let row = self.rows.rows(place.first, 1, width).next()?;
        normalized(row.as_flattened().get(..self.dimensions)?)
    }

    /// Fills `cosines` with the cosine of every slot to an L2-normalised embedding: that of its best passage,
    /// `NaN` without one. With many passages, it is the value expected from an estimate for all slots but the
    /// first [`EXACT`] and the `wanted`.
    ///
    /// Returns the spread of the cosines as a share of the spread that exact cosines would have.
    pub(super) fn cosines(
        &self,
        query: &[f32],
        wanted: impl Iterator<Item = u32>,
        cosines: &mut Vec<f32>,
    ) -> f32 {
        cosines.clear();
        cosines.resize(self.places.len(), f32::NAN);
        if query.len() != self.dimensions || self.dimensions == 0 {
            return 1.0;
        }
        if self.passages.len() < ESTIMATED_FROM {
            self.exact(query, cosines);
            return 1.0;
        }
        let mut passages = self.passages.iter();
        self.signs.estimates(query, |estimate| {
            let passage = passages.next().filter(|passage| passage.is_alive());
            if let Some(best) = passage.and_then(|p| cosines.get_mut(p.slot as usize)) {
                *best = best.max(estimate);
            }
        });
        let sample = sampled(cosines.iter().copied());
        let least = least_of_largest(sample.clone(), cosines.len());
        let (mean, expected) = expectation(&sample, self.dimensions);
        let mut first: Vec<u32> = wanted.collect();
        for (slot, cosine) in (0..).zip(cosines.iter_mut()) {
            if *cosine >= least {
                first.push(slot);
            }
            *cosine = mean + (*cosine - mean) * expected;
        }
        self.replace(query, first, cosines);
        // The expected values do not contain the errors of the estimates.
        expected.max(LEAST_SPREAD).sqrt()
    }

    /// Fills in the exact cosines of all passages.
    fn exact(&self, query: &[f32], cosines: &mut [f32]) {
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
                    // `max` returns the number if the other value is `NaN`.
                    *best = best.max(*product as f32 * scale * passage.factor);
                }
            }
        }
    }

    /// Replaces the cosines of some slots with exact ones.
    fn replace(&self, query: &[f32], mut slots: Vec<u32>, cosines: &mut [f32]) {
        slots.sort_unstable();
        slots.dedup();
        let (query, scale) = fixed_point(query);
        for slot in slots.into_iter().map(|slot| slot as usize) {
            let place = self.places.get(slot).copied().unwrap_or_default();
            let mut exact = f32::NAN;
            let rows = self.rows.rows(place.first, place.count, query.len());
            for (passage, row) in self.passages.iter().skip(place.first).zip(rows) {
                let mut product = [0];
                self.kernel.products(&query, row, &mut product);
                let [product] = product;
                exact = exact.max(product as f32 * scale * passage.factor);
            }
            if let Some(cosine) = cosines.get_mut(slot) {
                *cosine = exact;
            }
        }
    }

    /// Removes the vector of a slot; the slot may be new.
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

    /// Appends a passage; one with only zeros has no direction and is left out.
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
        self.signs.push(self.rows.push(bytes));
    }

    /// Computes the signs of all rows.
    fn compute_signs(&mut self) {
        let mut signs = Signs::default();
        let width = self.dimensions.div_ceil(LANES).max(1);
        for row in self.rows.batches(width).take(self.passages.len()) {
            signs.push(row);
        }
        self.signs = signs;
    }

    /// Removes the passages that no longer belong to a record.
    fn compact(&mut self) {
        let mut rows = Rows::default();
        let old = self.rows.batches(self.dimensions.div_ceil(LANES));
        for (_, row) in self.passages.iter().zip(old).filter(|(p, _)| p.is_alive()) {
            rows.push(row.as_flattened());
        }
        self.rows = rows;
        self.passages.retain(Passage::is_alive);
        self.dead = 0;
        self.compute_signs();
        self.find_places();
    }

    /// Computes the range of passages of each slot.
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

/// Returns an evenly spaced sample of the values, without `NaN`.
pub(super) fn sampled(values: impl ExactSizeIterator<Item = f32>) -> Vec<f32> {
    let every = values.len().div_ceil(SAMPLE).max(1);
    let sample = values.step_by(every);
    sample.filter(|value| !value.is_nan()).collect()
}

/// Returns a threshold that about [`EXACT`] of `count` values reach, from a sample of them.
pub(super) fn least_of_largest(mut sample: Vec<f32>, count: usize) -> f32 {
    let share = EXACT as f64 / count.max(1) as f64;
    let place = (sample.len() as f64 * share) as usize;
    if place >= sample.len() {
        return f32::MIN;
    }
    let (_, least, _) = sample.select_nth_unstable_by(place, |a, b| b.total_cmp(a));
    *least
}

/// Returns the mean of the estimates, and the factor by which an estimate's distance from it shrinks in the
/// expected cosine: errors spread the estimates, but not the cosines.
fn expectation(sample: &[f32], dimensions: usize) -> (f32, f32) {
    let count = sample.len().max(1) as f32;
    let mean = sample.iter().sum::<f32>() / count;
    let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / count;
    let share = 1.0 - error_variance(dimensions) / variance.max(f32::MIN_POSITIVE);
    (mean, share.max(0.0))
}

/// Scales an embedding to 16-bit integers: fine enough not to change the order of near ties, and small enough
/// that no sum of products with bytes exceeds 2^31.
fn fixed_point(query: &[f32]) -> (Vec<[i16; LANES]>, f32) {
    let (largest, sum) = query
        .iter()
        .fold((f32::MIN_POSITIVE, 0.0_f32), |(max, sum), x| {
            (max.max(x.abs()), sum + x.abs())
        });
    // Half of each range, against rounding.
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
