//! Every rule, compiled once: one automaton over all anchors, one regular expression each.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use crate::rule::Rule;

/// The compiled rules.
#[derive(Debug)]
pub(crate) struct RuleSet {
    pub(crate) rules: Vec<Compiled>,
    pub(crate) anchors: AhoCorasick,
    /// For each anchor, the rules (as indices) that it wakes.
    pub(crate) woken: Vec<Vec<usize>>,
    /// Rules without anchors.
    pub(crate) unanchored: Vec<usize>,
}

/// A rule and its expression, compiled when it is first woken: a short text wakes few.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rule: Rule,
    regex: OnceLock<Regex>,
}

impl Compiled {
    pub(crate) fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            Regex::new(&self.rule.pattern).unwrap_or_else(|error| {
                unreachable!("{} is compiled by a test: {error}", self.rule.id)
            })
        })
    }
}

impl RuleSet {
    /// Indexes rules by their anchors.
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        let mut woken: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut unanchored = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            if rule.anchors.is_empty() {
                unanchored.push(index);
            }
            for anchor in &rule.anchors {
                let anchor = anchor.to_ascii_lowercase();
                woken.entry(anchor).or_default().push(index);
            }
        }
        let (anchors, woken): (Vec<String>, Vec<Vec<usize>>) = woken.into_iter().unzip();
        Self {
            anchors: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(&anchors)
                .expect("the anchors are few and short"),
            woken,
            unanchored,
            rules: rules
                .into_iter()
                .map(|rule| Compiled {
                    rule,
                    regex: OnceLock::new(),
                })
                .collect(),
        }
    }
}
