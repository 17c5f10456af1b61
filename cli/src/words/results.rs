//! The words around the results of `query`.

use super::Ages;

/// The least relevance of each word in [`ResultWords::fits`] but the last. From 0.5 on a record is more
/// likely an answer than not.
const FITS_FROM: [f64; 3] = [0.85, 0.5, 0.2];

/// The results of `query`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResultWords {
    pub(crate) nothing: &'static str,
    /// What to do then.
    pub(crate) nothing_hint: &'static str,
    /// With `{}` for how many there are.
    pub(crate) nothing_more: &'static str,
    /// With `{}` for how many are shown and again for how many there are.
    pub(crate) shown: &'static str,
    pub(crate) problem: &'static str,
    pub(crate) cause: &'static str,
    pub(crate) solution: &'static str,
    pub(crate) context: &'static str,
    pub(crate) score: &'static str,
    /// How well a record fits, from the best fit down; see [`ResultWords::closeness`].
    pub(crate) fits: [&'static str; 4],
    /// With `{}` for how often.
    pub(crate) seen: &'static str,
    pub(crate) ages: Ages,
    /// With `{}` for a server and again for the reason.
    pub(crate) unanswered: &'static str,
    /// With `{}` for the kind of problem.
    pub(crate) about: &'static str,
    /// Where Ctrl-C ended it.
    pub(crate) dropped: &'static str,
    /// Where a server does not say what its relevances are made of.
    pub(crate) no_parts: &'static str,
    /// With `{}` for a relevance and its lexical, semantic and fingerprint parts.
    pub(crate) relevance: &'static str,
    /// With `{}` for popularity, recency and rank.
    pub(crate) rank: &'static str,
    /// Stand beside the spinner.
    pub(crate) searching: &'static str,
    pub(crate) sending: &'static str,
}

impl ResultWords {
    /// Says in words how well a record fits.
    pub(crate) fn closeness(&self, relevance: f64) -> &'static str {
        let place = FITS_FROM.iter().position(|least| relevance >= *least);
        let [.., worst] = self.fits;
        let word = place.and_then(|place| self.fits.get(place));
        word.copied().unwrap_or(worst)
    }
}
