//! Pages of documents within a budget of tokens.
//!
//! A page is filled with documents, best first, while they fit. A document that does not fit is cut and
//! continues at the top of the next page, or moves there entirely, so that nothing is skipped. Every page
//! has at least one document. The budget counts the tokens of the response as JSON, including field names
//! and numbers.

use std::collections::VecDeque;

use recall_kit_documents::tokens;
use recall_kit_shared_types::libraries::{LibraryDocument, library_limits::MAX_PAGE};
use serde::Serialize;

/// The fewest remaining tokens for which part of a document is put on a page.
const MIN_ROOM: u32 = 150;
/// The fewest tokens of text of a page's only document, however long its other fields are.
const MIN_TEXT: u32 = 40;

/// Extra tokens that a part may need: its quotes, and the end of a fence that it opens.
const FRAME: u32 = 8;

/// How documents are divided into pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    /// The most documents on a page.
    pub(super) size: usize,
    /// The most tokens of all documents of a page; no limit when `None`.
    pub(super) budget: Option<u32>,
}

/// A page.
#[derive(Debug, PartialEq)]
pub(super) struct Page {
    /// Its documents.
    pub(super) documents: Vec<LibraryDocument>,
    /// Whether the next page has documents.
    pub(super) has_more: bool,
}

/// Returns a page, counted from 1, of documents that are ordered best first.
pub(super) fn page(documents: Vec<LibraryDocument>, paging: Paging, number: u32) -> Page {
    let mut waiting: VecDeque<Waiting> = documents.into_iter().map(Waiting::new).collect();
    for before in 1..number {
        take_page(&mut waiting, paging, before);
    }
    let documents = take_page(&mut waiting, paging, number);
    Page {
        documents,
        has_more: number < MAX_PAGE && !waiting.is_empty(),
    }
}

/// Counts the tokens of a value as JSON.
pub(super) fn json_tokens(value: &impl Serialize) -> u32 {
    serde_json::to_string(value).map_or(0, |json| tokens::count(&json))
}

/// Removes and returns the documents of the next page.
fn take_page(waiting: &mut VecDeque<Waiting>, paging: Paging, number: u32) -> Vec<LibraryDocument> {
    let mut left = paging.budget.unwrap_or(u32::MAX);
    let mut page = Vec::new();
    while page.len() < paging.size
        && let Some(next) = waiting.pop_front()
    {
        let complete = next.complete();
        // Plus the comma after it.
        let needed = match paging.budget {
            Some(_) => json_tokens(&complete).saturating_add(1),
            None => 0,
        };
        if needed <= left {
            left -= needed;
            page.push(complete);
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
            None if is_first => page.push(complete),
            None => waiting.push_front(next),
        }
        break;
    }
    page
}

/// A document, or the rest of one.
#[derive(Debug, Clone)]
struct Waiting {
    /// Everything but its text.
    document: LibraryDocument,
    /// The remaining text.
    text: String,
    /// The page with the previous part.
    cut_on: Option<u32>,
    /// The opening line of the code fence in which it was cut.
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

    /// Returns the document with all remaining text.
    fn complete(&self) -> LibraryDocument {
        self.with(&self.text, None)
    }

    /// Returns the document with as much of the text as fits, and the rest; `None` if no part fits or
    /// the text cannot be cut.
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
        // Preserves the indentation of the next line.
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

    /// Returns the document with part of its text and a mark where it was cut.
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

/// Returns the mark at the end of a text that was cut.
fn mark(number: u32) -> String {
    match number < MAX_PAGE {
        true => format!("\n[… cut here: continues on page {}]", number + 1),
        false => "\n[… cut here]".to_owned(),
    }
}

/// Returns the end of the longest part with at most so many tokens as JSON: at the end of a line, or of a
/// word if the former would leave half of the room unused.
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

/// Returns the positions at which lines end, without the last one.
fn line_ends(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(at, _)| at);
    ends.filter(|at| *at > 0 && text.get(*at..).is_some_and(|it| !it.trim().is_empty()))
        .collect()
}

/// Returns the positions at which a text may be cut in the worst case: between words, or anywhere if there
/// are none.
fn parts(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut before: Option<char> = None;
    for (at, character) in text.char_indices() {
        let after_word = before.is_some_and(|it| !it.is_whitespace()) && character.is_whitespace();
        let after_sign = before.is_some_and(has_no_spaces) && !character.is_ascii_punctuation();
        if at > 0 && (after_word || after_sign) {
            ends.push(at);
        }
        before = Some(character);
    }
    if ends.is_empty() {
        ends.extend(text.char_indices().map(|(at, _)| at).skip(1));
    }
    ends
}

/// Whether a character belongs to a script without spaces between words.
fn has_no_spaces(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}'
        | '\u{20000}'..='\u{3ffff}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}')
}

/// Returns the opening line of the code fence in which a text ends, if any.
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

/// Returns the marks of a fence without the language after them.
fn marks(fence: &str) -> &str {
    let first = fence.chars().next().unwrap_or_default();
    let end = fence.find(|character| character != first);
    fence.get(..end.unwrap_or(fence.len())).unwrap_or(fence)
}

#[cfg(test)]
mod tests;
