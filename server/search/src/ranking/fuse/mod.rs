//! Fusion: one calibrated relevance per record from its lexical and semantic signals.
//!
//! The same signals give two sums of evidence (log odds), for two questions. The first is whether a record is an
//! answer at all: the vector says most about that; words that any two texts may share say little, an identifier
//! or error code that the query and the record share says much. The second is which of the possible answers is
//! the better one: there the words count in full, relative to the largest score that the query allows. So if the
//! question is in another language than the record, with few words in common, the vectors decide the order.
//!
//! The relevance of a query's first record is the probability that it is right, and that of the others falls
//! with their distance from it; see `fuse/calibration`. Popularity and recency are not used here.
//!
//! The constants were fitted on 915 questions in eight languages over 1,601 English command pages, on the
//! messages of 288 compiler errors over 396 explanations, and on questions about things that the store does not
//! hold. Those of the floor were chosen anew for mapped vectors, on stores of 10 to 5,500 records of six kinds
//! and on everyday questions. `docs/design/search.md` has the figures, also on sets that were not used for any
//! choice. The constants assume that cosines of unrelated texts are around 0, and that stop words hardly count
//! in BM25 scores.

mod calibration;
mod chance;
mod context;
mod missing;
mod shares;

use std::collections::HashMap;

use self::{
    calibration::{certainty, probability},
    chance::Chance,
    missing::ExpectedCosine,
};
pub(crate) use self::{
    calibration::{distance, share},
    chance::OwnLanguage,
    context::{add_context, with_context},
    shares::{Shares, Signals},
};
use super::turns::Conversation;
use crate::text::{TextScore, TextScores};

/// Evidence of one unit of cosine.
const COSINE_WEIGHT: f32 = 22.0;
/// Evidence that the mean cosine of all records counts against a record: a question that is a little similar to
/// everything is about nothing in particular.
const MEAN_WEIGHT: f32 = 14.5;
/// Evidence against every record for each unit of log odds that the question is an everyday one.
const EVERYDAY_WEIGHT: f32 = 6.0;
/// The most that this counts: a store may hold everyday things, and records that are very similar to the
/// question are still found.
const EVERYDAY_MOST: f32 = 4.0;
/// Evidence before any signal.
const PRIOR: f32 = -6.0;
/// The most evidence that a BM25 score adds to a cosine.
const SCORE_WEIGHT: f32 = 1.0;
/// The most evidence that identifiers, codes and error messages of the query add. The weight of a term is about
/// twice its score in a body.
const EXACT_WEIGHT: f32 = 10.0;
/// The lowest evidence that a dissimilar vector can give a record: an exact match of an identifier outweighs it.
const WORST: f32 = -4.5;
/// The BM25 score that gives half of the most; one rare term in a record's body scores 5–11.
const SCORE_HALF: f32 = 10.0;

/// What a record's share of the query's ideal score adds to the order, in units of cosine.
const COVERAGE_IN_ORDER: f32 = 0.6;
/// The most that the score itself adds, in units of cosine.
const SCORE_IN_ORDER: f32 = 0.1;
/// The smallest ideal score that coverage is computed with; queries below it consist of stop words.
const IDEAL_LEAST: f32 = 10.0;

/// [`PRIOR`] for a comparison without a cosine; stop words alone do not make up for it, a rare term does.
const PRIOR_ALONE: f32 = -3.2;
/// The most evidence of a BM25 score without a cosine.
const SCORE_WEIGHT_ALONE: f32 = 6.0;
/// Evidence of a record that has the whole query, without a cosine.
const COVERAGE_WEIGHT_ALONE: f32 = 3.0;

/// Log odds, 1 to 4, that the best record must have; otherwise nothing matches.
const FLOOR: f32 = -1.4;
/// Log odds that the other records must have.
const FLOOR_BELOW_BEST: f32 = -3.0;
/// The largest distance behind the first record at which a record matches, in units of evidence.
const FARTHEST: f32 = 5.3;
/// The lowest relevance that matches; less would be displayed as 0.00.
const LEAST_RELEVANCE: f32 = 0.005;

/// The share of the distances that counts for the output of a build: another log of the same project is nearly the
/// same text, and must not hide those of other projects with the same cause.
const DISTANCE_IN_BUILDS: f32 = 0.2;

/// The evidence of one record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    pub(crate) slot: u32,
    /// Log odds that the record is an answer.
    pub(crate) answers: f32,
    /// The order score: evidence that the record is a better answer than others.
    pub(crate) order: f32,
}

/// Returns whether the record in a slot may be returned.
pub(crate) type Allows<'a> = &'a dyn Fn(u32) -> bool;

/// What a query says besides its words and its meaning.
#[derive(Clone, Copy, Default)]
pub(crate) struct MatchOptions<'a> {
    /// Evidence that it is about everyday life.
    pub(crate) everyday: f32,
    /// The records in its language.
    pub(crate) language: Option<OwnLanguage<'a>>,
    /// The turns of conversations that can matter.
    pub(crate) conversation: Option<&'a Conversation>,
    /// Only records that this accepts are returned.
    pub(crate) allows: Option<Allows<'a>>,
    /// Whether it is the output of a failed build.
    pub(crate) is_build_output: bool,
}

/// A query's cosines to the records that are compared, and the statistics of those to all records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cosines<'a> {
    /// By slot, `NaN` for a record without a vector.
    of_slots: &'a [f32],
    all: Spread,
}

impl<'a> Cosines<'a> {
    /// Creates it from the cosines to all records.
    pub(crate) fn of(of_slots: &'a [f32]) -> Self {
        Self {
            of_slots,
            all: Spread::of(of_slots),
        }
    }

    /// Creates it from the cosines to some records and the statistics of those to all.
    pub(crate) fn among(of_slots: &'a [f32], all: Spread) -> Self {
        Self { of_slots, all }
    }

    /// Returns the number of records that have a vector.
    pub(crate) fn count(&self) -> f32 {
        self.all.count
    }
}

/// Statistics of a query's cosines to all records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) mean: f32,
    /// The number of records that have a vector.
    pub(crate) count: f32,
}

impl Spread {
    /// Computes it from the cosines to all records, or to a sample of them.
    pub(crate) fn of(cosines: &[f32]) -> Self {
        let known = cosines.iter().filter(|cosine| !cosine.is_nan());
        let (sum, count) = known.fold((0.0_f64, 0.0_f64), |(sum, n), c| {
            (sum + f64::from(*c), n + 1.0)
        });
        Self {
            mean: (sum / count.max(1.0)) as f32,
            count: count as f32,
        }
    }
}

/// The records that match a query.
#[derive(Debug)]
pub(crate) struct Matches {
    /// Relevance of the first record, 0–1.
    certainty: f32,
    /// The order score of the first record.
    first: f32,
    /// The share of the distances behind the first record that counts.
    distance_share: f32,
    records: Vec<Evidence>,
}

impl Matches {
    fn none() -> Self {
        Self {
            certainty: 0.0,
            first: 0.0,
            distance_share: 1.0,
            records: Vec::new(),
        }
    }

    /// Returns the number of records.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns slot and order score of each record, unsorted; a more relevant record has a higher score.
    pub(crate) fn order_scores(&self) -> impl Iterator<Item = (u32, f32)> {
        let records = self.records.iter();
        records.map(|record| (record.slot, record.order))
    }

    /// Returns the relevance, 0–1, of a record with an order score.
    pub(crate) fn relevance(&self, order_score: f32) -> f32 {
        self.certainty * share(self.distance_share * (self.first - order_score).max(0.0))
    }

    /// Returns how near a record with an order score is to the first: 1 for the first, and less by the factor e
    /// for each unit of evidence.
    pub(crate) fn closeness(&self, order_score: f32) -> f32 {
        (order_score - self.first).exp()
    }

    /// Returns the order score of a record with a closeness.
    pub(crate) fn order_score(&self, closeness: f32) -> f32 {
        self.first + closeness.ln()
    }

    /// Returns the order score that a record of a relevance would have among these.
    fn order_score_of_relevance(&self, relevance: f32) -> f32 {
        self.first - calibration::distance(relevance / self.certainty) / self.distance_share
    }
}

/// Returns the records that pass the relevance floor.
///
/// `cosines` is `None` if the query has no embedding.
pub(crate) fn matches(
    scores: &TextScores,
    cosines: Option<Cosines<'_>>,
    options: &MatchOptions<'_>,
) -> Matches {
    let in_conversation = options.conversation.filter(|_| cosines.is_some());
    let cosines = cosines.unwrap_or(Cosines::of(&[]));
    let scale = Scale::of(cosines.all, options.everyday);
    let chance = Chance::of(options.language, &scores.scores, scores.ideal);
    let by = (&scale, chance.as_ref());
    let mut records = evidence(scores, cosines.of_slots, by, options.allows);
    if let Some(conversation) = in_conversation {
        conversation.raise(&mut records, PRIOR - scale.against);
    }
    let best = records.iter().map(|record| record.answers);
    if best.fold(f32::MIN, f32::max) < FLOOR {
        return Matches::none();
    }
    let (first, second) = first_two(&records);
    // The calibration was fitted with cosines. With words alone, a lead says little.
    let certainty = match cosines.all.count > 0.0 {
        true => certainty(first.answers + scale.usual, first.order - second),
        false => probability(first.answers),
    };
    let farthest = calibration::distance(LEAST_RELEVANCE / certainty).min(FARTHEST);
    let is_build_output = options.is_build_output;
    let distance_share = if is_build_output {
        DISTANCE_IN_BUILDS
    } else {
        1.0
    };
    records.retain(|record| record.order >= first.order - farthest / distance_share);
    Matches {
        certainty,
        first: first.order,
        distance_share,
        records,
    }
}

/// Returns the record with the highest order score, and the order score of the next one.
fn first_two(records: &[Evidence]) -> (Evidence, f32) {
    let mut first = Evidence {
        slot: u32::MAX,
        answers: f32::MIN,
        order: f32::MIN,
    };
    let mut second = f32::MIN;
    for record in records {
        if record.order > first.order {
            second = first.order;
            first = *record;
        } else {
            second = second.max(record.order);
        }
    }
    (first, second)
}

/// Returns every record of either with the higher of its two relevances: what a query finds without its context
/// it also finds with it, and with no lower relevance.
pub(crate) fn better_of(alone: &Matches, in_context: &Matches) -> Matches {
    let certainty = alone.certainty.max(in_context.certainty);
    let mut best = Matches {
        certainty,
        distance_share: alone.distance_share,
        ..Matches::none()
    };
    let mut order_scores: HashMap<u32, f32> = HashMap::with_capacity(alone.len());
    for matches in [alone, in_context] {
        for (slot, order_score) in matches.order_scores() {
            let order_score = best.order_score_of_relevance(matches.relevance(order_score));
            let known = order_scores.entry(slot).or_insert(order_score);
            *known = known.max(order_score);
        }
    }
    let records = order_scores
        .into_iter()
        .map(|(slot, order_score)| Evidence {
            slot,
            answers: order_score,
            order: order_score,
        });
    best.records = records.collect();
    best
}

/// Returns the evidence of every record that can match.
fn evidence(
    scores: &TextScores,
    cosines: &[f32],
    (scale, chance): (&Scale, Option<&Chance<'_>>),
    allows: Option<Allows<'_>>,
) -> Vec<Evidence> {
    let is_allowed = |slot| allows.is_none_or(|allows| allows(slot));
    let mut lexical: Vec<Option<&TextScore>> = vec![None; cosines.len()];
    let mut matches = Vec::with_capacity(scores.scores.len().max(cosines.len()));
    let has_vectors = !cosines.is_empty();
    let mut without_vector = Vec::with_capacity(if has_vectors { 0 } else { scores.scores.len() });
    for found in &scores.scores {
        let slot = found.slot as usize;
        let has_vector = cosines.get(slot).is_some_and(|cosine| !cosine.is_nan());
        match lexical.get_mut(slot).filter(|_| has_vector) {
            Some(place) => *place = Some(found),
            None => without_vector.push(found),
        }
    }
    let mut expected = ExpectedCosine::usual();
    let mut compared = 0;
    for (slot, (&cosine, found)) in (0_u32..).zip(cosines.iter().zip(&lexical)) {
        // For a record without a vector this is NaN, which passes no floor.
        let cosine = scale.cosine(cosine);
        let meaning = COSINE_WEIGHT * cosine - scale.against;
        let (mut answers, mut order) = (meaning + PRIOR, meaning + PRIOR);
        if let Some(found) = found.filter(|_| !cosine.is_nan()) {
            answers = answers.max(WORST);
            let strength = saturated(found.score);
            answers += SCORE_WEIGHT * strength + EXACT_WEIGHT * saturated(found.exact / 2.0);
            order += by_words(found, scores.ideal, chance);
            expected.add(words_in_cosine(found, scores.ideal), cosine);
            compared += 1;
            answers = raised(found, answers);
        }
        if answers >= FLOOR_BELOW_BEST && is_allowed(slot) {
            matches.push(Evidence {
                slot,
                answers,
                order,
            });
        }
    }
    if without_vector.is_empty() {
        return matches;
    }
    // If others have a vector, a record without one gets the order score that it would have with one.
    let is_compared = cosines.iter().any(|cosine| !cosine.is_nan());
    if is_compared {
        let doubt = 1.0 - missing::trust(compared, without_vector.len());
        for record in &mut matches {
            let slot = record.slot as usize;
            let cosine = cosines
                .get(slot)
                .map_or(0.0, |cosine| scale.cosine(*cosine));
            let found = lexical.get(slot).copied().flatten();
            let words = found.map_or(0.0, |found| words_in_cosine(found, scores.ideal));
            record.order += COSINE_WEIGHT * doubt * (expected.of(words) - cosine);
        }
    }
    for found in without_vector {
        let Some(mut record) = by_words_alone(found, scores.ideal) else {
            continue;
        };
        if is_compared {
            let words = words_in_cosine(found, scores.ideal);
            let by_chance = chance.map_or(0.0, |chance| chance.presumed(words));
            let beside = COSINE_WEIGHT * (expected.of(words) + words - by_chance);
            record.order = beside - scale.against + PRIOR;
        }
        if is_allowed(record.slot) {
            matches.push(record);
        }
    }
    matches
}

/// Returns the evidence for the order from a record's words.
fn by_words(found: &TextScore, ideal: f32, chance: Option<&Chance<'_>>) -> f32 {
    let words = words_in_cosine(found, ideal);
    let by_chance = chance.map_or(0.0, |chance| chance.part(found.slot, words));
    COSINE_WEIGHT * (words - by_chance)
}

/// Returns the same before chance matches are subtracted, in units of cosine.
fn words_in_cosine(found: &TextScore, ideal: f32) -> f32 {
    let coverage = found.score / ideal.max(IDEAL_LEAST);
    COVERAGE_IN_ORDER * coverage + SCORE_IN_ORDER * saturated(found.score)
}

/// Returns the evidence of a record that is compared by its words alone; `None` below the floor.
fn by_words_alone(found: &TextScore, ideal: f32) -> Option<Evidence> {
    let strength = SCORE_WEIGHT_ALONE * saturated(found.score);
    let coverage = COVERAGE_WEIGHT_ALONE * found.score / ideal.max(IDEAL_LEAST);
    let answers = raised(found, PRIOR_ALONE + strength + coverage);
    (answers >= FLOOR).then_some(Evidence {
        slot: found.slot,
        answers,
        order: answers,
    })
}

/// Raises the evidence of a record that has all terms of the query above the floor, whatever counts against it:
/// a text that was typed verbatim is found.
fn raised(found: &TextScore, evidence: f32) -> f32 {
    if found.has_all_terms {
        evidence.max(FLOOR + saturated(found.score))
    } else {
        evidence
    }
}

fn saturated(score: f32) -> f32 {
    score / (score + SCORE_HALF)
}

/// How a query's cosines are turned into evidence, from the statistics of all of them.
struct Scale {
    /// Subtracted from a cosine before it is rescaled.
    origin: f32,
    /// Evidence against every record.
    against: f32,
    /// The part of it that comes from the mean of all cosines.
    usual: f32,
}

/// Mean cosine of unrelated texts.
const MEAN_USUAL: f32 = 0.02;
/// How many records that figure counts as: in a store of this size, the measured mean weighs as much.
const TRUST: f32 = 8.0;
/// If the mean cosine is above this, the model's vectors lie in a cone and their cosines are compressed.
const COMPRESSED: f32 = 0.6;

/// Evidence, for each standard deviation of the cosines, that the most similar of many unrelated records gains
/// by chance.
const CHANCE_WEIGHT: f32 = 1.2;
/// About the number of records in the stores that the constants were fitted on.
const FITTED_ON: f32 = 1_600.0;
/// Smaller stores are treated as if they had this many records.
const LEAST_RECORDS: f32 = 50.0;

/// Returns about the largest of `count` normal variates, in standard deviations. Source: extreme value theory,
/// `√(2 ln n)`.
fn best_of(count: f32) -> f32 {
    (2.0 * count.max(2.0).ln()).sqrt()
}

impl Scale {
    fn of(all: Spread, everyday: f32) -> Self {
        let Spread { mean, count } = all;
        let elsewhere = (EVERYDAY_WEIGHT * everyday).min(EVERYDAY_MOST);
        let chance = CHANCE_WEIGHT * (best_of(count.max(LEAST_RECORDS)) - best_of(FITTED_ON));
        // A few records do not show whether cosines are compressed.
        let is_compressed = count >= TRUST && mean > COMPRESSED;
        let trusted = (mean * count + TRUST * MEAN_USUAL) / (count + TRUST);
        let (origin, usual) = if is_compressed {
            (mean, 0.0)
        } else {
            (0.0, MEAN_WEIGHT * trusted)
        };
        Self {
            origin,
            against: usual + elsewhere + chance,
            usual,
        }
    }

    /// Rescales a compressed cosine as if the vectors were centred; `NaN` stays `NaN`.
    fn cosine(&self, cosine: f32) -> f32 {
        (cosine - self.origin) / (1.0 - self.origin).max(f32::EPSILON)
    }
}

#[cfg(test)]
mod tests;
