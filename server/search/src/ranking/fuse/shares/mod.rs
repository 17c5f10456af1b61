//! How much each signal contributes to a relevance.
//!
//! Relevance is not a sum: it is a probability that falls with the distance from the best record. Only the
//! evidence for a record can be divided by signal. So its relevance is divided in the proportions of the
//! evidence that determines its order score. Evidence against all records alike is left out.

use super::{COSINE_WEIGHT, Chance, Cosines, OwnLanguage, Scale, TextScore, TextScores, by_words};

/// The signals of a query for all records.
pub(crate) struct Signals<'a> {
    /// The scores of the words in common.
    pub(crate) scores: &'a TextScores,
    /// The part of these scores that comes from whole error messages of the query.
    pub(crate) fingerprints: &'a [TextScore],
    /// As in [`super::matches`].
    pub(crate) cosines: Option<Cosines<'a>>,
    /// As in [`super::MatchOptions`].
    pub(crate) everyday: f32,
    /// As in [`super::MatchOptions`].
    pub(crate) language: Option<OwnLanguage<'a>>,
}

/// The shares of the signals in a relevance; each 0–1, with a sum of 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shares {
    pub(crate) lexical: f32,
    pub(crate) semantic: f32,
    pub(crate) fingerprint: f32,
}

impl Signals<'_> {
    /// Returns the shares for each record of a page.
    pub(crate) fn shares(&self, slots: &[u32]) -> Vec<Shares> {
        let cosines = self.cosines.unwrap_or(Cosines::of(&[]));
        let scale = Scale::of(cosines.all, self.everyday);
        let chance = Chance::of(self.language, &self.scores.scores, self.scores.ideal);
        let scores = of_slots(&self.scores.scores, slots);
        let fingerprints = of_slots(self.fingerprints, slots);
        let shares = slots.iter().enumerate().map(|(at, slot)| {
            let score_in = |found: &[Option<TextScore>]| found.get(at).copied().flatten();
            let cosine = cosines
                .of_slots
                .get(*slot as usize)
                .map(|c| scale.cosine(*c));
            let words =
                score_in(&scores).map(|found| by_words(&found, self.scores.ideal, chance.as_ref()));
            let score = score_in(&scores).map_or(0.0, |found| found.score);
            let message = score_in(&fingerprints).map_or(0.0, |found| found.score);
            Shares::of(
                words.unwrap_or(0.0),
                message / score.max(f32::EPSILON),
                COSINE_WEIGHT * cosine.filter(|c| !c.is_nan()).unwrap_or(0.0),
            )
        });
        shares.collect()
    }
}

/// Returns the scores of the records of a page, `None` for a record without one.
fn of_slots(scores: &[TextScore], slots: &[u32]) -> Vec<Option<TextScore>> {
    let mut found = vec![None; slots.len()];
    for score in scores {
        if let Some(at) = slots.iter().position(|slot| *slot == score.slot)
            && let Some(place) = found.get_mut(at)
        {
            *place = Some(*score);
        }
    }
    found
}

impl Shares {
    /// Divides by the evidence of the words, of which `message` is the share of whole error messages, and by
    /// that of the meaning.
    fn of(words: f32, message: f32, meaning: f32) -> Self {
        let (words, meaning) = (words.max(0.0), meaning.max(0.0));
        let all = words + meaning;
        // A hit without any evidence from words has only its meaning, however weak that is.
        let by_words = if all > 0.0 { words / all } else { 0.0 };
        let fingerprint = by_words * message.clamp(0.0, 1.0);
        Self {
            lexical: by_words - fingerprint,
            semantic: 1.0 - by_words,
            fingerprint,
        }
    }
}

#[cfg(test)]
mod tests;
