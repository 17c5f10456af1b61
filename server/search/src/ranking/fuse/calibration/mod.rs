//! What relevance is shown: of records that show one, about that share are right answers.
//!
//! The first record's relevance is the probability that it is right. It depends on the evidence that it
//! is an answer at all, and on its lead over the second: where several are as good, one of them is right
//! more often than the first. What the mean of the store counts against a match is given back, since it
//! says whether anything here is an answer, not which. The others' relevance falls with their distance
//! from the first; small distances count little, so that records that differ by a word show nearly the
//! same.
//!
//! The constants were fitted by logistic regression, and the weights chosen by the calibration error of
//! first results, on stores of several languages, of one subject, of 10 to 50 and of thousands of records;
//! `docs/design/search.md` has the errors on questions that nothing was chosen on.

/// Log odds of being right without evidence and without a lead.
const ALONE: f32 = -1.3;
/// What a unit of evidence of being an answer adds.
const OF_EVIDENCE: f32 = 0.4;
/// What a unit of lead adds…
const OF_LEAD: f32 = 0.6;
/// …and how much of a lead counts.
const FULL_LEAD: f32 = 4.0;
/// How fast relevance falls far behind the first record, per unit of evidence…
const FALL: f32 = 0.88;
/// …and the square of the distance up to which it hardly falls: what a word more or less makes.
const NEAR: f32 = 5.5;
/// Halvings after which a distance is known well enough.
const HALVINGS: usize = 32;
/// Behind this nothing shows more than 0.
const NOWHERE: f32 = 64.0;

/// Returns the probability that the first record is right, from the evidence that it is an answer and
/// from its lead over the second.
pub(super) fn certainty(evidence: f32, lead: f32) -> f32 {
    probability(ALONE + OF_EVIDENCE * evidence + OF_LEAD * lead.min(FULL_LEAD))
}

/// Returns the probability of given log odds: the logistic function.
pub(super) fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Returns which share of the first record's relevance a record has that is so far behind it, in units of
/// evidence; more than all of it where it is before it.
pub(crate) fn share(distance: f32) -> f32 {
    let fall = if distance < 0.0 {
        distance
    } else {
        FALL * distance.powi(3) / (NEAR + distance * distance)
    };
    (-fall).exp()
}

/// Returns how far behind the first a record is that has a share of its relevance, at most all of it:
/// the inverse of [`share`].
pub(super) fn distance(share_wanted: f32) -> f32 {
    let (mut near, mut far) = (0.0, NOWHERE);
    for _ in 0..HALVINGS {
        let middle = (near + far) / 2.0;
        if share(middle) > share_wanted {
            near = middle;
        } else {
            far = middle;
        }
    }
    near
}

#[cfg(test)]
mod tests;
