//! The words around the results of `query`.

use super::Ages;

/// The results of `query`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResultWords {
    pub(crate) nothing: &'static str,
    /// With `{}` for how many there are.
    pub(crate) nothing_more: &'static str,
    /// With `{}` for how many are shown and again for how many there are.
    pub(crate) shown: &'static str,
    pub(crate) problem: &'static str,
    pub(crate) cause: &'static str,
    pub(crate) solution: &'static str,
    pub(crate) context: &'static str,
    pub(crate) score: &'static str,
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
