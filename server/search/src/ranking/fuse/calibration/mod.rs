//! Calibration of relevance: of the records that are shown with some relevance, about that share are right
//! answers.
//!
//! The first record's relevance is the probability that it is right. It depends on the evidence that it is an
//! answer at all, and on its lead over the second record: if several are equally good, it is more likely that
//! one of the others is right. The evidence that the mean cosine of the store counts against a match is added
//! back, because it says whether there is an answer at all, not which record it is. The relevance of the other
//! records falls with their distance from the first; small distances count little, so that records that differ
//! by a word show nearly the same relevance.
//!
//! The constants were fitted by logistic regression, and the weights were chosen by the calibration error of
//! first results, on stores of several languages, of one subject, of 10 to 50 and of thousands of records.
//! `docs/design/search.md` has the errors on questions that were not used for any choice.

/// Log odds of being right without evidence and without a lead.
const INTERCEPT: f32 = -1.3;
/// What a unit of evidence of being an answer adds to the log odds.
const EVIDENCE_WEIGHT: f32 = 0.4;
/// What a unit of lead adds to the log odds.
const LEAD_WEIGHT: f32 = 0.6;
/// The largest lead that counts.
const FULL_LEAD: f32 = 4.0;
/// How fast relevance falls far behind the first record, per unit of evidence.
const FALL: f32 = 0.88;
/// The square of the distance up to which relevance hardly falls: about that of one more or one fewer word in
/// common.
const NEAR: f32 = 5.5;
/// Bisection steps after which a distance is precise enough.
const HALVINGS: usize = 32;
/// The largest distance; every record behind it has a relevance of 0.
const MAX_DISTANCE: f32 = 64.0;

/// Returns the probability that the first record is right, from the evidence that it is an answer and its lead
/// over the second.
pub(super) fn certainty(evidence: f32, lead: f32) -> f32 {
    probability(INTERCEPT + EVIDENCE_WEIGHT * evidence + LEAD_WEIGHT * lead.min(FULL_LEAD))
}

/// Returns the probability for log odds: the logistic function.
pub(super) fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Returns the share of the first record's relevance that a record at a distance behind it has, in units of
/// evidence; more than 1 for a negative distance.
pub(crate) fn share(distance: f32) -> f32 {
    (-fall(distance)).exp()
}

/// Returns the logarithm of how many times smaller the relevance is at a distance.
fn fall(distance: f32) -> f32 {
    if distance < 0.0 {
        distance
    } else {
        FALL * distance.powi(3) / (NEAR + distance * distance)
    }
}

/// Returns the distance behind the first record at which a record has a share of its relevance, at most 1: the
/// inverse of [`share`].
pub(crate) fn distance(share_wanted: f32) -> f32 {
    let fall_wanted = -share_wanted.ln();
    let (mut near, mut far) = (0.0, MAX_DISTANCE);
    for _ in 0..HALVINGS {
        let middle = (near + far) / 2.0;
        if fall(middle) < fall_wanted {
            near = middle;
        } else {
            far = middle;
        }
    }
    near
}

#[cfg(test)]
mod tests;
