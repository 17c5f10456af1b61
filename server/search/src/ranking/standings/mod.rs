//! How the outcomes of records enter the rank: they scale the relevance by which a record is placed. The relevance that
//! is shown stays the same.

use uuid::Uuid;

use super::fuse::scaled_distance;

/// What the outcomes of records make of their relevance in the rank.
#[derive(Clone, Copy)]
pub struct Standings<'a> {
    /// The factor of a record: 1 without outcomes.
    pub factor: &'a (dyn Fn(Uuid) -> f32 + Sync),
    /// The largest factor.
    pub most: f32,
}

/// Places records by their scaled relevance.
pub(crate) struct Placement<'a> {
    standings: Option<Standings<'a>>,
    /// The most that a factor multiplies a closeness with.
    pub(crate) most: f32,
}

impl<'a> Placement<'a> {
    pub(crate) fn by(standings: Option<Standings<'a>>) -> Self {
        let most = standings.map_or(1.0, |standings| standings.most.max(1.0));
        Self {
            standings,
            // A record gains most if it just becomes as relevant as the first record.
            most: match most > 1.0 {
                true => scaled_distance(0.0, most.recip()).exp(),
                false => 1.0,
            },
        }
    }

    /// Returns the relevance, at most 1, and the closeness by which a record is placed.
    pub(crate) fn place(&self, id: Uuid, relevance: f32, closeness: f32) -> (f32, f32) {
        let factor = self
            .standings
            .map_or(1.0, |standings| (standings.factor)(id));
        // Nothing is computed without outcomes, so that nothing is rounded differently.
        if factor == 1.0 || relevance <= 0.0 {
            return (relevance, closeness);
        }
        let factor = factor.min(relevance.recip());
        let distance = scaled_distance(-closeness.ln(), factor);
        (relevance * factor, (-distance).exp())
    }
}

#[cfg(test)]
mod tests;
