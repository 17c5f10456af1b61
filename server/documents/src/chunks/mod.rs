//! Splits a document into chunks, which are stored and found: pieces of text and examples.
//!
//! A section is one piece if it fits. Tables and fences are not split unless a single one exceeds the hard
//! limit. Adjacent sections of a sentence or two are merged.

mod examples;
mod pieces;
mod sections;
mod sentences;
#[cfg(test)]
mod tests;
mod visible;
mod whole;

use self::{
    pieces::{Piece, Unit},
    sections::Section,
};
use super::document::Document;

/// The most tokens of a chunk; only a single table or example may have more.
pub const MAX_TOKENS: u32 = 512;
/// The most tokens that the next piece of a section repeats, in whole sentences.
pub const OVERLAP: u32 = 50;
/// Larger tables and examples are split between their lines.
pub const HARD_MAX_TOKENS: u32 = 4_096;
/// A section with less text is merged with its neighbours of the same kind; about 50 tokens.
const TINY_BYTES: usize = 200;
/// Merged sections have at most this much text.
const MERGED_BYTES: usize = 1_200;

/// What a chunk contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// Text, as Markdown.
    Info,
    /// One example, verbatim.
    Code,
}

/// A part of a document that is stored and found on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Text or example.
    pub kind: ChunkKind,
    /// The headings above it: `A > B > C`, beginning with the document's title.
    pub title: String,
    /// The description of an example: its caption, the sentence before it, or its heading.
    pub description: Option<String>,
    /// An example's language by its usual name, such as `python` or `bash`.
    pub language: Option<String>,
    /// Markdown for text; an example without its fence.
    pub text: String,
    /// Line in the source file, from 1; the page in a PDF; 0 if it is not known.
    pub line: u32,
    /// The number of cl100k tokens of `text`.
    pub tokens: u32,
}

/// Splits a document into chunks in reading order: a section's text, then its examples.
#[must_use]
pub fn cut(path: &str, document: &Document) -> Vec<Chunk> {
    let sections = sections::of(path, document);
    let mut chunks = Vec::new();
    let mut rest = sections.as_slice();
    while let Some(first) = rest.first() {
        let together = tiny_siblings(rest);
        let (group, after) = rest.split_at(together);
        if together > 1 {
            merged(group, &mut chunks);
        } else {
            text_of(first, &mut chunks);
        }
        for section in group {
            chunks.extend(examples::of(section));
        }
        rest = after;
    }
    chunks
}

/// Returns how many of the first sections are merged: 1 unless they are tiny and have the same parent.
fn tiny_siblings(sections: &[Section<'_>]) -> usize {
    let Some(first) = sections.first() else {
        return 0;
    };
    if first.heading.is_none() {
        return 1;
    }
    let mut total = 0;
    let mut count = 0;
    for section in sections {
        // A parent's own text is not merged with its children.
        let sibling = section.parent() == first.parent() && section.path.len() == first.path.len();
        total += section.bytes;
        if !sibling || section.bytes > TINY_BYTES || total > MERGED_BYTES {
            break;
        }
        count += 1;
    }
    // The last one may be the parent of the next section.
    if let Some(next) = sections.get(count)
        && count > 0
        && next.path.len() > first.path.len()
    {
        count -= 1;
    }
    count.max(1)
}

fn merged(group: &[Section<'_>], chunks: &mut Vec<Chunk>) {
    let units: Vec<Unit<'_>> = group
        .iter()
        .flat_map(|it| it.heading_unit().into_iter().chain(it.units()))
        .collect();
    let title = group.first().map(|it| sections::title(it.parent()));
    push(title.unwrap_or_default(), pieces::pack(&units), chunks);
}

fn text_of(section: &Section<'_>, chunks: &mut Vec<Chunk>) {
    let units: Vec<Unit<'_>> = match examples::only_described(section) {
        examples::Text::Whole => section.units().collect(),
        examples::Text::WithoutExamples => section.units().filter(|it| !it.is_example()).collect(),
        examples::Text::None => return,
    };
    push(section.title(), pieces::pack(&units), chunks);
}

fn push(title: String, pieces: Vec<Piece>, chunks: &mut Vec<Chunk>) {
    chunks.extend(pieces.into_iter().map(|it| Chunk {
        kind: ChunkKind::Info,
        title: title.clone(),
        description: None,
        language: None,
        text: it.text,
        line: it.line,
        tokens: it.tokens,
    }));
}
