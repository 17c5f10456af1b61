//! The user's allow list: findings that stay. A finding stays only when an entry is the whole of it.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

use crate::custom::CustomError;

/// Largest compiled size of an entry's expression, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// An expression that lets through this many of the unrelated [`PROBES`] is meant for none of them.
const TOO_MANY: usize = 3;

/// Values that have nothing in common but that some rule removes their like.
const PROBES: &[&str] = &[
    "hunter-86-x",
    "correct horse 42 staple!",
    "9f86d081884c7d659a2feaa0c55ad015",
    "7C9E6679-7425-40DE-944B-E07FC1F90AE7",
    "q83kDl2Nf9ZpLw0vTr5",
    "nadia.k@oakmere-clinic.net",
    "db01.prod.oakmere.internal",
    "10.104.87.198",
    "nkurosawa",
    "Nadia Kurosawa",
    "+49 151 2345 6789",
    "密码是什么",
];

/// What stays although a rule finds it.
#[derive(Debug, Default)]
pub(crate) struct Allow {
    /// Entries and their places in the list, counted from 1.
    exact: HashMap<String, usize>,
    patterns: Vec<(Regex, usize)>,
}

impl Allow {
    /// Reads the entries: exact strings, and expressions between slashes.
    ///
    /// *Errors*: [`CustomError::AllowEmpty`], [`CustomError::AllowPattern`] and
    /// [`CustomError::AllowTooBroad`], which give the entry's place in the list.
    pub(crate) fn new(entries: &[String]) -> Result<Self, CustomError> {
        let mut allow = Self::default();
        for (number, entry) in (1..).zip(entries) {
            let expression = entry
                .strip_prefix('/')
                .and_then(|rest| rest.strip_suffix('/'));
            match expression {
                _ if entry.trim().is_empty() => return Err(CustomError::AllowEmpty { number }),
                None => {
                    allow.exact.entry(entry.clone()).or_insert(number);
                }
                Some(expression) => {
                    let pattern = pattern(expression, number)?;
                    allow.patterns.push((pattern, number));
                }
            }
        }
        Ok(allow)
    }

    /// Whether the whole finding is allowed.
    pub(crate) fn allows(&self, found: &str) -> bool {
        self.entry(found).is_some()
    }

    /// Returns the place of the entry that allows the whole finding, counted from 1.
    pub(crate) fn entry(&self, found: &str) -> Option<usize> {
        let exact = self.exact.get(found).copied();
        exact.or_else(|| {
            let mut patterns = self.patterns.iter();
            let allows = patterns.find(|(pattern, _)| pattern.is_match(found));
            allows.map(|(_, number)| *number)
        })
    }

    /// Whether nothing is allowed.
    pub(crate) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }
}

fn pattern(expression: &str, number: usize) -> Result<Regex, CustomError> {
    let whole = RegexBuilder::new(&format!(r"\A(?:{expression})\z"))
        .size_limit(MAX_COMPILED)
        .build()
        .map_err(|source| CustomError::AllowPattern {
            number,
            source: Box::new(source),
        })?;
    let let_through = PROBES.iter().filter(|probe| whole.is_match(probe)).count();
    match whole.is_match("") || let_through >= TOO_MANY {
        true => Err(CustomError::AllowTooBroad { number }),
        false => Ok(whole),
    }
}
