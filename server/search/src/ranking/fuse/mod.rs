//! Fusion: one calibrated relevance per record from its lexical and semantic signals.
//!
//! Two sums of evidence (log odds) are made of the same signals, since two questions are asked of
//! them. Whether a record is an answer at all: its vector says so best, words that questions of every
//! kind have in common say little, an identifier or error code that stands in both says much. And
//! which of the records that may answer is the better one: there the words count in full, measured
//! against the most that the query could score, so that a question in another language than the
//! record, with few words in common, is ordered by the vectors.
//!
//! The relevance of the query's first record is the probability that it is right, and the others' falls
//! with their distance from it; `fuse/calibration.rs` says how. Popularity and recency are not known
//! here.
//!
//! The constants were fitted on 915 questions in eight languages over 1,601 English command pages,
//! on the messages of 288 compiler errors over 396 explanations, and on questions about other things
//! than the store holds. Those of the floor were chosen anew for mapped vectors, on stores of 10 to 5,500
//! records of six kinds and on everyday questions. `docs/design/search.md` has the figures, also on sets that
//! nothing was chosen on. The constants assume cosines around 0 between
//! unrelated texts, and BM25 scores in which stop words hardly count.

mod calibration;
mod chance;
mod missing;
mod shares;

use std::collections::HashMap;

pub(crate) use self::{
    calibration::share,
    chance::OwnLanguage,
    shares::{Shares, Signals},
};
use self::{
    calibration::{certainty, probability},
    chance::Chance,
    missing::ExpectedCosine,
};
use super::turns::Conversation;
use crate::text::{TextScore, TextScores};

/// Evidence of one unit of cosine.
const COSINE_WEIGHT: f32 = 22.0;
/// What all records' mean cosine takes away: a question that is a little like everything is like
/// nothing in particular.
const MEAN_WEIGHT: f32 = 14.5;
/// What each unit of log odds that a question is an everyday one counts against every record…
const EVERYDAY_WEIGHT: f32 = 6.0;
/// …and the most that it counts: a store may hold everyday things, and what is much like the question is
/// found.
const EVERYDAY_MOST: f32 = 4.0;
/// Evidence before anything is compared.
const PRIOR: f32 = -6.0;
/// Most evidence that a BM25 score adds to a cosine.
const SCORE_WEIGHT: f32 = 1.0;
/// Most evidence that the identifiers, codes and error messages of the query add. What terms weigh is
/// about twice what they score in a body.
const EXACT_WEIGHT: f32 = 10.0;
/// What an unlike vector can count against a record: an identifier found to the letter outweighs it.
const WORST: f32 = -4.5;
/// BM25 score that gives half of that; one rare term in a record's body scores 5–11.
const SCORE_HALF: f32 = 10.0;

/// What the share of the query's ideal score that a record has is worth among answers, in cosine.
const COVERAGE_IN_ORDER: f32 = 0.6;
/// The same of the score itself, at most.
const SCORE_IN_ORDER: f32 = 0.1;
/// Queries whose ideal score is less are not covered by matching them: they hold stop words.
const IDEAL_LEAST: f32 = 10.0;

/// [`PRIOR`] where there is no cosine; stop words alone do not make up for it, a rare term does.
const PRIOR_ALONE: f32 = -3.2;
/// Most evidence of a BM25 score where there is no cosine.
const SCORE_WEIGHT_ALONE: f32 = 6.0;
/// Evidence of a record that has the whole query, where there is no cosine.
const COVERAGE_WEIGHT_ALONE: f32 = 3.0;

/// Log odds, 1 to 4, that the best record must have, or nothing matches…
const FLOOR: f32 = -1.4;
/// …and that the others must have.
const FLOOR_BELOW_BEST: f32 = -3.0;
/// How far behind the first record one may be, in units of evidence, and still match…
const FARTHEST: f32 = 5.3;
/// …and the least relevance that matches; what is less shows as 0.00.
const LEAST_RELEVANCE: f32 = 0.005;

/// What a cosine to the query's context is worth beside one to the query.
const CONTEXT_SHARE: f32 = 0.3;

/// The evidence of one record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    pub(crate) slot: u32,
    /// Of being an answer.
    pub(crate) answers: f32,
    /// Of being a better answer than others.
    pub(crate) order: f32,
}

/// Says of a slot whether its record is wanted.
pub(crate) type Allows<'a> = &'a dyn Fn(u32) -> bool;

/// What a query asks for besides its words and its meaning.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    /// How much it is about everyday life.
    pub(crate) everyday: f32,
    /// Which records are in its language.
    pub(crate) language: Option<OwnLanguage<'a>>,
    /// The turns of conversations that can matter.
    pub(crate) conversation: Option<&'a Conversation>,
    /// Others are passed over.
    pub(crate) allows: Option<Allows<'a>>,
}

/// A query's cosines: to the records that are compared, and how those to all records lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cosines<'a> {
    /// By slot, `NaN` where a record has no vector.
    of_slots: &'a [f32],
    all: Spread,
}

impl<'a> Cosines<'a> {
    /// Takes the cosines to all records.
    pub(crate) fn of(of_slots: &'a [f32]) -> Self {
        Self {
            of_slots,
            all: Spread::of(of_slots),
        }
    }

    /// Takes the cosines to some records, and what is known of those to all.
    pub(crate) fn among(of_slots: &'a [f32], all: Spread) -> Self {
        Self { of_slots, all }
    }

    /// Returns how many records have a vector.
    pub(crate) fn count(&self) -> f32 {
        self.all.count
    }
}

/// How a query's cosines to all records lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) mean: f32,
    /// How many records have a vector.
    pub(crate) count: f32,
}

impl Spread {
    /// Works it out from the cosines to all records, or to a sample of them.
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
    /// Relevance of the first of them, 0–1.
    certainty: f32,
    /// Where the first of them stands.
    first: f32,
    records: Vec<Evidence>,
}

impl Matches {
    fn none() -> Self {
        Self {
            certainty: 0.0,
            first: 0.0,
            records: Vec::new(),
        }
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns (slot, standing) of each, in no order; the more relevant, the higher it stands.
    pub(crate) fn standings(&self) -> impl Iterator<Item = (u32, f32)> {
        let records = self.records.iter();
        records.map(|record| (record.slot, record.order))
    }

    /// Returns the relevance, 0–1, of a record that stands there.
    pub(crate) fn relevance(&self, standing: f32) -> f32 {
        self.certainty * share((self.first - standing).max(0.0))
    }

    /// Returns how near to the first record one is that stands there: 1 for the first, and less by the
    /// factor e for each unit of evidence.
    pub(crate) fn closeness(&self, standing: f32) -> f32 {
        (standing - self.first).exp()
    }

    /// Returns where a record of a closeness stands.
    pub(crate) fn standing(&self, closeness: f32) -> f32 {
        self.first + closeness.ln()
    }

    /// Returns where a record of a relevance would stand among these.
    fn standing_of(&self, relevance: f32) -> f32 {
        self.first - calibration::distance(relevance / self.certainty)
    }
}

/// Returns the records that pass the relevance floor.
///
/// `cosines` is absent when the query has no embedding.
pub(crate) fn matches(
    scores: &TextScores,
    cosines: Option<Cosines<'_>>,
    asked: &Asked<'_>,
) -> Matches {
    let in_conversation = asked.conversation.filter(|_| cosines.is_some());
    let cosines = cosines.unwrap_or(Cosines::of(&[]));
    let scale = Scale::of(cosines.all, asked.everyday);
    let chance = Chance::of(asked.language, &scores.scores, scores.ideal);
    let by = (&scale, chance.as_ref());
    let mut records = evidence(scores, cosines.of_slots, by, asked.allows);
    if let Some(conversation) = in_conversation {
        conversation.raise(&mut records, PRIOR - scale.against);
    }
    let best = records.iter().map(|record| record.answers);
    if best.fold(f32::MIN, f32::max) < FLOOR {
        return Matches::none();
    }
    let (first, second) = first_two(&records);
    // The calibration was fitted with cosines. By words alone a lead says little.
    let certainty = match cosines.all.count > 0.0 {
        true => certainty(first.answers + scale.usual, first.order - second),
        false => probability(first.answers),
    };
    let farthest = calibration::distance(LEAST_RELEVANCE / certainty).min(FARTHEST);
    records.retain(|record| record.order >= first.order - farthest);
    Matches {
        certainty,
        first: first.order,
        records,
    }
}

/// Returns the record that stands highest, and where the next one stands.
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

/// Raises the cosines to a query by those to what surrounds it, which `context` holds and takes the
/// sums. Nothing is lowered: a record unlike the context may still be what was asked for.
pub(crate) fn add_context(cosines: &[f32], context: &mut [f32]) {
    for (around, cosine) in context.iter_mut().zip(cosines) {
        // Where there is no vector it is `NaN`, whatever is added.
        *around = cosine + CONTEXT_SHARE * around.max(0.0);
    }
}

/// Returns the embedding whose products with records are what [`add_context`] makes of their cosines
/// where nothing is unlike the context.
pub(crate) fn with_context(embedding: &[f32], context: &[f32]) -> Vec<f32> {
    let both = embedding.iter().zip(context);
    both.map(|(query, around)| query + CONTEXT_SHARE * around)
        .collect()
}

/// Returns each record of either with the higher of its relevances: what a query finds by itself it
/// finds with its context too, and never as less.
pub(crate) fn better_of(alone: &Matches, in_context: &Matches) -> Matches {
    let certainty = alone.certainty.max(in_context.certainty);
    let mut best = Matches {
        certainty,
        ..Matches::none()
    };
    let mut standings: HashMap<u32, f32> = HashMap::with_capacity(alone.len());
    for matches in [alone, in_context] {
        for (slot, standing) in matches.standings() {
            let standing = best.standing_of(matches.relevance(standing));
            let known = standings.entry(slot).or_insert(standing);
            *known = known.max(standing);
        }
    }
    let records = standings.into_iter().map(|(slot, standing)| Evidence {
        slot,
        answers: standing,
        order: standing,
    });
    best.records = records.collect();
    best
}

/// Returns the evidence of every record that may match.
fn evidence(
    scores: &TextScores,
    cosines: &[f32],
    (scale, chance): (&Scale, Option<&Chance<'_>>),
    allows: Option<Allows<'_>>,
) -> Vec<Evidence> {
    let is_allowed = |slot| allows.is_none_or(|allows| allows(slot));
    let mut lexical: Vec<Option<&TextScore>> = vec![None; cosines.len()];
    let mut matches = Vec::with_capacity(scores.scores.len().max(cosines.len()));
    let mut without_vector = Vec::new();
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
        // A record without a vector has NaN here, which is above no floor.
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
    // Beside others a record without a vector stands where it would stand with one.
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
        let words = words_in_cosine(found, scores.ideal);
        let by_chance = chance.map_or(0.0, |chance| chance.presumed(words));
        let beside = COSINE_WEIGHT * (expected.of(words) + words - by_chance);
        let record = by_words_alone(found, scores.ideal).map(|alone| Evidence {
            order: match is_compared {
                true => beside - scale.against + PRIOR,
                false => alone.order,
            },
            ..alone
        });
        matches.extend(record.filter(|record| is_allowed(record.slot)));
    }
    matches
}

/// What a record's words bring among answers, in evidence.
fn by_words(found: &TextScore, ideal: f32, chance: Option<&Chance<'_>>) -> f32 {
    let words = words_in_cosine(found, ideal);
    let by_chance = chance.map_or(0.0, |chance| chance.part(found.slot, words));
    COSINE_WEIGHT * (words - by_chance)
}

/// The same before what is chance is taken away, in cosine.
fn words_in_cosine(found: &TextScore, ideal: f32) -> f32 {
    let coverage = found.score / ideal.max(IDEAL_LEAST);
    COVERAGE_IN_ORDER * coverage + SCORE_IN_ORDER * saturated(found.score)
}

/// The evidence of a record that is compared by its words alone; `None` below the floor.
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

/// A record that has the whole query matches whatever else speaks against it: what is typed is
/// found where it stands.
fn raised(found: &TextScore, evidence: f32) -> f32 {
    if found.is_whole {
        evidence.max(FLOOR + saturated(found.score))
    } else {
        evidence
    }
}

fn saturated(score: f32) -> f32 {
    score / (score + SCORE_HALF)
}

/// What a query's cosines to everything say about one of them.
struct Scale {
    /// Taken away from a cosine before it is stretched.
    origin: f32,
    /// Evidence against every record.
    against: f32,
    /// How much of it is the mean of all cosines.
    usual: f32,
}

/// Mean cosine of unrelated texts.
const MEAN_USUAL: f32 = 0.02;
/// Records' worth of trust in that figure: a store of this size counts as much as it does.
const TRUST: f32 = 8.0;
/// Mean cosine from which a model's vectors lie in a cone, so that their cosines are compressed.
const COMPRESSED: f32 = 0.6;

/// What the most alike of many unrelated records gains by chance, in evidence for each standard
/// deviation of their cosines.
const CHANCE_WEIGHT: f32 = 1.2;
/// Records in the stores that the constants were fitted on, about.
const FITTED_ON: f32 = 1_600.0;
/// Smaller stores are judged as if they had so many records.
const LEAST_RECORDS: f32 = 50.0;

/// The largest of so many normal variates, about, in standard deviations. Source: extreme value
/// theory, `√(2 ln n)`.
fn best_of(count: f32) -> f32 {
    (2.0 * count.max(2.0).ln()).sqrt()
}

impl Scale {
    fn of(all: Spread, everyday: f32) -> Self {
        let Spread { mean, count } = all;
        let elsewhere = (EVERYDAY_WEIGHT * everyday).min(EVERYDAY_MOST);
        let chance = CHANCE_WEIGHT * (best_of(count.max(LEAST_RECORDS)) - best_of(FITTED_ON));
        // Of a few records nothing can be told.
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

    /// Stretches a compressed cosine as if the vectors were centred; `NaN` for `NaN`.
    fn cosine(&self, cosine: f32) -> f32 {
        (cosine - self.origin) / (1.0 - self.origin).max(f32::EPSILON)
    }
}

#[cfg(test)]
mod tests;
