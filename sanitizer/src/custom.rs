//! A user's own rules and allow list: their shape in a configuration, and the proof that they work.
//!
//! No error repeats an example: it may hold what its rule is to remove.

use std::fmt;

use regex::RegexBuilder;
use serde::{Deserialize, Serialize};

use crate::rules::rule::{Check, Rule};
use crate::rules::scan;
use crate::{RuleGroup, Sanitizer};

/// Largest compiled size of a rule's expression, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// How far a match may reach before and after an anchor, in bytes.
const REACH: [usize; 2] = [512, 1024];

/// What a user adds to the built-in rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Custom {
    /// Rules beside the built-in ones.
    pub rules: Vec<CustomRule>,
    /// What stays: exact findings, or expressions between slashes (`/svc-[a-z]+/`) that match whole
    /// findings.
    pub allow: Vec<String>,
}

/// A rule of the user's own; `sanitizer/RULES.md` tells how to write one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomRule {
    /// Unique among all rules: lower-case letters, digits and hyphens.
    pub id: String,
    /// What it finds, in words for people.
    pub kind: String,
    /// One of the removal groups.
    pub group: RuleGroup,
    /// Fixed strings, one of which every match contains or has within 512 bytes, case ignored.
    /// None: the whole text is searched, which is slower.
    #[serde(default)]
    pub anchors: Vec<String>,
    /// A regular expression; the group `secret` is what is replaced, else the whole match.
    pub pattern: String,
    /// What stands there afterwards, in one line.
    pub replacement: String,
    /// Texts in which the rule finds something, at least one.
    pub examples: Vec<Example>,
    /// Texts in which it finds nothing.
    #[serde(default, rename = "negativeExamples", alias = "negative_examples")]
    pub negative_examples: Vec<Example>,
    /// Why the rule exists, for readers of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// An example, whole or in parts so that no secret scanner trips over the configuration.
///
/// `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Example {
    /// As it is.
    Whole(String),
    /// In parts, which are joined.
    Parts(Vec<String>),
}

impl Example {
    /// Returns the example as the rule sees it.
    pub fn text(&self) -> String {
        match self {
            Self::Whole(text) => text.clone(),
            Self::Parts(parts) => parts.concat(),
        }
    }
}

impl fmt::Debug for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Example(..)")
    }
}

/// Why a user's rule or allow entry cannot be used; numbers count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CustomError {
    /// An id is missing or holds other characters than it may.
    #[error("rule `{id}`: write its id in lower-case letters, digits and hyphens")]
    Id {
        /// The id as it was given.
        id: String,
    },
    /// An id stands twice or belongs to a built-in rule.
    #[error("rule `{id}`: there is a rule of that id already, choose another id")]
    Taken {
        /// The id.
        id: String,
    },
    /// `kind` or `replacement` is missing, or is longer than a line.
    #[error("rule `{id}`: `{field}` has to be one line of text")]
    Text {
        /// The rule's id.
        id: String,
        /// The field.
        field: &'static str,
    },
    /// The group is none of the removal groups.
    #[error("rule `{id}`: its group has to be one of the three that remove")]
    Group {
        /// The rule's id.
        id: String,
    },
    /// The expression does not compile, or is too large.
    #[error("rule `{id}`: its pattern cannot be used; correct or simplify it")]
    Pattern {
        /// The rule's id.
        id: String,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
    /// A named group is not the one that is looked at.
    #[error("rule `{id}`: the pattern has a group `{group}`; name what is to be replaced `secret`")]
    NamedGroup {
        /// The rule's id.
        id: String,
        /// The group's name.
        group: String,
    },
    /// The expression matches where there is nothing.
    #[error("rule `{id}`: its pattern matches empty text; let it require at least one character")]
    MatchesNothing {
        /// The rule's id.
        id: String,
    },
    /// An anchor is empty.
    #[error("rule `{id}`: anchor {number} is empty; leave it out")]
    EmptyAnchor {
        /// The rule's id.
        id: String,
        /// Which anchor.
        number: usize,
    },
    /// There is no example.
    #[error("rule `{id}`: give at least one example that it finds")]
    NoExample {
        /// The rule's id.
        id: String,
    },
    /// No anchor stands in an example.
    #[error(
        "rule `{id}`: example {number} contains none of its anchors; add one that every match has"
    )]
    NoAnchor {
        /// The rule's id.
        id: String,
        /// Which example.
        number: usize,
    },
    /// The rule finds nothing in an example.
    #[error(
        "rule `{id}`: finds nothing in example {number}; correct the pattern, the anchors or the example"
    )]
    NotFound {
        /// The rule's id.
        id: String,
        /// Which example.
        number: usize,
    },
    /// The rule finds something in a negative example.
    #[error("rule `{id}`: finds something in negative example {number}; narrow the pattern")]
    Found {
        /// The rule's id.
        id: String,
        /// Which negative example.
        number: usize,
    },
    /// The replacement would be replaced again.
    #[error("rule `{id}`: its replacement is found by the rule `{by}`; choose another replacement")]
    ReplacementFound {
        /// The rule's id.
        id: String,
        /// The rule that finds the replacement.
        by: String,
    },
    /// An allow entry is empty.
    #[error("allow entry {number} is empty; leave it out")]
    AllowEmpty {
        /// Which entry.
        number: usize,
    },
    /// The expression of an allow entry does not compile, or is too large.
    #[error(
        "allow entry {number}: the expression between the slashes cannot be used; correct or simplify it"
    )]
    AllowPattern {
        /// Which entry.
        number: usize,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
    /// An allow entry lets through what has nothing to do with it.
    #[error("allow entry {number} would let through nearly anything; narrow it to what is meant")]
    AllowTooBroad {
        /// Which entry.
        number: usize,
    },
}

/// Makes a rule of the user's, when its form is right and its id is not among `known`.
///
/// *Errors*: those of [`CustomError`] that can be told without running the rule.
pub(crate) fn rule(custom: &CustomRule, known: &[Rule]) -> Result<Rule, CustomError> {
    let id = || custom.id.clone();
    if custom.id.is_empty() || !custom.id.bytes().all(is_id_byte) {
        return Err(CustomError::Id { id: id() });
    }
    if known.iter().any(|rule| rule.id == custom.id) {
        return Err(CustomError::Taken { id: id() });
    }
    for (field, text) in [("kind", &custom.kind), ("replacement", &custom.replacement)] {
        if text.trim().is_empty() || text.contains(['\n', '\r']) {
            return Err(CustomError::Text { id: id(), field });
        }
    }
    if !RuleGroup::REMOVAL.contains(&custom.group) {
        return Err(CustomError::Group { id: id() });
    }
    if let Some(empty) = custom.anchors.iter().position(String::is_empty) {
        return Err(CustomError::EmptyAnchor {
            id: id(),
            number: empty + 1,
        });
    }
    if custom.examples.is_empty() {
        return Err(CustomError::NoExample { id: id() });
    }
    check_pattern(custom)?;
    Ok(Rule {
        id: id().into(),
        kind: custom.kind.clone().into(),
        group: custom.group,
        anchors: custom.anchors.iter().cloned().map(Into::into).collect(),
        pattern: custom.pattern.clone().into(),
        matcher: None,
        behind: &[],
        replacement: custom.replacement.clone().into(),
        #[cfg(test)]
        beside: true,
        check: Check::Any,
        reach: REACH,
        source: None,
        #[cfg(test)]
        why: "",
        #[cfg(any(test, fuzzing))]
        examples: &[],
        #[cfg(any(test, fuzzing))]
        negative_examples: &[],
    })
}

fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
}

fn check_pattern(custom: &CustomRule) -> Result<(), CustomError> {
    let id = custom.id.clone();
    let regex = match RegexBuilder::new(&custom.pattern)
        .size_limit(MAX_COMPILED)
        .build()
    {
        Ok(regex) => regex,
        Err(source) => {
            return Err(CustomError::Pattern {
                id,
                source: Box::new(source),
            });
        }
    };
    let mut names = regex.capture_names().flatten().peekable();
    if names.peek().is_some() && !names.any(|name| name == "secret") {
        let group = regex.capture_names().flatten().next().unwrap_or_default();
        return Err(CustomError::NamedGroup {
            id,
            group: group.to_owned(),
        });
    }
    match regex.is_match("") {
        true => Err(CustomError::MatchesNothing { id }),
        false => Ok(()),
    }
}

/// Runs a user's rule over its examples, with the rules it will stand among.
///
/// *Errors*: those of [`CustomError`] that only a run can tell.
pub(crate) fn prove(sanitizer: &Sanitizer, custom: &CustomRule) -> Result<(), CustomError> {
    let id = || custom.id.clone();
    let finds = |text: &str| {
        let clues = scan::alone(&sanitizer.rules, text, &[custom.group]);
        clues.iter().any(|clue| clue.rule == custom.id)
    };
    for (number, example) in (1..).zip(&custom.examples) {
        let text = example.text();
        let lower = text.to_ascii_lowercase();
        let anchored = |anchor: &String| lower.contains(&anchor.to_ascii_lowercase());
        if !custom.anchors.is_empty() && !custom.anchors.iter().any(anchored) {
            return Err(CustomError::NoAnchor { id: id(), number });
        }
        if !finds(&text) {
            return Err(CustomError::NotFound { id: id(), number });
        }
        let clean = sanitizer.sanitize(&text, &RuleGroup::REMOVAL).text;
        settled(sanitizer, custom, &clean)?;
    }
    for (number, example) in (1..).zip(&custom.negative_examples) {
        if finds(&example.text()) {
            return Err(CustomError::Found { id: id(), number });
        }
    }
    settled(sanitizer, custom, &custom.replacement)
}

/// Whether nothing more is found in what the rule leaves.
fn settled(sanitizer: &Sanitizer, custom: &CustomRule, text: &str) -> Result<(), CustomError> {
    let found = sanitizer.check(text, &RuleGroup::REMOVAL);
    match found.into_iter().next() {
        None => Ok(()),
        Some(finding) => Err(CustomError::ReplacementFound {
            id: custom.id.clone(),
            by: finding.rule,
        }),
    }
}
