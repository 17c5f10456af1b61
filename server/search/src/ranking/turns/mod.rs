//! Turns of a conversation: the turns around a record count for it.
//!
//! A turn often answers a question that another turn asks, in words that make sense only beside it. So a turn's
//! vector is combined with those of its neighbours, its words with theirs, and a turn near one with a high order
//! score is raised. Records that are not turns of a conversation are not changed.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::fuse::Evidence;
use crate::text::{TextScore, TextScores};

/// The number of turns before and after a turn that count for it.
pub const NEIGHBOURS: usize = 5;
/// The number of records nearest in meaning, and of those nearest by words, among which turns are searched for.
const SEEDS: usize = 64;
/// The weights of the vectors of the turns before and after a turn, the nearest first.
const MEANING: [&[f32]; 2] = [&[0.25, 0.15], &[0.15, 0.1]];
/// The weights of their words.
const WORDS: [&[f32]; 2] = [&[0.2, 0.1], &[0.1]];
/// The weight of the best turn nearby, relative to the turn itself.
const NEAR: f32 = 0.5;
/// About the cosine of consecutive turns.
const ALIKE: f32 = 0.25;

/// The records before and after a record in its conversation, the nearest first; empty for a record that is not
/// a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// Those before it.
    pub before: Vec<Uuid>,
    /// Those after it.
    pub after: Vec<Uuid>,
}

/// Returns the records around a record in its conversation.
pub type Turns<'a> = &'a (dyn Fn(Uuid) -> Around + Sync);

/// The slots before and after a turn, the nearest first; `None` for records that are not in the index.
pub(crate) type Sides = [Vec<Option<u32>>; 2];

/// The turns that can matter to a query, with the turns around each.
#[derive(Default)]
pub(crate) struct Conversation(HashMap<u32, Sides>);

impl Conversation {
    /// Collects the turns among the records nearest by meaning and by words, and the turns around those.
    pub(crate) fn of(
        scores: &[TextScore],
        cosines: &[f32],
        around: &dyn Fn(u32) -> Option<Sides>,
    ) -> Self {
        let by_words = scores.iter().map(|found| (found.score, found.slot));
        let by_meaning = (0..).zip(cosines).map(|(slot, cosine)| (*cosine, slot));
        let seeds = largest(by_words).chain(largest(by_meaning.filter(|(c, _)| !c.is_nan())));
        let mut turns = HashMap::new();
        let mut wanted: HashSet<u32> = HashSet::new();
        for slot in seeds {
            if let Some(sides) = around(slot) {
                wanted.extend(sides.iter().flatten().flatten());
                turns.insert(slot, sides);
            }
        }
        for slot in wanted {
            if !turns.contains_key(&slot)
                && let Some(sides) = around(slot)
            {
                turns.insert(slot, sides);
            }
        }
        Self(turns)
    }

    /// Returns whether there are no turns.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces each turn's cosine with that to the sum of its vector and its neighbours' vectors, if they have
    /// any.
    pub(crate) fn blend(&self, cosines: &mut [f32]) {
        let of_slot = |slot: u32| {
            let cosine = cosines.get(slot as usize).copied();
            cosine.filter(|cosine| !cosine.is_nan())
        };
        let blended = self.0.iter().filter_map(|(slot, sides)| {
            let (mut sum, mut weights, mut squares) = (of_slot(*slot)?, 1.0, 1.0);
            for (weight, neighbour) in weighted(sides, MEANING) {
                if let Some(cosine) = of_slot(neighbour) {
                    sum += weight * cosine;
                    weights += weight;
                    squares += weight * weight;
                }
            }
            // The length of the weighted sum of unit vectors with the cosine [`ALIKE`] to each other.
            let length = ((1.0 - ALIKE) * squares + ALIKE * weights * weights).sqrt();
            Some((*slot, sum / length))
        });
        let blended: Vec<(u32, f32)> = blended.collect();
        for (slot, cosine) in blended {
            if let Some(place) = cosines.get_mut(slot as usize) {
                *place = cosine;
            }
        }
    }

    /// Adds to each turn's score a share of its neighbours' scores.
    pub(crate) fn add_words(&self, scores: &mut TextScores) {
        let own: HashMap<u32, f32> = scores
            .scores
            .iter()
            .map(|found| (found.slot, found.score))
            .collect();
        let mut more: HashMap<u32, f32> = HashMap::new();
        for (slot, sides) in &self.0 {
            let around = weighted(sides, WORDS);
            let added = around.map(|(weight, neighbour)| {
                weight * own.get(&neighbour).copied().unwrap_or_default()
            });
            let added: f32 = added.sum();
            if added > 0.0 {
                more.insert(*slot, added);
            }
        }
        for found in &mut scores.scores {
            found.score += more.remove(&found.slot).unwrap_or_default();
        }
        let only_around = more.into_iter().map(|(slot, score)| TextScore {
            slot,
            score,
            exact: 0.0,
            has_all_terms: false,
        });
        scores.scores.extend(only_around);
    }

    /// Raises the order scores of turns near one with a higher score. The scores are taken relative to
    /// `without`, the order score of a record without any evidence; the highest one does not change.
    pub(crate) fn raise(&self, records: &mut [Evidence], without: f32) {
        let above: HashMap<u32, f32> = records
            .iter()
            .filter(|record| self.0.contains_key(&record.slot))
            .map(|record| (record.slot, record.order - without))
            .collect();
        for record in records {
            let Some(sides) = self.0.get(&record.slot) else {
                continue;
            };
            let own = record.order - without;
            let near = sides.iter().flatten().flatten();
            let best = near.filter_map(|slot| above.get(slot)).copied();
            let best = best.fold(own, f32::max);
            record.order = without + (own + NEAR * best) / (1.0 + NEAR);
        }
    }
}

/// Returns the neighbours that are in the index, each with its weight.
fn weighted(sides: &Sides, weights: [&'static [f32]; 2]) -> impl Iterator<Item = (f32, u32)> {
    sides.iter().zip(weights).flat_map(|(side, weights)| {
        let both = weights.iter().zip(side);
        both.filter_map(|(weight, slot)| Some((*weight, (*slot)?)))
    })
}

/// Returns the slots with the largest values.
fn largest(figures: impl Iterator<Item = (f32, u32)>) -> impl Iterator<Item = u32> {
    let mut all: Vec<(f32, u32)> = figures.collect();
    if all.len() > SEEDS {
        all.select_nth_unstable_by(SEEDS, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.truncate(SEEDS);
    }
    all.into_iter().map(|(_, slot)| slot)
}

#[cfg(test)]
mod tests;
