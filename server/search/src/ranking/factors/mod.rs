//! How what is known of records besides their texts enters the rank: whether they helped, and whether they apply to the
//! versions of the one who asks. The relevance that is shown stays the same.
//!
//! A factor scales a record's closeness in evidence, as popularity and recency do, and not its relevance: near the
//! first record relevance hardly falls, so a few percent of it are a whole unit of evidence, and records that helped
//! with other problems would come before an answer that nobody has tried yet. Lowering goes further than raising,
//! since only the record itself loses by it. `docs/design/outcomes.md` and `docs/design/applicability.md` have the
//! figures.

use uuid::Uuid;

use super::{
    alternatives::Fit,
    fuse::{distance, share},
};

/// The power of a factor below 1. With it, the smallest factor moves a record about as far from the first one as it
/// would by scaling its relevance.
const LOWERING: i32 = 4;

/// What moves records among others.
#[derive(Clone, Copy)]
pub struct Factors<'a> {
    /// The factor on the closeness of a record: 1 if nothing is known.
    pub factor: &'a (dyn Fn(Uuid) -> f32 + Sync),
    /// The largest factor.
    pub most: f32,
    /// Whether a record fits the one who asks; `None` if nothing is known of the asker.
    pub fit: Option<&'a (dyn Fn(Uuid) -> Fit + Sync)>,
}

/// Places records by their closeness to the first one and by their factors.
pub(crate) struct Placement<'a> {
    factors: Option<Factors<'a>>,
    /// The most that a factor multiplies a closeness with.
    pub(crate) most: f32,
}

impl<'a> Placement<'a> {
    pub(crate) fn by(factors: Option<Factors<'a>>) -> Self {
        Self {
            factors,
            most: factors.map_or(1.0, |factors| factors.most.max(1.0)),
        }
    }

    /// Returns the closeness by which a record is placed, and the relevance that belongs to it: more than 1 only if
    /// its factor raised it.
    pub(crate) fn place(&self, id: Uuid, relevance: f32, closeness: f32) -> (f32, f32) {
        let factor = self.factors.map_or(1.0, |factors| (factors.factor)(id));
        // Nothing is computed without a factor, so that nothing is rounded differently.
        if factor == 1.0 {
            return (closeness, relevance);
        }
        let placed = moved(closeness, factor);
        let gain = share(-placed.ln()) / share(-closeness.ln());
        (placed, relevance * gain)
    }
}

/// Returns the closeness that a factor makes of another.
fn moved(closeness: f32, factor: f32) -> f32 {
    match factor < 1.0 {
        true => closeness * factor.powi(LOWERING),
        false => closeness * factor,
    }
}

/// Returns the closeness by which a record is placed, from its share, 0–1, of the first record's relevance and from its
/// factor. For simulations.
pub fn placed(share_of_first: f32, factor: f32) -> f32 {
    moved((-distance(share_of_first)).exp(), factor)
}

#[cfg(test)]
mod tests;
