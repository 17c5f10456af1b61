//! The sanitizer as a value: the built-in rules alone, or together with a user's own and an allow list.

use std::sync::OnceLock;

use crate::allow::Allow;
use crate::custom::{self, Custom, CustomError};
use crate::rules::rule;
use crate::rules::rule_set::RuleSet;
use crate::{Finding, RuleGroup, Sanitized, redact};

/// Rules ready for use, and what stays in spite of them.
///
/// The free functions of the crate use [`Sanitizer::builtin`].
///
/// ```
/// use recall_kit_sanitizer::{Custom, RuleGroup, Sanitizer};
///
/// let custom: Custom = toml::from_str(
///     r#"
///     allow = ["build@oakmere-clinic.net"]
///     [[rules]]
///     id = "staff-number"
///     kind = "staff number"
///     group = "remove_personal_info"
///     anchors = ["OC-"]
///     pattern = '\bOC-[0-9]{6}\b'
///     replacement = "YOUR_STAFF_NUMBER"
///     examples = ["by OC-418264"]
///     negative_examples = ["OC-4"]
///     "#,
/// )?;
/// let sanitizer = Sanitizer::with(custom)?;
/// let text = "OC-418264 asked build@oakmere-clinic.net";
/// let clean = sanitizer.sanitize(text, &RuleGroup::REMOVAL);
/// assert_eq!(clean.text, "YOUR_STAFF_NUMBER asked build@oakmere-clinic.net");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sanitizer {
    pub(crate) rules: RuleSet,
    pub(crate) allow: Allow,
}

impl Sanitizer {
    /// Returns the sanitizer with the built-in rules alone, made at the first call.
    pub fn builtin() -> &'static Self {
        static CELL: OnceLock<Sanitizer> = OnceLock::new();
        CELL.get_or_init(|| Self {
            rules: RuleSet::new(rule::BUILT_IN.to_vec()),
            allow: Allow::default(),
        })
    }

    /// Adds a user's rules and allow list to the built-in rules.
    ///
    /// *Errors*: a [`CustomError`] that names the rule or the entry at fault: patterns compile, ids
    /// are new, examples are found, negative examples and replacements are not, and no allow entry
    /// lets through what it was not meant for.
    pub fn with(custom: Custom) -> Result<Self, CustomError> {
        let allow = Allow::new(&custom.allow)?;
        let mut rules = rule::BUILT_IN.to_vec();
        for rule in &custom.rules {
            rules.push(custom::rule(rule, &rules)?);
        }
        let sanitizer = Self {
            rules: RuleSet::new(rules),
            allow,
        };
        for rule in &custom.rules {
            custom::prove(&sanitizer, rule)?;
        }
        Ok(sanitizer)
    }

    /// Replaces what the given groups find; see [`crate::sanitize`].
    pub fn sanitize(&self, text: &str, groups: &[RuleGroup]) -> Sanitized {
        redact::sanitize_all(self, &[text], groups)
            .pop()
            .expect("one text gives one result")
    }

    /// Sanitizes the texts of one document together; see [`crate::sanitize_all`].
    pub fn sanitize_all(&self, texts: &[&str], groups: &[RuleGroup]) -> Vec<Sanitized> {
        redact::sanitize_all(self, texts, groups)
    }

    /// Returns the place in the allow list, counted from 1, of the entry that lets `found` stay;
    /// `found` is the whole of what a rule finds.
    pub fn allow_entry(&self, found: &str) -> Option<usize> {
        self.allow.entry(found)
    }

    /// Returns what [`Sanitizer::sanitize`] would find; empty when the text is clean.
    pub fn check(&self, text: &str, groups: &[RuleGroup]) -> Vec<Finding> {
        self.sanitize(text, groups).findings
    }
}
