//! What the words with which other programs classify their records mean here.

use recall_kit_shared_types::knowledge::EntryType;

/// Words in lower case, and what an entry with such a word is; the first one that occurs counts.
const KINDS: [(&str, EntryType); 41] = [
    ("decision", EntryType::Decision),
    ("decided", EntryType::Decision),
    ("adr", EntryType::Decision),
    ("architecture", EntryType::Decision),
    ("rationale", EntryType::Decision),
    ("why", EntryType::Decision),
    ("pitfall", EntryType::Pitfall),
    ("pitfalls", EntryType::Pitfall),
    ("gotcha", EntryType::Pitfall),
    ("gotchas", EntryType::Pitfall),
    ("warning", EntryType::Pitfall),
    ("warnings", EntryType::Pitfall),
    ("avoid", EntryType::Pitfall),
    ("never", EntryType::Pitfall),
    ("mistake", EntryType::Pitfall),
    ("trade-off", EntryType::Pitfall),
    ("bug", EntryType::Bug),
    ("bugs", EntryType::Bug),
    ("bugfix", EntryType::Bug),
    ("error", EntryType::Bug),
    ("issue", EntryType::Bug),
    ("config", EntryType::Config),
    ("configuration", EntryType::Config),
    ("setup", EntryType::Config),
    ("environment", EntryType::Config),
    ("settings", EntryType::Config),
    ("infrastructure", EntryType::Config),
    ("commands", EntryType::Config),
    ("pattern", EntryType::Pattern),
    ("convention", EntryType::Pattern),
    ("conventions", EntryType::Pattern),
    ("style", EntryType::Pattern),
    ("rule", EntryType::Pattern),
    ("rules", EntryType::Pattern),
    ("guideline", EntryType::Pattern),
    ("guidelines", EntryType::Pattern),
    ("preference", EntryType::Pattern),
    ("feedback", EntryType::Pattern),
    ("workflow", EntryType::Pattern),
    ("technique", EntryType::Pattern),
    ("learning", EntryType::Pattern),
];

/// Returns what an entry is whose category or heading has these words; `None` if they do not say.
pub(crate) fn kind_of(words: &str) -> Option<EntryType> {
    let words = words.to_lowercase();
    let words: Vec<&str> = words
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .collect();
    let known = KINDS.iter().find(|(word, _)| words.contains(word));
    known.map(|(_, kind)| *kind)
}
