//! The parameters of the search page, and the address of a search.

use recall_kit_code::names as language_names;
use recall_kit_shared_types::{knowledge::EntryType, libraries::DocsMode, limits::MAX_QUERY_CHARS};
use serde::Deserialize;

use crate::http::address::with_query;

/// The highest page number of any search.
const MAX_PAGE: u64 = 200;

/// The default number of results on a page of one family.
pub(super) const FEWER: u32 = 20;
/// The other possible number.
pub(super) const MORE: u32 = 50;

/// Which families are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Where {
    #[default]
    Everywhere,
    Experiences,
    Knowledge,
    Documentation,
}

impl Where {
    const ALL: [Self; 4] = [
        Self::Everywhere,
        Self::Experiences,
        Self::Knowledge,
        Self::Documentation,
    ];

    /// Returns its name in addresses.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Everywhere => "",
            Self::Experiences => "experiences",
            Self::Knowledge => "knowledge",
            Self::Documentation => "documentation",
        }
    }
}

/// The parameters of an address, not checked yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Params {
    q: String,
    r#in: String,
    r#type: String,
    project: String,
    library: String,
    mode: String,
    language: String,
    n: String,
    page: String,
}

/// A query with its filters and its page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SearchQuery {
    /// The trimmed text of the query; empty on the start page.
    pub(super) text: String,
    /// The families to search.
    pub(super) place: Where,
    /// Only entries of this type.
    pub(super) kind: Option<EntryType>,
    /// Only entries of this project.
    pub(super) project: Option<String>,
    /// Only documentation of the library with this name.
    pub(super) library: Option<String>,
    /// Only documentation of this kind.
    pub(super) mode: Option<DocsMode>,
    /// Only examples in this programming language, by its usual name.
    pub(super) language: Option<&'static str>,
    /// The number of results on a page of one family.
    pub(super) size: u32,
    /// The number of the page, counted from 1.
    pub(super) page: u64,
}

impl SearchQuery {
    /// Checks the parameters of an address.
    ///
    /// *Errors*: a message that says which parameter is wrong.
    pub(super) fn of(params: Params) -> Result<Self, String> {
        let text = params.q.trim();
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err("q must not be longer than 10,000 characters".to_owned());
        }
        let place = Where::ALL
            .into_iter()
            .find(|one| one.as_str() == params.r#in);
        Ok(Self {
            text: text.to_owned(),
            place: place.ok_or_else(|| unknown("in", &params.r#in))?,
            kind: chosen("type", &params.r#type)?,
            project: non_empty(params.project),
            library: non_empty(params.library),
            mode: chosen("mode", &params.mode)?,
            language: language_of(&params.language)?,
            size: size_of(&params.n)?,
            page: page_of(&params.page)?,
        })
    }

    /// Whether any filter except the family is set.
    pub(super) fn has_filters(&self) -> bool {
        let Self {
            kind,
            project,
            library,
            mode,
            language,
            size,
            ..
        } = self;
        let of_documentation = library.is_some() || mode.is_some() || language.is_some();
        kind.is_some() || project.is_some() || of_documentation || *size == MORE
    }

    /// Returns the address of a page of the same search in one family.
    pub(super) fn address(&self, place: Where, page: u64) -> String {
        let page = match page {
            0 | 1 => String::new(),
            later => later.to_string(),
        };
        let size = self.size.to_string();
        let parameters = [
            ("q", self.text.as_str()),
            ("in", place.as_str()),
            ("type", self.kind.map_or("", EntryType::as_str)),
            ("project", self.project.as_deref().unwrap_or_default()),
            ("library", self.library.as_deref().unwrap_or_default()),
            ("mode", self.mode.map_or("", DocsMode::as_str)),
            ("language", self.language.unwrap_or_default()),
            ("n", if self.size == FEWER { "" } else { &size }),
            ("page", &page),
        ];
        with_query("/", parameters)
    }
}

fn non_empty(text: String) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn chosen<T: std::str::FromStr>(name: &str, word: &str) -> Result<Option<T>, String> {
    match word {
        "" => Ok(None),
        word => word.parse().map(Some).map_err(|_| unknown(name, word)),
    }
}

/// Parses the name of a programming language.
fn language_of(word: &str) -> Result<Option<&'static str>, String> {
    let known = language_names().find(|name| *name == word);
    match word {
        "" => Ok(None),
        word => known.map(Some).ok_or_else(|| unknown("language", word)),
    }
}

/// Parses the number of results on a page.
fn size_of(param: &str) -> Result<u32, String> {
    let sizes = [FEWER, MORE];
    match param {
        "" => Ok(FEWER),
        number => {
            let size = sizes.into_iter().find(|size| size.to_string() == number);
            size.ok_or_else(|| format!("n must be {FEWER} or {MORE}"))
        }
    }
}

/// Parses the number of a page; 1 if the parameter is empty.
///
/// *Errors*: a message that says which numbers are allowed.
pub(crate) fn page_of(param: &str) -> Result<u64, String> {
    match param {
        "" => Ok(1),
        number => {
            let page = number.parse().ok();
            let page = page.filter(|page| (1..=MAX_PAGE).contains(page));
            page.ok_or_else(|| format!("page must be a whole number from 1 to {MAX_PAGE}"))
        }
    }
}

fn unknown(name: &str, word: &str) -> String {
    let shown: String = word.chars().filter(|c| !c.is_control()).take(40).collect();
    format!("{name} must be one of the listed values, not {shown:?}")
}

#[cfg(test)]
mod tests;
