//! What relevances are made of, told to the log and to clients that ask.
//!
//! The log gets ids and figures, never the query or a record's text.

use std::fmt::Write as _;

use recall_kit_search::{Hit, Hits, Parts};
use recall_kit_shared_types::RelevanceParts;

/// Four digits say all there is to say.
const DIGITS: f64 = 10_000.0;

/// Returns a figure of 0–1 as it is shown.
pub(crate) fn shown(figure: f32) -> f64 {
    (f64::from(figure) * DIGITS).round() / DIGITS
}

/// Returns whether the log takes the line of [`log`].
pub(crate) fn is_logged() -> bool {
    tracing::event_enabled!(tracing::Level::DEBUG)
}

/// Logs what places each hit of a page, in one line, at debug level.
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

/// Rounds parts so that what is shown of them still adds up to what is shown of the whole: the
/// largest takes the rest.
fn rounded(parts: [f32; 3], whole: f32) -> [f64; 3] {
    let units = |figure: f32| (f64::from(figure) * DIGITS).round();
    let mut rounded = parts.map(units);
    let rest = units(whole) - rounded.iter().sum::<f64>();
    let largest = rounded.iter_mut().max_by(|a, b| a.total_cmp(b));
    if let Some(largest) = largest {
        *largest += rest;
    }
    rounded.map(|units| units / DIGITS)
}

#[cfg(test)]
mod tests;
