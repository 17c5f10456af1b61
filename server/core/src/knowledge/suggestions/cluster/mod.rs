//! Clusters of entries about the same thing, which grow entry by entry.
//!
//! An entry joins a cluster if it is similar to all members on average. An entry that is similar to a
//! single member, and so might chain two topics together, does not join.

use std::collections::{HashMap, HashSet};

use recall_kit_store::{Cluster, SuggestionStatus};
use ulid::Ulid;

use super::alike::cosine;

/// The fewest entries that are generalised.
const LEAST_ENTRIES: usize = 3;
/// The most entries that are generalised together.
const MOST_ENTRIES: usize = 20;

/// An entry with its vector.
pub(super) struct Member<'a> {
    pub(super) id: Ulid,
    /// L2-normalised.
    pub(super) vector: &'a [f32],
}

/// A cluster that an entry belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grown {
    /// The pending suggestion that it extends, if it is not new.
    pub(super) pending: Option<Ulid>,
    /// All entries, in order of their ids.
    pub(super) entries: Vec<Ulid>,
    /// Their average cosine.
    pub(super) cosine: f32,
}

/// Finds the cluster of a new entry: the pending one that is most similar to it, or a new one with
/// neighbours that are in none. `least` is the minimum average cosine to the members. Entries that were
/// together in a decided suggestion are not put together again.
pub(super) fn grow(
    new: &Member<'_>,
    vectors: &HashMap<Ulid, Vec<f32>>,
    known: &[Cluster],
    least: f32,
) -> Option<Grown> {
    let is_pending = |cluster: &&Cluster| cluster.status == SuggestionStatus::Pending;
    let decided: Vec<&Cluster> = known.iter().filter(|known| !is_pending(known)).collect();
    let pending = known.iter().filter(is_pending);
    if pending.clone().any(|known| known.entries.contains(&new.id)) {
        return None;
    }
    let together = Together {
        new,
        vectors,
        decided: &decided,
    };
    let joined = pending
        .clone()
        .filter(|known| known.entries.len() < MOST_ENTRIES)
        .filter_map(|known| Some((together.likeness(new.id, &known.entries)?, known)))
        .filter(|(likeness, _)| *likeness >= least)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let (pending_id, mut entries) = match joined {
        Some((_, known)) => {
            let mut entries = known.entries.clone();
            entries.push(new.id);
            (Some(known.id), entries)
        }
        None => {
            let taken: HashSet<Ulid> = pending.flat_map(|known| known.entries.clone()).collect();
            (None, together.begin(&taken, least)?)
        }
    };
    entries.sort_unstable();
    Some(Grown {
        cosine: together.cohesion(&entries),
        pending: pending_id,
        entries,
    })
}

/// The entries to compare.
struct Together<'a> {
    new: &'a Member<'a>,
    vectors: &'a HashMap<Ulid, Vec<f32>>,
    decided: &'a [&'a Cluster],
}

impl Together<'_> {
    fn vector(&self, id: Ulid) -> Option<&[f32]> {
        if id == self.new.id {
            return Some(self.new.vector);
        }
        self.vectors.get(&id).map(Vec::as_slice)
    }

    /// Returns the average cosine of an entry to some others; `None` if they were together in a decided
    /// suggestion.
    fn likeness(&self, id: Ulid, others: &[Ulid]) -> Option<f32> {
        let was_together = self.decided.iter().any(|cluster| {
            cluster.entries.contains(&id) && others.iter().any(|id| cluster.entries.contains(id))
        });
        if was_together {
            return None;
        }
        let own = self.vector(id)?;
        let cosines = others
            .iter()
            .filter_map(|id| Some(cosine(own, self.vector(*id)?)));
        Some(mean(cosines))
    }

    /// Begins a cluster with the new entry: repeatedly adds the neighbour that is most similar to all
    /// members, as long as one is similar enough.
    fn begin(&self, taken: &HashSet<Ulid>, least: f32) -> Option<Vec<Ulid>> {
        let mut entries = vec![self.new.id];
        let mut free: Vec<Ulid> = self.vectors.keys().copied().collect();
        free.retain(|id| !taken.contains(id));
        // Ordered by time, so that the result does not depend on the order of the map.
        free.sort_unstable();
        while entries.len() < MOST_ENTRIES {
            let likenesses = free.iter().enumerate().filter_map(|(at, id)| {
                let likeness = self.likeness(*id, &entries)?;
                (likeness >= least).then_some((likeness, at))
            });
            let Some((_, at)) = likenesses.max_by(|(a, _), (b, _)| a.total_cmp(b)) else {
                break;
            };
            entries.push(free.remove(at));
        }
        (entries.len() >= LEAST_ENTRIES).then_some(entries)
    }

    /// Returns the average cosine of all pairs of entries.
    fn cohesion(&self, entries: &[Ulid]) -> f32 {
        let vectors: Vec<&[f32]> = entries.iter().filter_map(|id| self.vector(*id)).collect();
        let pairs = vectors.iter().enumerate().flat_map(|(at, a)| {
            let rest = vectors.iter().skip(at + 1);
            rest.map(move |b| cosine(a, b))
        });
        mean(pairs)
    }
}

fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0.0_f32), |(sum, n), value| (sum + value, n + 1.0));
    sum / count.max(1.0)
}

#[cfg(test)]
mod tests;
