//! Fusion: one calibrated relevance per record from its lexical and semantic signals.
//!
//! Both signals are added up as evidence (log odds). A record matches when its own evidence passes
//! a floor; its relevance is then the probability of being an answer, times how close it comes to
//! the query's best record. The second factor keeps relevance from saturating: without it ten good
//! records would all have 0.99, and popularity alone would order them.
//!
//! Popularity and recency are not known here.
//!
//! The constants were fitted on 915 queries in eight languages over 1,601 English command pages and
//! on 24 developer problems asked in three languages, in stores of 1 to 1,625 records, with the
//! records that answer and without them, and on questions about other things (cooking, sports,
//! small talk); fits by language differ less than the constants are rounded. They assume the
//! built-in model's cosines and BM25 scores in which stop words hardly count.

use super::text::{TextScore, TextScores};

/// Evidence of one unit of cosine.
const COSINE_WEIGHT: f32 = 93.0;
/// Cosine at which a record is as likely an answer as not. Unrelated texts have about 0.80; of the
/// records that answer 97 % have more than 0.825.
const COSINE_EVEN: f32 = 0.83;
/// A mean cosine below this shows a question about other things than the store holds…
const MEAN_USUAL: f32 = 0.785;
/// …and counts against every record, per unit of cosine.
const MEAN_WEIGHT: f32 = 60.0;
/// What an unlike vector can count against a record: a rare exact term outweighs it.
const COSINE_WORST: f32 = -3.2;

/// Most evidence that a BM25 score adds to a cosine.
const SCORE_WEIGHT: f32 = 4.0;
/// BM25 score that gives half of that; one rare term in a record's body scores 5–11.
const SCORE_HALF: f32 = 10.0;
/// Evidence of a record that has the whole query.
const COVERAGE_WEIGHT: f32 = 2.5;
/// Queries whose ideal score is less are not covered by matching them: they hold stop words.
const IDEAL_LEAST: f32 = 10.0;

/// [`SCORE_WEIGHT`] where there is no cosine.
const SCORE_WEIGHT_ALONE: f32 = 6.0;
/// [`COVERAGE_WEIGHT`] where there is no cosine.
const COVERAGE_WEIGHT_ALONE: f32 = 3.0;
/// Evidence before a word is compared; stop words alone do not make up for it, a rare term does.
const PRIOR_ALONE: f32 = -2.4;

/// Log odds of the relevance floor, 1 to 2.
const FLOOR: f32 = -std::f32::consts::LN_2;
/// How fast relevance falls with the distance from the best record, per unit of evidence.
const DECAY: f32 = 1.0;
/// Smallest share of the best record's relevance that still matches.
const LEAST_SHARE: f32 = 0.07;

/// Returns (slot, relevance 0–1) of every record that passes the relevance floor.
///
/// `cosines` holds the cosine of every slot to the query, `NaN` where a record has no vector; it is
/// absent when the query has no embedding.
pub(super) fn relevances(scores: &TextScores, cosines: Option<&[f32]>) -> Vec<(u32, f32)> {
    let mut matches = evidence(scores, cosines.unwrap_or_default());
    let best = matches.iter().fold(f32::MIN, |best, (_, e)| best.max(*e));
    let least = LEAST_SHARE * probability(best);
    matches.retain_mut(|(_, value)| {
        *value = probability(*value) * (DECAY * (*value - best)).exp();
        *value >= least
    });
    matches
}

/// Returns (slot, evidence) of every record above the floor.
fn evidence(scores: &TextScores, cosines: &[f32]) -> Vec<(u32, f32)> {
    let scale = Scale::of(cosines);
    let mut lexical: Vec<Option<&TextScore>> = vec![None; cosines.len()];
    let mut matches = Vec::with_capacity(scores.scores.len().max(cosines.len()));
    for found in &scores.scores {
        let slot = found.slot as usize;
        let has_vector = cosines.get(slot).is_some_and(|cosine| !cosine.is_nan());
        match lexical.get_mut(slot).filter(|_| has_vector) {
            Some(place) => *place = Some(found),
            None => matches.push((
                found.slot,
                raised(found, lexical_evidence(found.score, scores.ideal)),
            )),
        }
    }
    for (slot, (&cosine, found)) in (0_u32..).zip(cosines.iter().zip(lexical)) {
        let value = scale.evidence(cosine);
        // A record without a vector has NaN here, which is above no floor.
        matches.push(match found {
            Some(found) => (
                slot,
                raised(found, value + mixed_evidence(found.score, scores.ideal)),
            ),
            None => (slot, value),
        });
    }
    matches.retain(|(_, value)| *value >= FLOOR);
    matches
}

/// A record that has the whole query matches whatever else speaks against it: what is typed is
/// found where it stands.
fn raised(found: &TextScore, evidence: f32) -> f32 {
    if found.is_whole {
        evidence.max(FLOOR + saturated(found.score))
    } else {
        evidence
    }
}

/// Evidence that a record's words add to its cosine.
fn mixed_evidence(score: f32, ideal: f32) -> f32 {
    SCORE_WEIGHT * saturated(score) + COVERAGE_WEIGHT * score / ideal.max(IDEAL_LEAST)
}

/// Evidence of a record that is compared by its words alone.
fn lexical_evidence(score: f32, ideal: f32) -> f32 {
    let strength = SCORE_WEIGHT_ALONE * saturated(score);
    let coverage = COVERAGE_WEIGHT_ALONE * score / ideal.max(IDEAL_LEAST);
    PRIOR_ALONE + strength + coverage
}

fn saturated(score: f32) -> f32 {
    score / (score + SCORE_HALF)
}

fn probability(evidence: f32) -> f32 {
    1.0 / (1.0 + (-evidence).exp())
}

/// Turns a model's cosines into evidence.
struct Scale {
    /// What is added to a cosine after it was multiplied, in the built-in model's cosines.
    offset: f32,
    factor: f32,
    /// Evidence against every record.
    against: f32,
}

/// Cosine of unrelated texts and spread around it, of the built-in model and its relatives.
const COMPRESSED: (f32, f32) = (0.795, 0.015);
/// The same of models that use the whole range, such as OpenAI's third generation.
const WIDE: (f32, f32) = (0.15, 0.07);
/// Records' worth of trust in those figures: a store of this size counts as much as they do.
const TRUST: f32 = 8.0;

impl Scale {
    /// Tells the kind of model by the mean of all cosines, which is above 0.68 for the built-in
    /// one even where nothing is related.
    fn of(cosines: &[f32]) -> Self {
        let known = cosines.iter().filter(|cosine| !cosine.is_nan());
        let (sum, count) = known.fold((0.0_f64, 0.0_f64), |(sum, n), c| {
            (sum + f64::from(*c), n + 1.0)
        });
        let (sum, count) = (sum as f32, count as f32);
        let mean = |unrelated: f32| (sum + TRUST * unrelated) / (count + TRUST);
        if sum < 0.6 * count {
            // Standard scores, moved to where the built-in model's lie.
            let factor = COMPRESSED.1 / WIDE.1;
            let offset = COMPRESSED.0 - mean(WIDE.0) * factor;
            return Self {
                offset,
                factor,
                against: 0.0,
            };
        }
        let against = MEAN_WEIGHT * (MEAN_USUAL - mean(COMPRESSED.0)).max(0.0);
        Self {
            offset: 0.0,
            factor: 1.0,
            against,
        }
    }

    /// Evidence of a cosine; `NaN` for `NaN`.
    fn evidence(&self, cosine: f32) -> f32 {
        let evidence =
            COSINE_WEIGHT * (cosine * self.factor + self.offset - COSINE_EVEN) - self.against;
        if evidence < COSINE_WORST {
            COSINE_WORST
        } else {
            evidence
        }
    }
}

#[cfg(test)]
mod tests;
