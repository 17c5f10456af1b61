//! The names of the tools, as they are spelled on the wire.

use std::{fmt, str::FromStr};

/// A tool that the server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolName {
    /// Asks all three kinds of memory at once.
    Recall,
    /// Finds solved problems.
    QueryExperiences,
    /// Shares a solved problem.
    SubmitExperience,
    /// Reports whether a solved problem's solution helped.
    ReportOutcome,
    /// Counts how a failing command came to work again; for programs.
    ReportEpisode,
    /// Explains how to work with the knowledge base.
    RekallHelp,
    /// Finds entries.
    RekallSearch,
    /// Adds an entry.
    RekallAdd,
    /// Shows an entry.
    RekallShow,
    /// Lists links that wait for a decision.
    RekallSuggestLinks,
    /// Lists generalisations that wait for a decision.
    RekallSuggestGeneralize,
    /// Links two entries.
    RekallLink,
    /// Accepts a suggestion.
    RekallAcceptSuggestion,
    /// Rejects a suggestion.
    RekallRejectSuggestion,
    /// Finds libraries by name or by what they are for.
    SearchLibraries,
    /// Returns documentation of a library.
    GetLibraryDocs,
    /// Reads documentation into a library; for administrators, where the settings allow it.
    IngestLibrary,
    /// Adds two numbers; an example tool.
    CalculatorAdd,
}

impl ToolName {
    /// Every tool that a server always offers, in the order in which lists show them.
    pub const ALL: [Self; 15] = [
        Self::Recall,
        Self::QueryExperiences,
        Self::SubmitExperience,
        Self::ReportOutcome,
        Self::RekallHelp,
        Self::RekallSearch,
        Self::RekallAdd,
        Self::RekallShow,
        Self::RekallSuggestLinks,
        Self::RekallSuggestGeneralize,
        Self::RekallLink,
        Self::RekallAcceptSuggestion,
        Self::RekallRejectSuggestion,
        Self::SearchLibraries,
        Self::GetLibraryDocs,
    ];

    /// The tools of the profile `core`, which are enough for most work, in the order in which lists show them.
    pub const CORE: [Self; 6] = [
        Self::Recall,
        Self::SubmitExperience,
        Self::ReportOutcome,
        Self::RekallAdd,
        Self::RekallShow,
        Self::GetLibraryDocs,
    ];

    /// The tools that no list shows: programs beside an agent call them.
    pub const UNLISTED: [Self; 1] = [Self::ReportEpisode];

    /// Returns every name that only the server's own tools can have.
    pub fn reserved() -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .chain([Self::IngestLibrary, Self::CalculatorAdd])
            .chain(Self::UNLISTED)
    }

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::QueryExperiences => "query_experiences",
            Self::SubmitExperience => "submit_experience",
            Self::ReportOutcome => "report_outcome",
            Self::ReportEpisode => "report_episode",
            Self::RekallHelp => "rekall_help",
            Self::RekallSearch => "rekall_search",
            Self::RekallAdd => "rekall_add",
            Self::RekallShow => "rekall_show",
            Self::RekallSuggestLinks => "rekall_suggest_links",
            Self::RekallSuggestGeneralize => "rekall_suggest_generalize",
            Self::RekallLink => "rekall_link",
            Self::RekallAcceptSuggestion => "rekall_accept_suggestion",
            Self::RekallRejectSuggestion => "rekall_reject_suggestion",
            Self::SearchLibraries => "search-libraries",
            Self::GetLibraryDocs => "get-library-docs",
            Self::IngestLibrary => "ingest-library",
            Self::CalculatorAdd => "calculator_add",
        }
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ToolName {
    /// The unknown name.
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::reserved()
            .find(|tool| tool.as_str() == name)
            .ok_or_else(|| name.to_owned())
    }
}
