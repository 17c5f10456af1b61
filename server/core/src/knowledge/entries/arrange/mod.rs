//! Groups the results of a search by their links: an entry comes directly before the entries that it
//! supersedes, and entries that contradict each other are adjacent.

use std::collections::{HashMap, HashSet};

use recall_kit_shared_types::knowledge::RelationType;
use recall_kit_store::Link;
use ulid::Ulid;

/// An entry at its position in the results.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arranged {
    pub(super) id: Ulid,
    /// 0–1.
    pub(super) relevance: f32,
    /// The newest entry that supersedes it.
    pub(super) superseded_by: Option<Ulid>,
    pub(super) contradicts: Vec<Ulid>,
}

/// Arranges ranked entries.
///
/// An entry takes the best position of the entries that it supersedes, since it answers the same queries,
/// and they follow it.
pub(super) fn arranged(ranked: &[(Ulid, f32)], links: &[Link]) -> Vec<Arranged> {
    let mut arrangement = Arrangement {
        relevance: ranked.iter().copied().collect(),
        newer: HashMap::new(),
        older: HashMap::new(),
        contradicts: HashMap::new(),
        placed: HashSet::new(),
        order: Vec::with_capacity(ranked.len()),
    };
    for link in links {
        arrangement.add_link(link);
    }
    for (id, _) in ranked {
        let newest = arrangement.newest_found(*id);
        arrangement.place(newest);
    }
    arrangement.order
}

struct Arrangement {
    relevance: HashMap<Ulid, f32>,
    newer: HashMap<Ulid, Vec<Ulid>>,
    older: HashMap<Ulid, Vec<Ulid>>,
    contradicts: HashMap<Ulid, Vec<Ulid>>,
    placed: HashSet<Ulid>,
    order: Vec<Arranged>,
}

impl Arrangement {
    fn add_link(&mut self, link: &Link) {
        let (source, target) = (link.source.0, link.target.0);
        match link.relation {
            RelationType::Supersedes => {
                self.newer.entry(target).or_default().push(source);
                self.older.entry(source).or_default().push(target);
            }
            RelationType::Contradicts => {
                self.contradicts.entry(source).or_default().push(target);
                self.contradicts.entry(target).or_default().push(source);
            }
            RelationType::Related | RelationType::DerivedFrom => {}
        }
    }

    /// Follows the chain of superseding entries as far as they are among the results.
    fn newest_found(&self, id: Ulid) -> Ulid {
        let newer = |id: &Ulid| {
            let newer = self.newer.get(id)?;
            newer
                .iter()
                .rev()
                .find(|id| self.relevance.contains_key(id))
                .copied()
        };
        // There are no cycles; a chain is no longer than the number of results.
        let chain = std::iter::successors(Some(id), newer);
        chain.take(self.relevance.len()).last().unwrap_or(id)
    }

    /// Places an entry, the entries that it supersedes, and those that contradict it.
    fn place(&mut self, first: Ulid) {
        let mut next = vec![first];
        while let Some(id) = next.pop() {
            let Some(own) = self.relevance.get(&id).copied() else {
                continue;
            };
            if !self.placed.insert(id) {
                continue;
            }
            let older = self.older.get(&id).cloned().unwrap_or_default();
            let contradicts = self.contradicts.get(&id).cloned().unwrap_or_default();
            let newer = self.newer.get(&id).and_then(|newer| newer.last()).copied();
            let inherited = older.iter().filter_map(|id| self.relevance.get(id));
            let mut relevance = inherited.copied().fold(own, f32::max);
            if let Some(before) = newer.and_then(|id| self.relevance.get(&id)) {
                relevance = relevance.min(before.max(own));
            }
            self.relevance.insert(id, relevance);
            for old in &older {
                if let Some(old) = self.relevance.get_mut(old) {
                    *old = old.min(relevance);
                }
            }
            // The entry that is pushed last is placed next.
            next.extend(contradicts.iter().rev());
            next.extend(older.iter().rev());
            self.order.push(Arranged {
                id,
                relevance,
                superseded_by: newer,
                contradicts,
            });
        }
    }
}

#[cfg(test)]
mod tests;
