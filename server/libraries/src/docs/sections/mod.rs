//! Folds hits: one hit for each section, with its examples.
//!
//! A section's text and each of its examples are found separately, since each is embedded and ranked by
//! itself; a reader wants them together. A section has the rank of its best chunk. A section that would
//! take too much of a response keeps only its best chunks, and the others form a separate hit further down,
//! so that one long section does not displace all others.

use std::collections::HashMap;

use recall_kit_shared_types::libraries::DocsMode;
use recall_kit_store::{Chunk, file_and_kind};
use uuid::Uuid;

/// The fewest backticks around code. Source: CommonMark, "Fenced code blocks".
const FENCE: usize = 3;
/// How many bytes of the previous chunk a chunk may repeat. Whole sentences are repeated, so a shorter
/// match is a coincidence.
const REPEATED: std::ops::RangeInclusive<usize> = 20..=1_000;

/// A section, or the found part of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Section {
    /// Its best chunk.
    pub(super) best: Uuid,
    /// The relevance of its best chunk, 0–1.
    pub(super) relevance: f32,
    /// The path of its file.
    pub(super) path: String,
    /// The headings above it, or the title of its example.
    pub(super) title: String,
    /// The description of its example, if it is one.
    pub(super) description: Option<String>,
    /// Text that may contain examples, or only examples.
    pub(super) kind: DocsMode,
    /// The language, if it consists only of examples.
    pub(super) language: Option<String>,
    /// The first line, counted from 1; 0 if it is not known.
    pub(super) line: u32,
    /// Markdown, or code.
    pub(super) text: String,
}

/// What the chunks of a section have in common: the file, the headings, and for examples alone the language.
type Key = (u64, String, Option<String>);

/// The chunks of a section that is being built.
#[derive(Default)]
struct Open {
    relevance: f32,
    best: Option<Uuid>,
    tokens: u32,
    texts: Vec<Chunk>,
    examples: Vec<Chunk>,
}

/// Folds chunks, best first, into sections, best first. A section is extended by further chunks up to
/// `most` tokens.
pub(super) fn folded(found: Vec<(f32, Chunk)>, most: u32) -> Vec<Section> {
    let homes = homes(&found);
    let mut folding = Folding {
        most,
        found: found.into_iter().map(Some).collect(),
        open: Vec::new(),
        by_key: HashMap::new(),
    };
    for (at, home) in homes.into_iter().enumerate() {
        folding.place(at, home);
    }
    folding.open.into_iter().filter_map(Open::closed).collect()
}

/// The text chunk that an example belongs to.
#[derive(Clone, Copy)]
struct HomeText {
    /// The index of the text among the found chunks.
    at: usize,
    /// Whether the text contains the example.
    shows_it: bool,
}

/// Finds for each example the text that contains it, else the text of its section that precedes it.
fn homes(found: &[(f32, Chunk)]) -> Vec<Option<HomeText>> {
    let mut texts: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, (_, chunk)) in found.iter().enumerate() {
        if chunk.content.kind == DocsMode::Info {
            texts.entry(file_of(chunk)).or_default().push(at);
        }
    }
    let home = |(_, example): &(f32, Chunk)| {
        if example.content.kind == DocsMode::Info {
            return None;
        }
        let of_file = texts.get(&file_of(example))?;
        let chunk = |at: &usize| found.get(*at).map(|(_, chunk)| (*at, chunk));
        let of_file = || of_file.iter().filter_map(chunk);
        let code = example.content.text.trim();
        let is_home = |text: &Chunk| text.content.title == example.content.title;
        let shows = |text: &Chunk| text.content.text.contains(code);
        let mut showing: Vec<(usize, &Chunk)> = of_file().filter(|(_, it)| shows(it)).collect();
        showing.sort_by_key(|(_, text)| !is_home(text));
        if let Some((at, _)) = showing.first() {
            return Some(HomeText {
                at: *at,
                shows_it: true,
            });
        }
        let line = example.content.line;
        let of_section = of_file().filter(|(_, text)| is_home(text));
        // The last text that begins above it, or else the first one below it.
        let nearest = of_section.min_by_key(|(_, text)| {
            let begins = text.content.line;
            (begins > line, begins.abs_diff(line))
        });
        nearest.map(|(at, _)| HomeText {
            at,
            shows_it: false,
        })
    };
    found.iter().map(home).collect()
}

fn file_of(chunk: &Chunk) -> u64 {
    file_and_kind(chunk.id).0
}

struct Folding {
    most: u32,
    /// Chunks that are not placed yet.
    found: Vec<Option<(f32, Chunk)>>,
    open: Vec<Open>,
    /// The section that can be extended.
    by_key: HashMap<Key, usize>,
}

impl Folding {
    /// Places a chunk; an example together with the text that it belongs to.
    fn place(&mut self, at: usize, home: Option<HomeText>) {
        let Some((relevance, chunk)) = self.found.get_mut(at).and_then(Option::take) else {
            return;
        };
        let text = home.and_then(|home| self.found.get_mut(home.at).and_then(Option::take));
        let is_example = chunk.content.kind == DocsMode::Code;
        let key = match (&text, home) {
            _ if !is_example => section_key(&chunk),
            (Some((_, text)), _) => section_key(text),
            // The text was already placed.
            (None, Some(_)) => section_key(&chunk),
            (None, None) => example_key(&chunk),
        };
        if let Some((_, text)) = text {
            let best = (relevance, chunk.id);
            self.put(key.clone(), best, text);
        }
        match home {
            Some(home) if home.shows_it => {}
            _ => self.put(key, (relevance, chunk.id), chunk),
        }
    }

    /// Adds a chunk to the section that is open for it, or opens one.
    fn put(&mut self, key: Key, (relevance, best): (f32, Uuid), chunk: Chunk) {
        let most = self.most;
        let known = self.by_key.get(&key).copied();
        let room = known.filter(|at| {
            let open = self.open.get(*at);
            open.is_some_and(|open| open.tokens.saturating_add(chunk.content.tokens) <= most)
        });
        let at = room.unwrap_or_else(|| {
            self.open.push(Open {
                relevance,
                best: Some(best),
                ..Open::default()
            });
            let at = self.open.len() - 1;
            self.by_key.insert(key, at);
            at
        });
        if let Some(open) = self.open.get_mut(at) {
            open.add(chunk);
        }
    }
}

fn section_key(chunk: &Chunk) -> Key {
    (file_of(chunk), chunk.content.title.clone(), None)
}

fn example_key(chunk: &Chunk) -> Key {
    let language = chunk.content.language.clone().unwrap_or_default();
    (file_of(chunk), chunk.content.title.clone(), Some(language))
}

impl Open {
    fn add(&mut self, chunk: Chunk) {
        let is_code = chunk.content.kind == DocsMode::Code;
        let others = match is_code {
            true => &mut self.examples,
            false => &mut self.texts,
        };
        let is_same = |other: &Chunk| other.content.text == chunk.content.text;
        if !others.iter().any(is_same) {
            self.tokens = self.tokens.saturating_add(chunk.content.tokens);
            others.push(chunk);
        }
    }

    /// Joins the chunks into one text, in the order of the file.
    fn closed(mut self) -> Option<Section> {
        self.texts.sort_by_key(|text| text.content.line);
        let kind = match self.texts.is_empty() {
            true => DocsMode::Code,
            false => DocsMode::Info,
        };
        let first = self.texts.first().or(self.examples.first())?;
        let content = &first.content;
        let is_code = kind == DocsMode::Code;
        Some(Section {
            best: self.best?,
            relevance: self.relevance,
            path: first.path.clone(),
            title: content.title.clone(),
            description: content.description.clone().filter(|_| is_code),
            kind,
            language: is_code.then(|| content.language.clone().unwrap_or_default()),
            line: content.line,
            text: match is_code {
                true => joined_code(&self.examples),
                false => joined_text(&self.texts, &self.examples),
            },
        })
    }
}

fn joined_code(examples: &[Chunk]) -> String {
    let codes = examples.iter().map(|it| it.content.text.trim_end());
    codes.collect::<Vec<_>>().join("\n\n")
}

/// Joins texts without the repeated parts, followed by the examples.
fn joined_text(texts: &[Chunk], examples: &[Chunk]) -> String {
    let mut joined = String::new();
    for text in texts {
        let text = text.content.text.as_str();
        if joined.is_empty() {
            joined.push_str(text);
            continue;
        }
        let repeated = repeated(&joined, text);
        if repeated == 0 {
            joined.push_str("\n\n");
        }
        joined.push_str(text.get(repeated..).unwrap_or_default());
    }
    for example in examples {
        let content = &example.content;
        if let Some(description) = &content.description {
            joined.push_str(&format!("\n\n{description}"));
        }
        let language = content.language.as_deref().unwrap_or_default();
        joined.push_str(&format!("\n\n{}", fenced(&content.text, language)));
    }
    joined
}

/// Returns how many bytes at a text's beginning repeat the end of the previous text.
fn repeated(before: &str, text: &str) -> usize {
    let repeats = |at: &usize| text.get(..*at).is_some_and(|it| before.ends_with(it));
    REPEATED.rev().find(repeats).unwrap_or_default()
}

/// Formats code as a Markdown fence that no line of the code can end.
pub(crate) fn fenced(code: &str, language: &str) -> String {
    let runs = code.split(|c| c != '`').map(str::len);
    let longest = runs.max().unwrap_or_default();
    let fence = "`".repeat(FENCE.max(longest + 1));
    format!(
        "{fence}{language}\n{}\n{fence}",
        code.trim_end_matches('\n')
    )
}

#[cfg(test)]
mod tests;
