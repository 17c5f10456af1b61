//! The names of the tools, as the documents spell them.

use std::{fmt, str::FromStr};

/// A tool that the server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolName {
    /// Finds solved problems.
    QueryExperiences,
    /// Shares a solved problem.
    SubmitExperience,
    /// Adds two numbers: the example tool.
    CalculatorAdd,
}

impl ToolName {
    /// Every tool that a server always offers, in the order in which lists show them.
    pub const ALL: [Self; 2] = [Self::QueryExperiences, Self::SubmitExperience];
    /// Names that only the server's own tools can have.
    pub const RESERVED: [Self; 3] = [
        Self::QueryExperiences,
        Self::SubmitExperience,
        Self::CalculatorAdd,
    ];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::QueryExperiences => "query_experiences",
            Self::SubmitExperience => "submit_experience",
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
        Self::RESERVED
            .into_iter()
            .find(|tool| tool.as_str() == name)
            .ok_or_else(|| name.to_owned())
    }
}
