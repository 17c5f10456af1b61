//! Removes secrets and personal data from text and code, deterministically and on this machine.
//!
//! ```
//! use recall_kit_sanitizer::{RuleGroup, check, sanitize};
//!
//! let clean = sanitize("DB_PASSWORD=hunter-86-x\n", &RuleGroup::REMOVAL);
//! assert_eq!(clean.text, "DB_PASSWORD=YOUR_PASSWORD\n");
//! assert_eq!(clean.findings[0].kind, "password");
//! assert!(check(&clean.text, &RuleGroup::REMOVAL).is_empty());
//! ```
//!
//! Rules are data (`rules/*/*.toml`), found through one pass over their anchors; a key→value lexer
//! finds what has no shape of its own; a keep-list speaks against both first. The crate reads no
//! files, no environment and no network at run time. [`Sanitizer::with`] adds rules of a user's
//! own and what stays; [`Stream`] takes texts of any size.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod allow;
mod clues;
mod custom;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod redact;
mod rules;
mod sanitizer;
mod stream;
mod structure;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use custom::{Custom, CustomError, CustomRule, Example};
pub use recall_kit_view::invisible::{remove_invisible, without_invisible};
pub use recall_kit_view::{escaped_json, visible, visible_json, visible_line};
pub use rules::rule::{BuiltInRule, RuleSource, built_in_rules};
pub use sanitizer::Sanitizer;
pub use stream::{PART, Reason, Stream, StreamReport, Streamed, Unjudged};

/// A group of rules, as the client's configuration and the contract name them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum RuleGroup {
    /// API keys, passwords, tokens, private keys, credentials in URLs.
    RemoveApiKeys,
    /// Names declared in a snippet become `var_001`, ….
    AnonymizeVariables,
    /// Hard-coded URLs, host names and IP addresses.
    RemoveUrls,
    /// E-mail addresses, names, user names in paths, phone numbers, cards, ids.
    RemovePersonalInfo,
}

impl RuleGroup {
    /// Every group, in the order in which they are applied.
    pub const ALL: [Self; 4] = [
        Self::RemoveApiKeys,
        Self::RemoveUrls,
        Self::RemovePersonalInfo,
        Self::AnonymizeVariables,
    ];
    /// The three removal groups: the default where none are configured.
    pub const REMOVAL: [Self; 3] = [
        Self::RemoveApiKeys,
        Self::RemoveUrls,
        Self::RemovePersonalInfo,
    ];

    /// Returns the name in configurations: `remove_api_keys` and so on.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RemoveApiKeys => "remove_api_keys",
            Self::AnonymizeVariables => "anonymize_variables",
            Self::RemoveUrls => "remove_urls",
            Self::RemovePersonalInfo => "remove_personal_info",
        }
    }
}

impl std::fmt::Display for RuleGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is no rule group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown rule `{name}`: known are remove_api_keys, remove_urls, remove_personal_info, \
     anonymize_variables"
)]
pub struct UnknownRuleGroup {
    /// The name as it was given.
    pub name: String,
}

impl std::str::FromStr for RuleGroup {
    type Err = UnknownRuleGroup;

    /// Reads the configuration's name, to the letter.
    fn from_str(name: &str) -> Result<Self, UnknownRuleGroup> {
        Self::ALL
            .into_iter()
            .find(|group| group.as_str() == name)
            .ok_or_else(|| UnknownRuleGroup {
                name: name.to_owned(),
            })
    }
}

/// A text after sanitizing, and what was found in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sanitized {
    /// The text with every finding replaced. It has as many lines as the input.
    pub text: String,
    /// What was replaced, in order of position.
    pub findings: Vec<Finding>,
}

/// One replaced span. It never carries the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// The group the rule belongs to; none for invisible characters, which go with any group.
    pub group: Option<RuleGroup>,
    /// The rule's id, such as `aws-access-key-id`.
    pub rule: String,
    /// What it is, in words for people, such as `AWS access key id`.
    pub kind: String,
    /// Where it stood in the input, in bytes.
    pub span: Range<usize>,
    /// What stands there now.
    pub replacement: String,
}

/// Replaces what the given groups find; the result sanitized again is unchanged.
///
/// Groups are applied in the order of [`RuleGroup::ALL`], whatever their order in `groups`. Where
/// there is one at all, invisible characters go first: see [`without_invisible`].
pub fn sanitize(text: &str, groups: &[RuleGroup]) -> Sanitized {
    Sanitizer::builtin().sanitize(text, groups)
}

/// Sanitizes the texts of one document together, one result for each text in its order.
///
/// What one text gives away is removed from all of them: a password that one field assigns, or a
/// user name in one field's path, is replaced in every other field too. The spans of findings are
/// those of their own text. The results sanitized together again are unchanged.
///
/// ```
/// use recall_kit_sanitizer::{RuleGroup, sanitize_all};
///
/// let fields = ["Login fails with hunter-86-x", "DB_PASSWORD=hunter-86-x\n"];
/// let clean = sanitize_all(&fields, &RuleGroup::REMOVAL);
/// assert_eq!(clean[0].text, "Login fails with YOUR_PASSWORD");
/// assert_eq!(clean[1].text, "DB_PASSWORD=YOUR_PASSWORD\n");
/// ```
pub fn sanitize_all(texts: &[&str], groups: &[RuleGroup]) -> Vec<Sanitized> {
    Sanitizer::builtin().sanitize_all(texts, groups)
}

/// Returns what [`sanitize`] would find, without rewriting; empty when the text is clean.
pub fn check(text: &str, groups: &[RuleGroup]) -> Vec<Finding> {
    Sanitizer::builtin().check(text, groups)
}

/// Counts findings by kind for people, the most frequent first, ties by name.
pub fn summary(findings: &[Finding]) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for finding in findings {
        *counts.entry(&finding.kind).or_default() += 1;
    }
    let mut counts: Vec<_> = counts
        .into_iter()
        .map(|(kind, count)| (kind.to_owned(), count))
        .collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
