//! Pages of documents within a budget of tokens.
//!
//! A page takes documents, best first, while they fit. The one that does not is cut, and goes on at
//! the top of the next page, or it waits for that whole; so nothing is passed over. Every page has at
//! least one document. What counts are the tokens of the answer as JSON, names and numbers included.

use std::collections::VecDeque;

use recall_kit_documents::tokens;
use recall_kit_shared_types::libraries::{LibraryDocument, library_limits::MAX_PAGE};
use serde::Serialize;

/// The least room, in tokens, in which part of a document is worth being given.
const MIN_ROOM: u32 = 150;
/// The tokens of text that a page's only document has at least, however long its names are.
const MIN_TEXT: u32 = 40;

/// Tokens that a part may have beside its own: its quotes, and the end of a fence that it opens.
const FRAME: u32 = 8;

/// How documents are divided into pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    /// Documents on a page, at most.
    pub(super) size: usize,
    /// Tokens that the documents of a page may have together; any where there is none.
    pub(super) budget: Option<u32>,
}

/// A page.
#[derive(Debug, PartialEq)]
pub(super) struct Page {
    /// Its documents.
    pub(super) documents: Vec<LibraryDocument>,
    /// Whether the next page has any.
    pub(super) has_more: bool,
}

/// Returns a page, from 1, of documents that come best first.
pub(super) fn page(documents: Vec<LibraryDocument>, paging: Paging, number: u32) -> Page {
    let mut waiting: VecDeque<Waiting> = documents.into_iter().map(Waiting::new).collect();
    for before in 1..number {
        taken(&mut waiting, paging, before);
    }
    let documents = taken(&mut waiting, paging, number);
    Page {
        documents,
        has_more: number < MAX_PAGE && !waiting.is_empty(),
    }
}

/// Counts the tokens of what is written as JSON.
pub(super) fn json_tokens(value: &impl Serialize) -> u32 {
    serde_json::to_string(value).map_or(0, |json| tokens::count(&json))
}

/// Takes the documents of a page.
fn taken(waiting: &mut VecDeque<Waiting>, paging: Paging, number: u32) -> Vec<LibraryDocument> {
    let mut left = paging.budget.unwrap_or(u32::MAX);
    let mut page = Vec::new();
    while page.len() < paging.size
        && let Some(next) = waiting.pop_front()
    {
        let whole = next.whole();
        // And the comma behind it.
        let needed = match paging.budget {
            Some(_) => json_tokens(&whole).saturating_add(1),
            None => 0,
        };
        if needed <= left {
            left -= needed;
            page.push(whole);
            continue;
        }
        let is_first = page.is_empty();
        let cut = match is_first || left >= MIN_ROOM {
            true => next.cut(left, is_first, number),
            false => None,
        };
        match cut {
            Some((head, rest)) => {
                page.push(head);
                waiting.push_front(rest);
            }
            None if is_first => page.push(whole),
            None => waiting.push_front(next),
        }
        break;
    }
    page
}

/// A document, or what is left of one.
#[derive(Debug, Clone)]
struct Waiting {
    /// Everything but its text.
    document: LibraryDocument,
    /// The text that is left.
    text: String,
    /// The page that has what came before.
    cut_on: Option<u32>,
    /// The line that opens the fence in which it was cut.
    fence: Option<String>,
}

impl Waiting {
    fn new(mut document: LibraryDocument) -> Self {
        let text = document.content.as_mut().or(document.code.as_mut());
        let text = text.map(std::mem::take).unwrap_or_default();
        Self {
            document,
            text,
            cut_on: None,
            fence: None,
        }
    }

    /// Returns all that is left.
    fn whole(&self) -> LibraryDocument {
        self.with(&self.text, None)
    }

    /// Returns as much of the text as fits, on a page, and the rest; `None` where no part of it does,
    /// or it cannot be cut.
    fn cut(&self, room: u32, is_first: bool, number: u32) -> Option<(LibraryDocument, Self)> {
        let without_text = json_tokens(&self.with("", Some(number))).saturating_add(FRAME);
        let room = room.saturating_sub(without_text);
        let room = match is_first {
            true => room.max(MIN_TEXT),
            false => room,
        };
        let end = end_of_part(&self.text, room).or_else(|| {
            let shortest = || parts(&self.text).first().copied();
            is_first.then(shortest).flatten()
        })?;
        let (head, rest) = self.text.split_at_checked(end)?;
        let document = self.with(head, Some(number));
        let fence = match self.document.content {
            Some(_) => open_fence(self.fence.as_deref(), head),
            None => None,
        };
        // The next line keeps its indentation.
        let rest = match rest.starts_with('\n') {
            true => rest.trim_start_matches('\n'),
            false => rest.trim_start(),
        };
        let rest = Self {
            document: self.document.clone(),
            text: rest.to_owned(),
            cut_on: Some(number),
            fence,
        };
        (!rest.text.is_empty()).then_some((document, rest))
    }

    /// Returns the document with some of its text, and marks where it was cut.
    fn with(&self, part: &str, cut_on: Option<u32>) -> LibraryDocument {
        let mut text = String::with_capacity(part.len() + 80);
        if let Some(before) = self.cut_on {
            text.push_str(&format!("[… continued from page {before}]\n"));
        }
        if let Some(fence) = &self.fence {
            text.push_str(&format!("{fence}\n"));
        }
        let part = match cut_on {
            Some(_) => part.trim_end(),
            None => part,
        };
        text.push_str(part);
        let mut document = self.document.clone();
        if let Some(number) = cut_on {
            let is_text = document.content.is_some();
            if is_text && let Some(fence) = open_fence(self.fence.as_deref(), part) {
                text.push_str(&format!("\n{}", marks(&fence)));
            }
            text.push_str(&mark(number));
            document.truncated = true;
        }
        document.tokens = tokens::count(&text);
        match &mut document.content {
            Some(content) => *content = text,
            None => document.code = Some(text),
        }
        document
    }
}

/// What stands where a text was cut.
fn mark(number: u32) -> String {
    match number < MAX_PAGE {
        true => format!("\n[… cut here: continues on page {}]", number + 1),
        false => "\n[… cut here]".to_owned(),
    }
}

/// Returns where the longest part ends that has at most so many tokens as JSON: at a line's end, or at a
/// word's where that would leave half of the room.
fn end_of_part(text: &str, room: u32) -> Option<usize> {
    let fits = |end: &usize| text.get(..*end).is_some_and(|it| json_tokens(&it) <= room);
    let last_that_fits = |ends: Vec<usize>| {
        let fitting = ends.partition_point(fits);
        fitting.checked_sub(1).and_then(|at| ends.get(at).copied())
    };
    let line = last_that_fits(line_ends(text));
    let is_enough = |end: &usize| {
        let part = text.get(..*end).unwrap_or_default();
        json_tokens(&part) >= room / 2
    };
    match line.filter(is_enough) {
        Some(end) => Some(end),
        None => last_that_fits(parts(text)).max(line),
    }
}

/// Returns where lines end, but the last.
fn line_ends(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(at, _)| at);
    ends.filter(|at| *at > 0 && text.get(*at..).is_some_and(|it| !it.trim().is_empty()))
        .collect()
}

/// Returns where a text may be cut at the worst: between words, or anywhere where it has none.
fn parts(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut before: Option<char> = None;
    for (at, character) in text.char_indices() {
        let after_word = before.is_some_and(|it| !it.is_whitespace()) && character.is_whitespace();
        let between_signs = before.is_some_and(stands_alone) && !character.is_ascii_punctuation();
        if at > 0 && (after_word || between_signs) {
            ends.push(at);
        }
        before = Some(character);
    }
    if ends.is_empty() {
        ends.extend(text.char_indices().map(|(at, _)| at).skip(1));
    }
    ends
}

/// Whether a character is of a script that puts no spaces between words.
fn stands_alone(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}'
        | '\u{20000}'..='\u{3ffff}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}')
}

/// Returns the line that opened the fence in which a text ends, if it ends in one.
fn open_fence(before: Option<&str>, text: &str) -> Option<String> {
    let mut open = before.map(str::to_owned);
    for line in text.lines() {
        let line = line.trim_start();
        if !line.starts_with("```") && !line.starts_with("~~~") {
            continue;
        }
        match &open {
            None => open = Some(line.trim_end().to_owned()),
            Some(fence) if line.trim_end() == marks(fence) => open = None,
            Some(_) => {}
        }
    }
    open
}

/// Returns the marks of a fence without the language behind them.
fn marks(fence: &str) -> &str {
    let first = fence.chars().next().unwrap_or_default();
    let end = fence.find(|character| character != first);
    fence.get(..end.unwrap_or(fence.len())).unwrap_or(fence)
}

#[cfg(test)]
mod tests;
