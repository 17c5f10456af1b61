//! Drafts by extraction: the sentences of the sources with most of their common words.

use std::collections::HashSet;

use recall_kit_search::shared_words;
use recall_kit_shared_types::knowledge::{
    Citation, EntryType, MemoryType, citation_limits::MAX_CITATIONS,
    knowledge_limits::MAX_TITLE_CHARS,
};
use recall_kit_store::{Entry, EntryContent};
use serde_json::json;

use crate::validation::AddInput;

/// How many common words a draft names.
const COMMON_WORDS: usize = 8;
/// The most characters of a sentence that a draft quotes.
const SENTENCE_CHARS: usize = 300;
/// The most tags of a draft.
const MAX_TAGS: usize = 5;

/// Returns a draft of what the sources have in common.
pub(super) fn of(sources: &[Entry], title: Option<String>) -> AddInput {
    let texts: Vec<String> = sources
        .iter()
        .map(|one| format!("{}\n{}", one.content.title, one.content.content))
        .collect();
    let words = shared_words(&texts, COMMON_WORDS);
    AddInput {
        kind: Some(kind(sources).to_string()),
        title: Some(title.unwrap_or_else(|| common_title(sources, &words))),
        content: Some(text(sources, &words)),
        tags: Some(tags(sources)),
        project: project(sources),
        confidence: Some(json!(confidence(sources))),
        memory_type: Some(MemoryType::Semantic.to_string()),
        citations: Some(json!(citations(sources))),
        ..AddInput::default()
    }
}

/// Returns the type that most sources have; among equally frequent ones, that of the first source.
fn kind(sources: &[Entry]) -> EntryType {
    let count = |kind: EntryType| {
        sources
            .iter()
            .filter(|one| one.content.kind == kind)
            .count()
    };
    let kinds = sources.iter().map(|one| one.content.kind);
    // `max_by_key` returns the last of equal elements.
    kinds
        .rev()
        .max_by_key(|kind| count(*kind))
        .unwrap_or(EntryType::Pattern)
}

/// Returns the title with most of the common words.
fn common_title(sources: &[Entry], words: &[String]) -> String {
    let titles = sources.iter().map(|one| one.content.title.as_str());
    let best = titles.rev().max_by_key(|title| mentions(title, words));
    best.unwrap_or_default()
        .chars()
        .take(MAX_TITLE_CHARS)
        .collect()
}

fn text(sources: &[Entry], words: &[String]) -> String {
    let mut text = String::new();
    if !words.is_empty() {
        text.push_str(&format!(
            "Common to {} episodes: {}\n\n",
            sources.len(),
            words.join(", ")
        ));
    }
    text.push_str("## What they say\n\n");
    let mut seen = HashSet::new();
    for source in sources {
        let sentence = sentence(&source.content, words);
        if seen.insert(sentence.to_lowercase()) {
            text.push_str(&format!("- {sentence}\n"));
        }
    }
    text.push('\n');
    text.push_str(&made_from(sources));
    text
}

/// Returns the section that names the sources.
pub(super) fn made_from(sources: &[Entry]) -> String {
    let mut text = "## Made from\n\n".to_owned();
    for source in sources {
        text.push_str(&format!("- {} ({})\n", source.content.title, source.id));
    }
    text
}

/// Returns the sentence of an entry with most of the common words; its title if it has no sentence.
fn sentence(content: &EntryContent, words: &[String]) -> String {
    let sentences = content.content.lines().flat_map(|line| {
        let line = line.trim_start_matches(['#', '-', '*', '>', ' ']);
        line.split_inclusive(['。', '！', '？'])
            .flat_map(|part| part.split(". "))
    });
    let sentences: Vec<&str> = sentences
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .collect();
    let best = sentences
        .into_iter()
        .rev()
        .max_by_key(|one| mentions(one, words));
    best.unwrap_or(&content.title)
        .chars()
        .take(SENTENCE_CHARS)
        .collect()
}

fn mentions(text: &str, words: &[String]) -> usize {
    let text = text.to_lowercase();
    words
        .iter()
        .filter(|word| text.contains(word.as_str()))
        .count()
}

/// Returns the tags that at least half of the sources have.
fn tags(sources: &[Entry]) -> Vec<String> {
    let has = |tag: &String| {
        sources
            .iter()
            .filter(|one| one.content.tags.contains(tag))
            .count()
    };
    let mut seen = HashSet::new();
    let tags = sources.iter().flat_map(|one| &one.content.tags);
    let common = tags.filter(|tag| 2 * has(tag) >= sources.len() && seen.insert(*tag));
    common.take(MAX_TAGS).cloned().collect()
}

/// Returns the project if all sources have the same.
fn project(sources: &[Entry]) -> Option<String> {
    let first = sources.first()?.content.project.clone()?;
    let same = |one: &Entry| one.content.project.as_ref() == Some(&first);
    sources.iter().all(same).then_some(first)
}

/// Returns the files that sources are about, without those of which they know different versions.
fn citations(sources: &[Entry]) -> Vec<&Citation> {
    let all = sources.iter().flat_map(|one| &one.content.citations);
    let all: Vec<&Citation> = all.collect();
    let is_agreed = |one: &Citation| {
        let mut others = all.iter().filter(|other| other.path == one.path);
        others.all(|other| other.sha256 == one.sha256)
    };
    let mut seen = HashSet::new();
    let agreed = all.iter().filter(|one| is_agreed(one));
    let agreed = agreed.filter(|one| seen.insert(one.path.as_str()));
    agreed.take(MAX_CITATIONS).copied().collect()
}

/// Returns the mean confidence, rounded.
fn confidence(sources: &[Entry]) -> usize {
    let sum: usize = sources
        .iter()
        .map(|one| usize::from(one.content.confidence))
        .sum();
    let count = sources.len().max(1);
    (sum + count / 2) / count
}

#[cfg(test)]
mod tests;
