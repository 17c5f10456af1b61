//! The projects that a key or a user is limited to.

use std::fmt;

use crate::{Result, database::columns::damaged};

/// Which projects somebody may see and write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Projects {
    /// Every one, and what belongs to none.
    #[default]
    All,
    /// Only these.
    Only(ProjectSet),
}

/// Names of projects, at least one, no two of which are the same in any case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSet(Vec<String>);

impl ProjectSet {
    /// Returns the names, in the order in which they were given.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl Projects {
    /// Makes a limit of names; the first of those that differ only in case stays. `None` where there
    /// are no names: a limit to nothing would let nobody do anything.
    pub fn only(names: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut only: Vec<String> = Vec::new();
        for name in names {
            if !only.iter().any(|known| same(known, &name)) {
                only.push(name);
            }
        }
        (!only.is_empty()).then_some(Self::Only(ProjectSet(only)))
    }

    /// Whether there is no limit.
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// Returns the names of a limit; none where there is no limit.
    pub fn names(&self) -> Option<&[String]> {
        match self {
            Self::All => None,
            Self::Only(set) => Some(set.names()),
        }
    }

    /// Whether what belongs to a project, or to none, is within reach. A limit leaves out what
    /// belongs to none.
    pub fn allow(&self, project: Option<&str>) -> bool {
        match self {
            Self::All => true,
            Self::Only(set) => {
                project.is_some_and(|project| set.0.iter().any(|name| same(name, project)))
            }
        }
    }

    /// Returns the project that is meant where none is named: that of a limit to exactly one.
    pub fn sole(&self) -> Option<&str> {
        match self.names() {
            Some([name]) => Some(name),
            _ => None,
        }
    }

    /// Writes the column that keeps them: a JSON list, or null for all.
    pub(crate) fn column(&self) -> Option<String> {
        self.names()
            .map(|names| serde_json::Value::from(names.to_vec()).to_string())
    }

    /// Reads the column. What cannot be read is an error and never no limit.
    pub(crate) fn of_column(column: Option<&str>, id: &str) -> Result<Self> {
        let Some(column) = column else {
            return Ok(Self::All);
        };
        let names: Option<Vec<String>> = serde_json::from_str(column).ok();
        names
            .and_then(Self::only)
            .ok_or_else(|| damaged("list of projects", id))
    }
}

/// Lists the names for people.
impl fmt::Display for Projects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.names() {
            None => f.pad("all"),
            Some(names) => f.pad(&names.join(", ")),
        }
    }
}

/// Whether two names mean one project.
fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}
