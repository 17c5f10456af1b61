//! How much of a relevance each signal brings.
//!
//! Relevance is no sum: it is a probability, and falls with the distance from the best record. What
//! can be told apart is the evidence that speaks for a record, so its relevance is divided among the
//! signals as the evidence is that puts it in order. What speaks against every record alike is left
//! out.

use super::{COSINE_WEIGHT, Chance, Cosines, OwnLanguage, Scale, TextScore, TextScores, by_words};

/// What a query's signals say of all records.
pub(crate) struct Signals<'a> {
    /// The words in common.
    pub(crate) scores: &'a TextScores,
    /// What of that is the query's error messages as a whole.
    pub(crate) fingerprints: &'a [TextScore],
    /// As in [`super::matches`].
    pub(crate) cosines: Option<Cosines<'a>>,
    /// As in [`super::Asked`].
    pub(crate) everyday: f32,
    /// As in [`super::Asked`].
    pub(crate) language: Option<OwnLanguage<'a>>,
}

/// The shares of the signals in a relevance; 0–1, 1 in all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shares {
    pub(crate) lexical: f32,
    pub(crate) semantic: f32,
    pub(crate) fingerprint: f32,
}

impl Signals<'_> {
    /// Returns the shares of each of a page's records.
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

/// Finds the scores of a page's records.
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
    /// Divides by the evidence of the words, of which a share is an error message as a whole, and by
    /// that of the meaning.
    fn of(words: f32, message: f32, meaning: f32) -> Self {
        let (words, meaning) = (words.max(0.0), meaning.max(0.0));
        let all = words + meaning;
        // Without any evidence there would be no hit; then the meaning, however faint, is all there is.
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
