//! The terms of a query. Of the output of a failed build they are the words of its essence, in which the names of code
//! count more than the words around them.

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;
use recall_kit_build_log::BuildFailure;

use crate::words::analysis::{exact_terms, index_terms, is_fingerprint};

/// Query terms after this many distinct ones are ignored: a pasted log must not stall the server.
const MAX_QUERY_TERMS: usize = 1_000;
/// How much a name in the output of a build counts; the other words of its essence count once.
const NAME_WEIGHT: f32 = 3.0;
/// How much the words outside of its essence count: they decide between records with the same essence.
const REST_WEIGHT: f32 = 0.1;

/// The terms of a query.
pub(crate) struct QueryTerms {
    /// In order of appearance.
    pub(crate) terms: IndexSet<String>,
    /// The terms that are identifiers or codes.
    exact: HashSet<String>,
    /// The weights of terms that do not count once.
    weights: HashMap<String, f32>,
    /// Whether the query is the output of a failed build.
    is_build_output: bool,
}

impl QueryTerms {
    /// Analyses a query.
    pub(crate) fn of(text: &str) -> Self {
        match BuildFailure::of(text) {
            Some(failure) => Self::of_failure(&failure, text),
            None => Self::of_text(text),
        }
    }

    fn of_text(text: &str) -> Self {
        let mut distinct: IndexSet<String> = index_terms(text).into_iter().collect();
        distinct.truncate(MAX_QUERY_TERMS);
        Self {
            terms: distinct,
            exact: exact_terms(text),
            weights: HashMap::new(),
            is_build_output: false,
        }
    }

    fn of_failure(failure: &BuildFailure, text: &str) -> Self {
        let mut query = Self::of_text(&failure.essence());
        query.is_build_output = true;
        let names = [&failure.symbols, &failure.dependencies, &failure.codes];
        let names = names.into_iter().flatten();
        for term in names.flat_map(|name| index_terms(name)) {
            query.weights.insert(term, NAME_WEIGHT);
        }
        for term in index_terms(text) {
            if query.terms.len() < MAX_QUERY_TERMS && !query.terms.contains(&term) {
                query.weights.insert(term.clone(), REST_WEIGHT);
                query.terms.insert(term);
            }
        }
        query
    }

    /// Returns only the terms that are fingerprints of whole error messages.
    pub(crate) fn fingerprints(&self) -> Self {
        let terms = self.terms.iter().filter(|term| is_fingerprint(term));
        Self {
            terms: terms.cloned().collect(),
            exact: HashSet::new(),
            weights: HashMap::new(),
            is_build_output: false,
        }
    }

    /// Whether the query is the output of a failed build.
    pub(crate) fn is_build_output(&self) -> bool {
        self.is_build_output
    }

    /// Whether a term is an identifier or a code.
    pub(crate) fn is_exact(&self, term: &str) -> bool {
        self.exact.contains(term)
    }

    /// Returns how much a term counts besides its rarity.
    pub(crate) fn weight(&self, term: &str) -> f32 {
        self.weights.get(term).copied().unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests;
