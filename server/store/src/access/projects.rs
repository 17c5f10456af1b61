//! The projects that a key or a user is limited to.

use std::fmt;

use crate::{Result, database::columns::damaged};

/// Which projects a key or a user may see and write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Projects {
    /// All projects, and entries without a project.
    #[default]
    All,
    /// Only these.
    Only(ProjectSet),
}

/// Names of projects: at least one, without duplicates regardless of case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSet(Vec<String>);

impl ProjectSet {
    /// Returns the names in their original order.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl Projects {
    /// Creates a limit to these projects; of names that differ only in case the first is kept. `None`
    /// if there are no names, since a limit to no project would forbid everything.
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

    /// Whether entries of a project, or without a project, may be seen and written. A limit excludes
    /// entries without a project.
    pub fn allow(&self, project: Option<&str>) -> bool {
        match self {
            Self::All => true,
            Self::Only(set) => {
                project.is_some_and(|project| set.0.iter().any(|name| same(name, project)))
            }
        }
    }

    /// Returns the default project: the one of a limit to exactly one project.
    pub fn sole(&self) -> Option<&str> {
        match self.names() {
            Some([name]) => Some(name),
            _ => None,
        }
    }

    /// Returns the column value: a JSON list, or null for all projects.
    pub(crate) fn column(&self) -> Option<String> {
        self.names()
            .map(|names| serde_json::Value::from(names.to_vec()).to_string())
    }

    /// Reads the column. An unreadable value is an error; it is never read as "no limit".
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

/// Whether two names denote the same project.
fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}
