//! The sections of a library that can be queried: each query has one right answer.

use std::collections::{BTreeMap, HashMap, HashSet};

use recall_kit_core::app::App;
use recall_kit_shared_types::libraries::{DocsMode, LibraryDocument};
use recall_kit_store::{ChunkContent, Library};

use crate::rephrase;

/// The minimum number of words of a sentence that is queried.
const SENTENCE_WORDS: usize = 6;
/// The minimum number of content words of a heading that is queried.
const HEADING_WORDS: usize = 2;
/// The minimum number of examples in a language for querying it.
const EXAMPLES: usize = 10;
/// Queries for each language.
const TOPICS: usize = 20;

/// An ingested section.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) path: String,
    /// The title of its chunks.
    pub(crate) title: String,
    /// The section's own heading.
    pub(crate) heading: String,
    /// The first sentence, without markup.
    pub(crate) sentence: String,
    /// A line that a right answer must contain: the section's heading if several sections share a chunk, or an
    /// example's language.
    holds: Option<String>,
    /// The section's text. An answer with the same text is right as well, since it is the same section in
    /// another edition.
    text: String,
}

/// Topics of examples in one language.
pub(crate) struct Examples {
    pub(crate) language: String,
    pub(crate) topics: Vec<String>,
}

impl Section {
    /// Returns whether an answer is this section, with its examples, or the same section in another edition.
    pub(crate) fn is(&self, found: &LibraryDocument) -> bool {
        let path = found.source.split('#').next().unwrap_or_default();
        let text = found.content.as_ref().or(found.code.as_ref());
        if text.is_some_and(|text| text.contains(&self.text)) {
            return true;
        }
        let holds = |line: &String| text.is_some_and(|text| text.contains(line.as_str()));
        path == self.path && found.title == self.title && self.holds.as_ref().is_none_or(holds)
    }
}

/// Reads the sections of a library's default version.
pub(crate) async fn of(app: &App, library: &Library) -> anyhow::Result<Vec<Section>> {
    let mut versions = library.versions.iter();
    let version = versions.find(|one| one.version == library.default_version);
    let mut sections = Vec::new();
    let Some(version) = version else {
        return Ok(sections);
    };
    for (path, hash) in app.store.version_files(version.id).await? {
        let mut seen = HashSet::new();
        for chunk in app.store.file_chunks(hash).await? {
            if chunk.kind == DocsMode::Code {
                sections.extend(example(&path, &chunk));
            } else if seen.insert(chunk.title.clone()) {
                sections.extend(within(&path, &chunk));
            }
        }
    }
    Ok(sections)
}

/// Returns an example as a section without a sentence, for its title.
fn example(path: &str, chunk: &ChunkContent) -> Option<Section> {
    let heading = chunk.title.rsplit(" > ").next()?.to_owned();
    Some(Section {
        path: path.to_owned(),
        title: chunk.title.clone(),
        heading,
        sentence: String::new(),
        holds: chunk.language.clone(),
        text: chunk.text.clone(),
    })
}

/// Returns the sections in one chunk: those that were merged into it, or the one that begins with it.
fn within(path: &str, chunk: &ChunkContent) -> Vec<Section> {
    let section = |heading: &str, holds: Option<&str>, body: &str| Section {
        path: path.to_owned(),
        title: chunk.title.clone(),
        heading: plain(heading),
        sentence: first_sentence(body),
        holds: holds.map(str::to_owned),
        text: chunk.text.clone(),
    };
    if !chunk.text.starts_with('#') {
        let heading = chunk.title.rsplit(" > ").next().unwrap_or_default();
        return vec![section(heading, None, &chunk.text)];
    }
    let mut sections = Vec::new();
    let mut rest = chunk.text.as_str();
    while let Some((line, after)) = rest.split_once('\n') {
        let end = after.find("\n#").map_or(after.len(), |end| end + 1);
        let (body, next) = after.split_at(end);
        if line.starts_with('#') {
            sections.push(section(line.trim_start_matches('#'), Some(line), body));
        }
        rest = next;
    }
    sections
}

/// Returns the first sentence of prose; empty if a section begins with something else.
fn first_sentence(body: &str) -> String {
    let first = body.trim_start().split("\n\n").next().unwrap_or_default();
    if first.starts_with(['|', '`', '-', '*', '#', '>', '<', '[']) {
        return String::new();
    }
    let first = plain(first);
    let end = first.find(". ").map_or(first.len(), |end| end + 1);
    first.get(..end).unwrap_or_default().to_owned()
}

/// Returns Markdown without its markup; links are reduced to their text.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        plain.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain.retain(|c| !matches!(c, '`' | '*' | '[' | ']' | '¶' | '§'));
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns evenly spaced sections among those whose first sentence is long enough and unique.
pub(crate) fn sample(sections: &[Section], count: usize) -> Vec<&Section> {
    let mut uses: HashMap<&str, HashSet<&str>> = HashMap::new();
    for one in sections {
        uses.entry(&one.sentence).or_default().insert(&one.text);
    }
    let can_be_queried = |one: &&Section| {
        one.sentence.split_whitespace().count() >= SENTENCE_WORDS
            && uses
                .get(one.sentence.as_str())
                .is_some_and(|uses| uses.len() == 1)
    };
    evenly(sections.iter().filter(can_be_queried).collect(), count)
}

fn evenly<T>(all: Vec<T>, count: usize) -> Vec<T> {
    let step = (all.len() as f64 / count.max(1) as f64).max(1.0);
    let mut next = 0.0;
    let mut taken = Vec::new();
    for (at, one) in all.into_iter().enumerate() {
        if at as f64 >= next && taken.len() < count {
            taken.push(one);
            next += step;
        }
    }
    taken
}

/// Returns the sections whose heading is descriptive and unique.
pub(crate) fn with_own_heading(sections: &[Section]) -> Vec<Section> {
    let mut uses: HashMap<String, HashSet<&str>> = HashMap::new();
    let key = |one: &Section| one.heading.to_lowercase();
    let prose = || sections.iter().filter(|one| !one.sentence.is_empty());
    for one in prose() {
        uses.entry(key(one)).or_default().insert(&one.text);
    }
    let own = prose().filter(|one| {
        uses.get(&key(one)).is_some_and(|uses| uses.len() == 1)
            && rephrase::content_words(&one.heading) >= HEADING_WORDS
    });
    own.cloned().collect()
}

/// Returns the languages that a library has examples in, with topics for each.
pub(crate) fn languages(sections: &[Section]) -> Vec<Examples> {
    let mut by_language: BTreeMap<&str, Vec<&Section>> = BTreeMap::new();
    for one in sections.iter().filter(|one| one.sentence.is_empty()) {
        if let Some(language) = one.holds.as_deref().filter(|it| !it.starts_with('#')) {
            by_language.entry(language).or_default().push(one);
        }
    }
    by_language.retain(|_, examples| examples.len() >= EXAMPLES);
    let examples = by_language.into_iter().map(|(language, all)| Examples {
        language: language.to_owned(),
        topics: evenly(all, TOPICS)
            .iter()
            .map(|one| one.heading.clone())
            .collect(),
    });
    examples.collect()
}
