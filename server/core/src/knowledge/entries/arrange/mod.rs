//! Brings entries of a search together that belong together: what supersedes comes directly before
//! what it supersedes, and those that contradict each other stand side by side.

use std::collections::{HashMap, HashSet};

use recall_kit_shared_types::knowledge::RelationType;
use recall_kit_store::Link;
use ulid::Ulid;

/// An entry in its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arranged {
    pub(super) id: Ulid,
    /// 0–1.
    pub(super) relevance: f32,
    /// The newest entry that supersedes it.
    pub(super) superseded_by: Option<Ulid>,
    pub(super) contradicts: Vec<Ulid>,
}

/// Arranges entries that came best first.
///
/// An entry takes the best place of those it supersedes, as it answers what they answered, and they
/// follow it.
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
        arrangement.note(link);
    }
    for (id, _) in ranked {
        let newest = arrangement.newest_here(*id);
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
    fn note(&mut self, link: &Link) {
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

    /// Follows what supersedes an entry as far as it was found too.
    fn newest_here(&self, id: Ulid) -> Ulid {
        let newer = |id: &Ulid| {
            let newer = self.newer.get(id)?;
            newer
                .iter()
                .rev()
                .find(|id| self.relevance.contains_key(id))
                .copied()
        };
        // There are no circles; a chain is no longer than what was found.
        let chain = std::iter::successors(Some(id), newer);
        chain.take(self.relevance.len()).last().unwrap_or(id)
    }

    /// Places an entry, what it supersedes, and what contradicts it.
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
            // The last that is pushed is placed next.
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
