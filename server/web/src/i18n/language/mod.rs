//! The language of a page: what the visitor chose, else what the browser asks for.

use axum::http::{HeaderMap, header};

/// A language that the pages speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Language {
    #[default]
    English,
    Chinese,
    French,
}

impl Language {
    /// Every language, in the order of the switch.
    pub(crate) const ALL: [Self; 3] = [Self::English, Self::Chinese, Self::French];

    /// Returns its code. Source: BCP 47.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
            Self::French => "fr",
        }
    }

    /// Returns its name in itself.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "中文",
            Self::French => "Français",
        }
    }

    /// Finds the language of a code, whatever region follows.
    pub(crate) fn of(code: &str) -> Option<Self> {
        let language = code.split('-').next().unwrap_or_default().trim();
        let mut all = Self::ALL.into_iter();
        all.find(|one| one.code().eq_ignore_ascii_case(language))
    }

    /// Returns the language that a browser likes best of those there are. Source: RFC 9110, 12.5.4.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let lists = headers.get_all(header::ACCEPT_LANGUAGE).iter();
        let lists = lists.filter_map(|list| list.to_str().ok());
        let wanted = lists.flat_map(|list| list.split(',')).filter_map(weighed);
        // Of those liked alike the first.
        let best = wanted.fold(None, |best: Option<(f32, Self)>, one| match best {
            Some(known) if known.0 >= one.0 => Some(known),
            _ => Some(one),
        });
        best.map(|(_, language)| language).unwrap_or_default()
    }
}

/// Reads `fr-CH;q=0.8`; none of a language that the pages do not speak, or that is not wanted.
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
