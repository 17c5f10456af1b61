//! The language of a page: the one that the visitor chose, else the one that the browser prefers.

use axum::http::{HeaderMap, header};
use recall_kit_i18n::Language;

/// Returns the available language that a browser prefers. Source: RFC 9110, 12.5.4.
pub(crate) fn accepted(headers: &HeaderMap) -> Language {
    let lists = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let lists = lists.filter_map(|list| list.to_str().ok());
    let accepted = lists.flat_map(|list| list.split(',')).filter_map(weighed);
    // The first of several with the same weight.
    let best = accepted.fold(None, |best: Option<(f32, Language)>, one| match best {
        Some(known) if known.0 >= one.0 => Some(known),
        _ => Some(one),
    });
    best.map(|(_, language)| language).unwrap_or_default()
}

/// Parses a language range such as `fr-CH;q=0.8`; `None` if the language is not available or has weight 0.
fn weighed(range: &str) -> Option<(f32, Language)> {
    let (code, weight) = match range.split_once(';') {
        Some((code, weight)) => (code, weight.trim().strip_prefix("q=")?.parse().ok()?),
        None => (range, 1.0),
    };
    Language::of(code)
        .filter(|_| weight > 0.0)
        .map(|language| (weight, language))
}

#[cfg(test)]
mod tests;
