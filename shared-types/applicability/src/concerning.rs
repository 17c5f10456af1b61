//! The part of an environment that concerns a record, and claims in words.

use std::fmt;

use recall_kit_shared_types::applicability::{Environment, NamedVersion};

use crate::{
    PackageName, Subject,
    claims::{Claim, Claims},
};

impl Claims {
    /// Returns what of an environment the record names, apart from what others reported; all of it if it names nothing
    /// of it. At most `most` packages, runtimes and tools remain, of each.
    pub fn concerning(&self, environment: Environment, most: usize) -> Environment {
        let named = |subject: &Subject| {
            let mut own = self.iter().filter(|claim| claim.support.is_none());
            own.any(|claim| claim.subject == *subject)
        };
        let mut part = environment.clone();
        part.packages.retain(|package| {
            let name = PackageName::parse(&package.purl);
            name.is_ok_and(|name| named(&Subject::Package(name)))
        });
        let is_named =
            |subject: fn(&str) -> Subject| move |item: &NamedVersion| named(&subject(&item.name));
        part.runtimes.retain(is_named(Subject::runtime));
        part.tools.retain(is_named(Subject::tool));
        let are_named = [part.packages.len(), part.runtimes.len(), part.tools.len()];
        if are_named == [0; 3] {
            part = environment;
        }
        part.packages.truncate(most);
        part.runtimes.truncate(most);
        part.tools.truncate(most);
        part
    }
}

/// Shows the subject and its versions: `react <19`.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.range {
            Some(range) => write!(f, "{} {}", self.subject, range.describe()),
            None => self.subject.fmt(f),
        }
    }
}
