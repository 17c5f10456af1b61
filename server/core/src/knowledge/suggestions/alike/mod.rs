//! Similarity of two entries, on a scale that means the same for every model.
//!
//! The specified thresholds, 0.75 for a link and 0.80 for a generalisation, are not cosines here, since the
//! distribution of cosines depends on the model. They stand for a number of standard deviations above the
//! mean cosine of unrelated entries. `docs/design/knowledge.md` has the figures.

use recall_kit_embed::Unrelated;
use recall_kit_search::Nearest;

/// The minimum score of a link.
pub(super) const LINK_SCORE: f64 = 0.75;
/// The minimum average score of a generalisation.
pub(super) const CLUSTER_SCORE: f64 = 0.80;
/// Standard deviations above unrelated entries from which a link is suggested…
const LINK_DEVIATIONS: f32 = 3.8;
/// …and from which, on average, a generalisation is suggested.
const CLUSTER_DEVIATIONS: f32 = 4.7;
/// The fewest entries from which the cosines of unrelated entries are measured, if the model does not
/// have this figure.
const LEAST_MEASURED: usize = 50;

/// Converts cosines to scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// The minimum cosine of a link.
    link: f32,
    /// The minimum cosine of a generalisation.
    cluster: f32,
}

impl Scale {
    /// Creates the scale of a model: from its known figures, else from one entry's cosines to all others,
    /// most of which are unrelated to it; if there are only few, the thresholds are used as cosines.
    pub(super) fn of(known: Option<Unrelated>, nearest: &Nearest) -> Self {
        let measured = (nearest.compared >= LEAST_MEASURED).then_some(Unrelated {
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

    /// Returns the score of a cosine, 0–1: linear between 0, the thresholds and 1.
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
