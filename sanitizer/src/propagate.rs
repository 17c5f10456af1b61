//! What was found once goes everywhere: the same secret, user or host in other places of the document.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::RuleGroup;
use crate::clues::Clue;
use crate::syntax::head;
use crate::{keep, value};

/// Shortest user name or password that is looked for elsewhere, in bytes.
const MIN_LEN: usize = 5;

/// How much of a secret is looked for, in bytes; the rest is compared where that much stands.
const MAX_NEEDLE: usize = 64;

/// What the texts of one document gave away, to be found in all of them.
pub(crate) struct Learnt<'r> {
    automaton: AhoCorasick,
    /// For each pattern of the automaton the secrets that begin with it, and their clues.
    origins: Vec<Vec<(String, Clue<'r>)>>,
}

impl<'r> Learnt<'r> {
    /// Learns from each text what its clues found, also URL-encoded; nothing when none is distinctive.
    pub(crate) fn from<'t>(
        found: impl Iterator<Item = (&'t str, &'t Vec<Clue<'r>>)>,
    ) -> Option<Self>
    where
        'r: 't,
    {
        let mut known: BTreeMap<String, &Clue<'r>> = BTreeMap::new();
        for (text, clue) in found.flat_map(|(text, clues)| clues.iter().map(move |c| (text, c))) {
            let Some(secret) = text.get(clue.span.clone()) else {
                continue;
            };
            if !is_worth_following(clue, secret) {
                continue;
            }
            let encoded = percent_encoded(secret);
            if encoded != secret {
                known.entry(encoded).or_insert(clue);
            }
            known.entry(secret.to_owned()).or_insert(clue);
        }
        if known.is_empty() {
            return None;
        }
        let mut needles: BTreeMap<String, Vec<(String, Clue<'r>)>> = BTreeMap::new();
        for (secret, clue) in known {
            let needle = head(&secret, MAX_NEEDLE).to_owned();
            needles
                .entry(needle)
                .or_default()
                .push((secret, clue.clone()));
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(needles.keys())
            .ok()?;
        let origins = needles.into_values().collect();
        Some(Self { automaton, origins })
    }

    /// Finds every copy of what was learnt.
    pub(crate) fn copies(&self, text: &str) -> Vec<Clue<'r>> {
        self.automaton
            .find_iter(text)
            .filter_map(|hit| {
                let origins = self.origins.get(hit.pattern().as_usize())?;
                let (span, origin) = origins
                    .iter()
                    .map(|(secret, origin)| (copy_at(text, hit.start(), secret), origin))
                    .filter(|(span, _)| stands_alone(text, span))
                    .max_by_key(|(span, _)| span.end)?;
                Some(Clue {
                    span,
                    specific: false,
                    ..origin.clone()
                })
            })
            .collect()
    }
}

/// Whether the value is distinctive enough to be taken for the same thing wherever it stands.
fn is_worth_following(clue: &Clue<'_>, found: &str) -> bool {
    if found.len() < MIN_LEN || found.contains('\n') {
        return false;
    }
    match clue.group {
        RuleGroup::RemoveApiKeys => {
            value::is_opaque(found, 8)
                || found.bytes().any(|b| b.is_ascii_digit()) && found.len() >= 7
        }
        RuleGroup::RemovePersonalInfo => !COMMON.contains(&found) && !keep::user(found),
        RuleGroup::RemoveUrls => found.contains('.'),
        RuleGroup::AnonymizeVariables => false,
    }
}

/// Words that are also user names.
const COMMON: &[&str] = &[
    "build",
    "cargo",
    "react",
    "state",
    "error",
    "model",
    "table",
    "value",
    "index",
    "local",
    "config",
    "public",
    "static",
    "server",
    "client",
    "project",
    "projects",
    "workspace",
    "desktop",
    "documents",
    "downloads",
];

/// The copy of a secret that begins at `start`: all of it, or as much as there is.
fn copy_at(text: &str, start: usize, secret: &str) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    let same: usize = rest
        .chars()
        .zip(secret.chars())
        .take_while(|(found, expected)| found == expected)
        .map(|(found, _)| found.len_utf8())
        .sum();
    start..start + same
}

fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = text
        .get(..span.start)
        .and_then(|before| before.chars().next_back());
    let after = text.get(span.end..).and_then(|after| after.chars().next());
    !before.is_some_and(word) && !after.is_some_and(word)
}

fn percent_encoded(value: &str) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
