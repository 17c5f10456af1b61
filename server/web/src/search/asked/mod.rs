//! What an address asks the search for, and the address of what is asked.

use recall_kit_documents::language_names;
use recall_kit_shared_types::{knowledge::EntryType, libraries::DocsMode, limits::MAX_QUERY_CHARS};
use serde::Deserialize;

use crate::http::address::with_query;

/// The last page of any search.
const MAX_PAGE: u64 = 200;

/// Results on a page of one family, where nothing else is asked for.
pub(super) const FEWER: u32 = 20;
/// The other choice.
pub(super) const MORE: u32 = 50;

/// Where is searched.
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

    /// Returns its word in addresses.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Everywhere => "",
            Self::Experiences => "experiences",
            Self::Knowledge => "knowledge",
            Self::Documentation => "documentation",
        }
    }
}

/// The parameters of an address, as they come.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Typed {
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

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Asked {
    /// Trimmed; empty where nothing is looked for yet.
    pub(super) text: String,
    /// Where to look.
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
    /// Results on a page of one family.
    pub(super) size: u32,
    /// From 1 on.
    pub(super) page: u64,
}

impl Asked {
    /// Reads what an address asks for.
    ///
    /// *Errors*: what is wrong with it, in words.
    pub(super) fn of(typed: Typed) -> Result<Self, String> {
        let text = typed.q.trim();
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err("q must not be longer than 10,000 characters".to_owned());
        }
        let place = Where::ALL
            .into_iter()
            .find(|one| one.as_str() == typed.r#in);
        Ok(Self {
            text: text.to_owned(),
            place: place.ok_or_else(|| unknown("in", &typed.r#in))?,
            kind: chosen("type", &typed.r#type)?,
            project: given(typed.project),
            library: given(typed.library),
            mode: chosen("mode", &typed.mode)?,
            language: language_of(&typed.language)?,
            size: size_of(&typed.n)?,
            page: page_of(&typed.page)?,
        })
    }

    /// Whether any filter but the family is set.
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

fn given(text: String) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn chosen<T: std::str::FromStr>(name: &str, word: &str) -> Result<Option<T>, String> {
    match word {
        "" => Ok(None),
        word => word.parse().map(Some).map_err(|_| unknown(name, word)),
    }
}

/// Reads the name of a programming language.
fn language_of(word: &str) -> Result<Option<&'static str>, String> {
    let known = language_names().find(|name| *name == word);
    match word {
        "" => Ok(None),
        word => known.map(Some).ok_or_else(|| unknown("language", word)),
    }
}

/// Reads how many results a page has.
fn size_of(typed: &str) -> Result<u32, String> {
    let sizes = [FEWER, MORE];
    match typed {
        "" => Ok(FEWER),
        number => {
            let size = sizes.into_iter().find(|size| size.to_string() == number);
            size.ok_or_else(|| format!("n must be {FEWER} or {MORE}"))
        }
    }
}

/// Reads the number of a page; the first where there is none.
///
/// *Errors*: what is wrong with it, in words.
pub(crate) fn page_of(typed: &str) -> Result<u64, String> {
    match typed {
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
    format!("{name} knows no {shown:?}; choose one of the list")
}

#[cfg(test)]
mod tests;
