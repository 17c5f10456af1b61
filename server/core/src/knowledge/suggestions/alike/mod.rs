//! How alike two entries are, on a scale that means the same for every model.
//!
//! The document's thresholds, 0.75 for a link and 0.80 for a generalisation, are not cosines here: a
//! model's cosines depend on how its vectors lie. They stand for so many standard deviations above
//! the mean of what entries have that have nothing to do with each other. `docs/design/knowledge.md` has
//! the figures.

use recall_kit_embed::Unrelated;
use recall_kit_search::Nearest;

/// The least score of a link.
pub(super) const LINK_SCORE: f64 = 0.75;
/// The least score of a generalisation, on average.
pub(super) const CLUSTER_SCORE: f64 = 0.80;
/// Standard deviations above unrelated entries from which two are linked…
const LINK_DEVIATIONS: f32 = 3.8;
/// …and from which several are generalised, on average.
const CLUSTER_DEVIATIONS: f32 = 4.7;
/// Entries from which a base says how alike unrelated ones are, where the model does not.
const TELLING: usize = 50;

/// Turns cosines into scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// The cosine of a link at least.
    link: f32,
    /// The cosine of a generalisation at least.
    cluster: f32,
}

impl Scale {
    /// Makes the scale of a model: from what is known of it, else from one entry's cosines to all
    /// others, most of which have nothing to do with it; where those are few, the document's
    /// thresholds are taken as they are.
    pub(super) fn of(known: Option<Unrelated>, nearest: &Nearest) -> Self {
        let measured = (nearest.compared >= TELLING).then_some(Unrelated {
            mean: nearest.mean,
            deviation: nearest.deviation,
        });
        match known.or(measured) {
            Some(Unrelated { mean, deviation }) => Self {
                link: (mean + LINK_DEVIATIONS * deviation).min(0.95),
                cluster: (mean + CLUSTER_DEVIATIONS * deviation).min(0.97),
            },
            None => Self {
                link: LINK_SCORE as f32,
                cluster: CLUSTER_SCORE as f32,
            },
        }
    }

    /// Returns the score of a cosine, 0–1: straight lines between 0, the thresholds and 1.
    pub(super) fn score(&self, cosine: f32) -> f64 {
        let between = |(low, low_score): (f32, f64), (high, high_score): (f32, f64)| {
            let share = f64::from((cosine - low) / (high - low).max(f32::EPSILON));
            low_score + share.clamp(0.0, 1.0) * (high_score - low_score)
        };
        let link = (self.link, LINK_SCORE);
        let cluster = (self.cluster, CLUSTER_SCORE);
        if cosine < self.link {
            between((0.0, 0.0), link)
        } else if cosine < self.cluster {
            between(link, cluster)
        } else {
            between(cluster, (1.0, 1.0))
        }
    }

    /// Returns the cosine of one of the thresholds.
    pub(super) fn cosine(&self, score: f64) -> f32 {
        if score < CLUSTER_SCORE {
            self.link
        } else {
            self.cluster
        }
    }
}

/// Returns the cosine of two L2-normalised vectors.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests;
