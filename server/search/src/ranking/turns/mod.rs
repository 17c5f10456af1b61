//! Turns of a conversation: what was said around a record counts for it.
//!
//! A turn often answers a question that another one asks, in words that make sense only beside it. So a
//! turn's vector is taken together with those of its neighbours, its words with theirs, and a turn stands
//! higher where one near it stands high. Records that are no turns of a conversation are left as they are.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::fuse::Evidence;
use crate::text::{TextScore, TextScores};

/// How many turns before and after one count for it.
pub const NEIGHBOURS: usize = 5;
/// Records from which turns are looked for: so many that are nearest in meaning, and as many by words.
const SEEDS: usize = 64;
/// What the vectors of the turns before and after one count, the nearest first.
const MEANING: [&[f32]; 2] = [&[0.25, 0.15], &[0.15, 0.1]];
/// What their words count.
const WORDS: [&[f32]; 2] = [&[0.2, 0.1], &[0.1]];
/// What the best turn near one counts beside itself.
const NEAR: f32 = 0.5;
/// Cosine of turns that follow each other, about.
const ALIKE: f32 = 0.25;

/// The records that stand before and after one in a conversation, the nearest first; none of a record
/// that is no turn of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// Those before it.
    pub before: Vec<Uuid>,
    /// Those after it.
    pub after: Vec<Uuid>,
}

/// Says of a record what stands around it.
pub type Turns<'a> = &'a (dyn Fn(Uuid) -> Around + Sync);

/// The slots before and after a turn, the nearest first; those of records that are not here are empty.
pub(crate) type Sides = [Vec<Option<u32>>; 2];

/// The turns that can matter to a query, with what stands around each.
#[derive(Default)]
pub(crate) struct Conversation(HashMap<u32, Sides>);

impl Conversation {
    /// Looks for turns among the records nearest by meaning and by words, and around these.
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

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes each turn's cosine that to the sum of its vector and its neighbours', as far as they have one.
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
            // The length of a sum of unit vectors that are so much alike.
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

    /// Adds to each turn's score a part of its neighbours'.
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
            is_whole: false,
        });
        scores.scores.extend(only_around);
    }

    /// Raises turns near one that stands higher, relative to where a record without any evidence would
    /// stand; the highest stays where it is.
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

/// Returns the neighbours that are here, each with its weight.
fn weighted(sides: &Sides, weights: [&'static [f32]; 2]) -> impl Iterator<Item = (f32, u32)> {
    sides.iter().zip(weights).flat_map(|(side, weights)| {
        let both = weights.iter().zip(side);
        both.filter_map(|(weight, slot)| Some((*weight, (*slot)?)))
    })
}

/// Returns the slots with the largest figures.
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
