//! Why something is suggested, in words.

use crate::{search::shared_words, store::EntryBrief};

/// Words that a reason names.
const WORDS: usize = 4;
/// Characters of an entry in which words in common are looked for.
const TEXT_CHARS: usize = 2_000;

/// Says why two entries may belong together.
pub(super) fn for_link(a: &EntryBrief, b: &EntryBrief, score: f64) -> String {
    let likeness = match score {
        0.95.. => "Nearly the same meaning",
        0.85.. => "Very similar in meaning",
        _ => "Similar in meaning",
    };
    let mut reasons = vec![likeness.to_owned()];
    let words = shared_words(&[text(a), text(b)], WORDS);
    if !words.is_empty() {
        reasons.push(format!("both mention {}", words.join(", ")));
    }
    let tags: Vec<&str> = a
        .tags
        .iter()
        .filter(|tag| b.tags.contains(tag))
        .map(String::as_str)
        .collect();
    if !tags.is_empty() {
        reasons.push(format!("same tags: {}", tags.join(", ")));
    }
    match &a.project {
        Some(project) if b.project.as_ref() == Some(project) => {
            reasons.push(format!("same project: {project}"));
        }
        _ => {}
    }
    reasons.join("; ")
}

/// Says why some entries may be generalised.
pub(super) fn for_generalization(entries: &[EntryBrief]) -> String {
    let texts: Vec<String> = entries.iter().map(text).collect();
    let words = shared_words(&texts, WORDS);
    let mut reason = format!("{} episodic entries say much the same", entries.len());
    if !words.is_empty() {
        reason.push_str("; most mention ");
        reason.push_str(&words.join(", "));
    }
    let mut projects: Vec<&str> = entries
        .iter()
        .filter_map(|one| one.project.as_deref())
        .collect();
    projects.sort_unstable();
    projects.dedup();
    if projects.len() > 1 {
        reason.push_str(&format!("; {} projects", projects.len()));
    }
    reason
}

/// The beginning of an entry, which says what it is about.
fn text(entry: &EntryBrief) -> String {
    let beginning: String = entry.excerpt.chars().take(TEXT_CHARS).collect();
    format!("{}\n{beginning}", entry.title)
}
