//! Puts a record that fits the one who asks before records about the same problem that do not fit.
//!
//! A factor moves a record by about one unit of evidence. Two records about the same problem are often further apart,
//! because one has the longer solution or fewer words of the question, and only one of them helps the asker. So those
//! that do not fit go below one that does, wherever it was found. Records about other problems keep their places:
//! whether two records are about the same problem follows from their own vectors, not from the question.
//! `docs/design/applicability.md` has the figures.

use uuid::Uuid;

use super::formula::Candidate;

/// The number of records that are looked at, from the first on. It does not depend on the page, so that pages do not
/// overlap.
pub(super) const LOOKED_AT: usize = 50;
/// The least cosine of the first passages of two records about the same problem.
const SAME_PROBLEM: f32 = 0.5;
/// The same if the record that does not fit may fit after all.
const SURELY_SAME_PROBLEM: f32 = 0.65;
/// How far below another record a moved one is placed, as a ratio of their place scores.
const BELOW: f64 = 0.999;

/// Whether a record fits the one who asks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fit {
    /// Nothing is known.
    #[default]
    Unknown,
    /// It is for what the asker has.
    Fits,
    /// It is for something else, such as another version of the asker's library.
    Misfits,
    /// It was written in another environment, which may not matter.
    Elsewhere,
}

impl Fit {
    /// Returns the least cosine to a record that fits at which that one comes first; `None` if this one stays.
    fn yields_from(self) -> Option<f32> {
        match self {
            Self::Unknown | Self::Fits => None,
            Self::Misfits => Some(SAME_PROBLEM),
            Self::Elsewhere => Some(SURELY_SAME_PROBLEM),
        }
    }
}

/// Moves candidates, which are sorted, below others that fit and are about the same problem. `embedding` returns the
/// L2-normalised embedding of a record's first passage.
pub(super) fn reorder(
    candidates: &mut [Candidate],
    now: i64,
    fit: &dyn Fn(Uuid) -> Fit,
    embedding: impl Fn(Uuid) -> Option<Vec<f32>>,
) {
    let looked_at = candidates.len().min(LOOKED_AT);
    let Some(candidates) = candidates.get_mut(..looked_at) else {
        return;
    };
    let fits: Vec<Fit> = candidates.iter().map(|one| fit(one.id)).collect();
    let (Some(first), Some(last)) = (
        fits.iter().position(|fit| fit.yields_from().is_some()),
        fits.iter().rposition(|fit| *fit == Fit::Fits),
    ) else {
        return;
    };
    if last < first {
        return;
    }
    let embedded = |index: &usize| {
        let id = candidates.get(*index).map(|one| one.id)?;
        Some((*index, embedding(id)?))
    };
    let with = |wanted: fn(Fit) -> bool| {
        let indices = fits.iter().enumerate().skip(first);
        let indices = indices.filter(move |(_, fit)| wanted(**fit));
        let indices: Vec<usize> = indices.map(|(index, _)| index).collect();
        indices.iter().filter_map(embedded).collect::<Vec<_>>()
    };
    let fitting = with(|fit| fit == Fit::Fits);
    let yielding = with(|fit| fit.yields_from().is_some());
    // The place of each candidate: behind the last fitting one that it yields to, or where it is.
    let mut places: Vec<(usize, bool, usize)> =
        (0..looked_at).map(|index| (index, false, index)).collect();
    for (index, own) in &yielding {
        let least = fits.get(*index).and_then(|fit| fit.yields_from());
        let below = fitting.iter().rev().find(|(other, theirs)| {
            other > index && least.is_some_and(|least| cosine(own, theirs) >= least)
        });
        if let (Some((below, _)), Some(place)) = (below, places.get_mut(*index)) {
            *place = (*below, true, *index);
        }
    }
    if places.iter().all(|(_, moved, _)| !moved) {
        return;
    }
    places.sort_unstable();
    let before = candidates.to_vec();
    let in_order = places.iter().filter_map(|(_, _, from)| before.get(*from));
    let mut least = f64::MAX;
    for (to, from) in candidates.iter_mut().zip(in_order) {
        let score = from.place_score(now);
        *to = match score > least {
            true => from.lowered(BELOW * least / score),
            false => *from,
        };
        least = to.place_score(now);
    }
}

/// Returns the cosine of two L2-normalised embeddings.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests;
