//! The parts of relevances, for the log and for clients that request them.
//!
//! The log contains ids and figures, never the query or a record's text.

use std::fmt::Write as _;

use recall_kit_search::{Hit, Hits, Parts};
use recall_kit_shared_types::RelevanceParts;

/// Figures are rounded to four digits.
const DIGITS: f64 = 10_000.0;

/// Returns a figure of 0–1, rounded as clients get it.
pub(crate) fn shown(figure: f32) -> f64 {
    (f64::from(figure) * DIGITS).round() / DIGITS
}

/// Returns whether the line of [`log`] would be logged.
pub(crate) fn is_logged() -> bool {
    tracing::event_enabled!(tracing::Level::DEBUG)
}

/// Logs the parts of each hit's rank on a page, in one line, at debug level.
pub(crate) fn log(hits: &Hits, parts: &[RelevanceParts]) {
    if !is_logged() {
        return;
    }
    let mut listed = String::new();
    for (hit, parts) in hits.hits.iter().zip(parts) {
        let separator = if listed.is_empty() { "" } else { "; " };
        // Writing to a string cannot fail.
        let _ = write!(
            listed,
            "{separator}{} {:.4} = lexical {:.4} + semantic {:.4} + fingerprint {:.4}, popularity {:.4}, \
             recency {:.4}, rank {:.4}",
            parts.id,
            shown(hit.relevance),
            parts.lexical,
            parts.semantic,
            parts.fingerprint,
            parts.popularity,
            parts.recency,
            parts.rank,
        );
    }
    tracing::debug!(total = hits.total, hits = listed, "ranked");
}

/// Returns the parts of a page's hits as clients get them.
pub(crate) fn shown_parts(hits: &[Hit], parts: &[Parts]) -> Vec<RelevanceParts> {
    let both = hits.iter().zip(parts);
    both.map(|(hit, parts)| shown_part(hit, parts)).collect()
}

fn shown_part(hit: &Hit, parts: &Parts) -> RelevanceParts {
    let [lexical, semantic, fingerprint] = rounded(
        [parts.lexical, parts.semantic, parts.fingerprint],
        hit.relevance,
    );
    RelevanceParts {
        id: hit.id.to_string(),
        lexical,
        semantic,
        fingerprint,
        popularity: shown(parts.popularity),
        recency: shown(parts.recency),
        rank: shown(parts.rank),
    }
}

/// Rounds parts so that they still add up to their rounded sum: the largest takes the difference.
fn rounded(parts: [f32; 3], sum: f32) -> [f64; 3] {
    let units = |figure: f32| (f64::from(figure) * DIGITS).round();
    let mut rounded = parts.map(units);
    let difference = units(sum) - rounded.iter().sum::<f64>();
    let largest = rounded.iter_mut().max_by(|a, b| a.total_cmp(b));
    if let Some(largest) = largest {
        *largest += difference;
    }
    rounded.map(|units| units / DIGITS)
}

#[cfg(test)]
mod tests;
