//! Scaled dot-product attention in f32, one head at a time.
//!
//! The queries are in the lanes: a row of scores belongs to one key and has a number for every query. So keys
//! and values enter as scalar factors, softmax is computed down the columns, and every inner loop is a weighted
//! sum of rows.

use super::math::{LANES, softmax_columns};

/// The width of a head.
pub(super) const HEAD: usize = 32;
/// The number of queries that are processed together, so that the scores of a long text stay in the cache.
const QUERIES: usize = 64;
/// The number of rows that are added in one pass.
const TERMS: usize = 4;

/// Work buffers, reused by all heads and layers.
#[derive(Debug, Default)]
pub(super) struct Attention {
    /// (`HEAD`, queries)
    queries: Vec<f32>,
    /// (tokens rounded up to `TERMS`, queries)
    scores: Vec<f32>,
    /// (`HEAD`, queries)
    mixed: Vec<f32>,
}

/// The projections of all tokens, and the current head.
#[derive(Clone, Copy)]
struct Head<'a> {
    /// (tokens, 3 × hidden): query, key and value of every head side by side.
    projected: &'a [f32],
    hidden: usize,
    /// The first component of the head.
    offset: usize,
}

#[derive(Clone, Copy)]
enum Part {
    Query,
    Key,
    Value,
}

impl<'a> Head<'a> {
    /// Returns one part of the head for each token.
    #[inline(always)]
    fn rows(self, part: Part) -> impl Iterator<Item = &'a [f32; HEAD]> {
        let start = self.offset + self.hidden * part as usize;
        let rows = self.projected.chunks_exact(3 * self.hidden);
        rows.filter_map(move |row| row.get(start..)?.first_chunk())
    }
}

impl Attention {
    /// Computes for every token the sum of all values, weighted by how well their keys match the token's query.
    ///
    /// `projected` is (tokens, 3 × `hidden`): query, key and value of every head side by side;
    /// `context` is (tokens, `hidden`) and is overwritten.
    #[inline(always)]
    pub(super) fn run(&mut self, projected: &[f32], hidden: usize, context: &mut [f32]) {
        for offset in (0..hidden).step_by(HEAD) {
            let head = Head {
                projected,
                hidden,
                offset,
            };
            for (chunk, context) in context.chunks_mut(QUERIES * hidden).enumerate() {
                let width = (context.len() / hidden).next_multiple_of(LANES);
                self.load(head, chunk * QUERIES, width);
                self.score(head, width);
                self.mix(head, width);
                for (lane, row) in context.chunks_exact_mut(hidden).enumerate() {
                    let components = row.iter_mut().skip(offset);
                    for (x, mixed) in components.zip(self.mixed.chunks_exact(width)) {
                        *x = mixed.get(lane).copied().unwrap_or_default();
                    }
                }
            }
        }
    }

    /// Arranges the queries from token `first` on side by side, scaled by 1/√`HEAD`.
    #[inline(always)]
    fn load(&mut self, head: Head<'_>, first: usize, width: usize) {
        self.queries.clear();
        self.queries.resize(HEAD * width, 0.0);
        let rows = head.rows(Part::Query).skip(first).take(width);
        for (lane, query) in rows.enumerate() {
            for (row, x) in self.queries.chunks_exact_mut(width).zip(query) {
                if let Some(place) = row.get_mut(lane) {
                    *place = x * (HEAD as f32).sqrt().recip();
                }
            }
        }
    }

    /// Computes softmax weights from the scores of every key for every query; they sum to 1 for each query.
    #[inline(always)]
    fn score(&mut self, head: Head<'_>, width: usize) {
        let tokens = head.projected.len() / (3 * head.hidden);
        self.scores.clear();
        self.scores.resize(tokens * width, 0.0);
        let rows = self.scores.chunks_exact_mut(width);
        for (scores, key) in rows.zip(head.rows(Part::Key)) {
            let queries = self.queries.chunks_exact(TERMS * width);
            for (queries, factors) in queries.zip(key.as_chunks().0) {
                add_weighted(scores, queries, *factors);
            }
        }
        softmax_columns(&mut self.scores, width);
        // Pads with rows of zero weight, so that the values can be read `TERMS` at a time.
        let rows = tokens.next_multiple_of(TERMS);
        self.scores.resize(rows * width, 0.0);
    }

    /// Sums the values with their weights.
    #[inline(always)]
    fn mix(&mut self, head: Head<'_>, width: usize) {
        self.mixed.clear();
        self.mixed.resize(HEAD * width, 0.0);
        let mut values = head.rows(Part::Value);
        for shares in self.scores.chunks_exact(TERMS * width) {
            let values = [(); TERMS].map(|()| values.next().copied().unwrap_or([0.0; HEAD]));
            for (component, mixed) in self.mixed.chunks_exact_mut(width).enumerate() {
                let factors = values.map(|value| value.get(component).copied().unwrap_or_default());
                add_weighted(mixed, shares, factors);
            }
        }
    }
}

/// Adds rows, each as long as `sum` and multiplied by its factor.
#[inline(always)]
fn add_weighted(sum: &mut [f32], rows: &[f32], factors: [f32; TERMS]) {
    let (a, rest) = rows.split_at(sum.len());
    let (b, rest) = rest.split_at(sum.len());
    let (c, d) = rest.split_at(sum.len());
    let [fa, fb, fc, fd] = factors;
    for ((((sum, a), b), c), d) in sum.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *sum += (fa * a + fb * b) + (fc * c + fd * d);
    }
}
