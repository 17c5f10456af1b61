//! Folding what was found: one hit for each section, its examples in it.
//!
//! A section's text and each of its examples are found by themselves, since each is embedded and ranked
//! by itself; a reader wants them together. A section keeps the place of its best piece. One that would
//! take too much of an answer is left at its best pieces, and the others are a hit of their own further
//! down, so that one long section does not push every other one out.

use std::collections::HashMap;

use recall_kit_shared_types::libraries::DocsMode;
use recall_kit_store::{Chunk, file_and_kind};
use uuid::Uuid;

/// The least backticks around code. Source: CommonMark, "Fenced code blocks".
const FENCE: usize = 3;
/// How many bytes a piece repeats of the one before it: whole sentences, so that less is chance.
const REPEATED: std::ops::RangeInclusive<usize> = 20..=1_000;

/// A section, or the part of it that was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Section {
    /// The best of its pieces.
    pub(super) best: Uuid,
    /// 0–1: how relevant that is.
    pub(super) relevance: f32,
    /// The path of its file.
    pub(super) path: String,
    /// The headings that lead there, or what its example shows.
    pub(super) title: String,
    /// What its example does, where it is one.
    pub(super) description: Option<String>,
    /// Text that may hold examples, or examples alone.
    pub(super) kind: DocsMode,
    /// The language of its examples, where it is examples alone.
    pub(super) language: Option<String>,
    /// The first line, from 1; 0 where it is not known.
    pub(super) line: u32,
    /// Markdown, or code.
    pub(super) text: String,
}

/// What pieces belong to: a file, the headings, and of examples alone their language.
type Key = (u64, String, Option<String>);

/// Pieces on their way into one section.
#[derive(Default)]
struct Open {
    relevance: f32,
    best: Option<Uuid>,
    tokens: u32,
    texts: Vec<Chunk>,
    examples: Vec<Chunk>,
}

/// Folds pieces, best first, into sections, best first. Further pieces join a section while it has at
/// most `most` tokens.
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

/// Where an example belongs.
#[derive(Clone, Copy)]
struct HomeText {
    /// The text's place among what was found.
    at: usize,
    /// Whether the text shows the example.
    shows_it: bool,
}

/// Finds for each example the text that shows it, else the one of its section that comes before it.
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
        // The last that begins above it; the first of those below where none does.
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
    /// What is not placed yet.
    found: Vec<Option<(f32, Chunk)>>,
    open: Vec<Open>,
    /// The section that takes in more of its kind.
    by_key: HashMap<Key, usize>,
}

impl Folding {
    /// Places a piece, and the text that an example belongs to with it.
    fn place(&mut self, at: usize, home: Option<HomeText>) {
        let Some((relevance, chunk)) = self.found.get_mut(at).and_then(Option::take) else {
            return;
        };
        let text = home.and_then(|home| self.found.get_mut(home.at).and_then(Option::take));
        let is_example = chunk.content.kind == DocsMode::Code;
        let key = match (&text, home) {
            _ if !is_example => section_key(&chunk),
            (Some((_, text)), _) => section_key(text),
            // The text is placed already.
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

    /// Puts a piece into the section that is open for it, or opens one.
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
        let says_the_same = |other: &Chunk| other.content.text == chunk.content.text;
        if !others.iter().any(says_the_same) {
            self.tokens = self.tokens.saturating_add(chunk.content.tokens);
            others.push(chunk);
        }
    }

    /// Makes one text of the pieces, in the order of the file.
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

/// Joins texts without what a piece repeats of the one before, and the examples below them.
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

/// Returns how many bytes at a text's beginning are the end of the one before.
fn repeated(before: &str, text: &str) -> usize {
    let repeats = |at: &usize| text.get(..*at).is_some_and(|it| before.ends_with(it));
    REPEATED.rev().find(repeats).unwrap_or_default()
}

/// Writes code as a Markdown fence that nothing in the code ends.
pub(in crate::libraries) fn fenced(code: &str, language: &str) -> String {
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
