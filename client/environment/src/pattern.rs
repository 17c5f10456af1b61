//! Patterns over ASCII: quick to compile, which counts in a program that runs for each failure of an agent.

use regex::bytes::{Regex, RegexBuilder};

/// A pattern. Letters, digits and boundaries of words are those of ASCII.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Option<Regex>);

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Self {
        // A test compiles every pattern.
        Self(RegexBuilder::new(pattern).unicode(false).build().ok())
    }

    /// Returns whether it is one.
    #[cfg(test)]
    pub(crate) fn is_valid(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the groups of each match, without those that have none; the first is the whole match.
    pub(crate) fn groups<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
        let regex = self.0.iter();
        regex
            .flat_map(|regex| regex.captures_iter(text.as_bytes()))
            .filter_map(|found| {
                let groups = found.iter().flatten();
                let groups = groups.map(|group| std::str::from_utf8(group.as_bytes()));
                groups.collect::<Result<_, _>>().ok()
            })
    }

    /// Returns each match.
    pub(crate) fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        self.groups(text)
            .filter_map(|groups| groups.first().copied())
    }
}
