//! Puts a record that fits the one who asks before a record about the same problem that does not fit.
//!
//! A factor moves a record by about one unit of evidence. Two records about the same problem are often further apart,
//! because one has the longer solution or fewer words of the question, and only one of them helps the asker. So one that
//! does not fit goes below the best one that does. Whether two records are about the same problem follows from their own
//! vectors, not from the question: the more similar they are, the further one may fall. A record about another problem
//! keeps its place. `docs/design/applicability.md` has the figures.

use uuid::Uuid;

use super::formula::Candidate;

/// The number of records that are looked at, from the first on. It does not depend on the page, so that pages do not
/// overlap.
pub(super) const LOOKED_AT: usize = 50;
/// The cosine of the first passages of two records up to which they are about different problems. This and the next two
/// figures depend on the built-in model and were chosen on pairs of records for two versions of 130 libraries.
const DIFFERENT: f32 = 0.42;
/// The same if it is doubtful that one of the two fits, or that the other does not.
const DIFFERENT_IF_DOUBTFUL: f32 = 0.57;
/// How far a record may fall for each unit of cosine above that, in units of evidence.
const FALL: f32 = 24.0;

/// Whether a record fits the one who asks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fit {
    /// Nothing is known.
    #[default]
    Unknown,
    /// It is for what the asker has.
    Fits(Certainty),
    /// It is for something else, such as another version of the asker's library.
    Misfits(Certainty),
}

/// How much it matters that a record fits or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It follows from what the record is about.
    Sure,
    /// It follows from where the record was written, which may not matter.
    Doubtful,
}

impl Fit {
    fn fits(self) -> bool {
        matches!(self, Self::Fits(_))
    }

    fn misfits(self) -> bool {
        matches!(self, Self::Misfits(_))
    }

    fn is_doubtful(self) -> bool {
        matches!(
            self,
            Self::Fits(Certainty::Doubtful) | Self::Misfits(Certainty::Doubtful)
        )
    }
}

/// A candidate that fits or does not.
struct Judged {
    index: usize,
    fit: Fit,
    closeness: f32,
    /// Of its first passage, L2-normalised.
    embedding: Vec<f32>,
}

impl Judged {
    /// Returns whether this record, which does not fit, goes below one that does.
    fn yields_to(&self, other: &Self) -> bool {
        let is_doubtful = self.fit.is_doubtful() || other.fit.is_doubtful();
        let different = if is_doubtful {
            DIFFERENT_IF_DOUBTFUL
        } else {
            DIFFERENT
        };
        let distance = self.closeness.ln() - other.closeness.ln();
        distance <= FALL * (cosine(&self.embedding, &other.embedding) - different)
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
    let first = candidates.iter().take(LOOKED_AT);
    let fits: Vec<Fit> = first.map(|one| fit(one.id)).collect();
    if !fits.iter().any(|fit| fit.fits()) || !fits.iter().any(|fit| fit.misfits()) {
        return;
    }
    let judged = candidates.iter().zip(&fits).enumerate();
    let judged = judged.filter(|(_, (_, fit))| **fit != Fit::Unknown);
    let judged = judged.filter_map(|(index, (candidate, fit))| {
        Some(Judged {
            index,
            fit: *fit,
            closeness: candidate.closeness,
            embedding: embedding(candidate.id)?,
        })
    });
    let judged: Vec<Judged> = judged.collect();
    // Where each candidate goes: to its own place, or behind the one in another place.
    let mut places: Vec<(usize, bool, usize)> =
        (0..fits.len()).map(|index| (index, false, index)).collect();
    for one in judged.iter().filter(|one| one.fit.misfits()) {
        let best = judged
            .iter()
            .find(|other| other.fit.fits() && one.yields_to(other));
        let best = best.filter(|best| best.index > one.index);
        if let (Some(best), Some(place)) = (best, places.get_mut(one.index)) {
            *place = (best.index, true, one.index);
        }
    }
    places.sort_unstable();
    let before = candidates.to_vec();
    let in_order = places.iter().filter_map(|(_, _, from)| before.get(*from));
    let mut least = f64::MAX;
    for (to, from) in candidates.iter_mut().zip(in_order) {
        let score = from.place_score(now);
        *to = match score > least {
            true => from.lowered(least / score),
            false => *from,
        };
        least = least.min(score);
    }
}

/// Returns the cosine of two L2-normalised embeddings.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests;
