//! How far an experience's outcomes move it among other results.
//!
//! The weights of the voices for and against it are added to those of a prior, as a beta distribution; `U` is its mean
//! minus half a standard deviation, so that few voices count little. The factor on the relevance in the rank is 1
//! for an experience without outcomes.

use recall_kit_shared_types::outcomes::StandingState;

/// The weights of the prior, until enough experiences have outcomes to fit it.
const FIRST_PRIOR: (f64, f64) = (3.0, 2.0);
/// What is subtracted from the mean, in standard deviations.
const CAUTION: f64 = 0.5;
/// The factor for each relative change of `U`.
const STRENGTH: f64 = 0.3;
/// The smallest and the largest factor.
pub const FACTORS: (f64, f64) = (0.75, 1.15);
/// The largest factor of an experience that nobody has confirmed for long.
const AGEING_MOST: f64 = 0.97;
/// The largest factor of one that has failed since.
const STALE_MOST: f64 = 0.9;
/// The strong voices that an experience must have to be used for fitting.
const FITTED_VOICES: u64 = 3;
/// The number of such experiences from which on the prior is fitted.
const FITTED_FROM: usize = 20;
/// The smallest and the largest weight of a fitted prior.
const FITTED_WEIGHTS: (f64, f64) = (2.0, 10.0);
/// The smallest and the largest mean of a fitted prior.
const FITTED_MEANS: (f64, f64) = (0.3, 0.9);

/// The strong voices of an experience, for fitting. Weak ones have no part in the prior, since anyone can have many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Voices {
    /// How many there are.
    pub voices: u64,
    /// Their weight for the experience.
    pub for_it: f64,
    /// Their weight against it.
    pub against: f64,
}

/// The formula with its prior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Formula {
    prior: (f64, f64),
    /// `U` of an experience without outcomes.
    usual: f64,
}

impl Default for Formula {
    fn default() -> Self {
        Self::with_prior(FIRST_PRIOR)
    }
}

impl Formula {
    fn with_prior(prior: (f64, f64)) -> Self {
        Self {
            prior,
            usual: cautious_mean(prior.0, prior.1),
        }
    }

    /// Fits the prior over the experiences with several strong voices, by moments.
    pub fn fitted(all: impl IntoIterator<Item = Voices>) -> Self {
        let all = all.into_iter();
        let all = all.filter(|one| one.voices >= FITTED_VOICES && one.for_it + one.against > 0.0);
        let shares: Vec<(f64, f64)> = all
            .map(|one| {
                let weight = one.for_it + one.against;
                (one.for_it / weight, weight)
            })
            .collect();
        if shares.len() < FITTED_FROM {
            return Self::default();
        }
        let count = shares.len() as f64;
        let mean = shares.iter().map(|(share, _)| share).sum::<f64>() / count;
        let spread = shares
            .iter()
            .map(|(share, _)| (share - mean).powi(2))
            .sum::<f64>()
            / (count - 1.0);
        // Few voices differ from each other by chance; that is not a difference between experiences.
        let chance = shares
            .iter()
            .map(|(share, weight)| share * (1.0 - share) / (weight + 1.0));
        let spread = (spread - chance.sum::<f64>() / count).max(1e-3);
        let mean = mean.clamp(FITTED_MEANS.0, FITTED_MEANS.1);
        let weight = mean * (1.0 - mean) / spread - 1.0;
        let weight = weight.clamp(FITTED_WEIGHTS.0, FITTED_WEIGHTS.1);
        Self::with_prior((mean * weight, (1.0 - mean) * weight))
    }

    /// Returns the factor on the relevance for the weights of the voices for and against an experience.
    pub fn factor(&self, for_it: f64, against: f64) -> f64 {
        let u = self.u(for_it, against);
        (1.0 + STRENGTH * (u - self.usual) / self.usual).clamp(FACTORS.0, FACTORS.1)
    }

    /// Returns `U` for the weights of the voices for and against an experience.
    fn u(&self, for_it: f64, against: f64) -> f64 {
        cautious_mean(self.prior.0 + for_it, self.prior.1 + against)
    }
}

/// Returns the factor of an experience in a state: an ageing one is not lifted, and a stale one is lowered, since
/// what it depends on may have changed.
pub fn aged(factor: f64, state: StandingState) -> f64 {
    match state {
        StandingState::Ageing => factor.min(AGEING_MOST),
        StandingState::Stale => factor.min(STALE_MOST),
        StandingState::New | StandingState::Fresh | StandingState::Contested => factor,
    }
}

/// Returns the mean of a beta distribution minus half a standard deviation.
fn cautious_mean(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let deviation = (a * b / (sum + 1.0)).sqrt() / sum;
    a / sum - CAUTION * deviation
}

#[cfg(test)]
mod tests;
