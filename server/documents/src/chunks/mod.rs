//! Cuts a document into what is stored and found: pieces of text and examples.
//!
//! A section is one piece of text where it fits; tables and fences are never cut unless one alone
//! is beyond any use. Neighbouring sections of a sentence or two are one piece together.

mod examples;
mod language;
mod pieces;
mod sections;
mod sentences;
#[cfg(test)]
mod tests;
mod whole;

pub use self::language::{
    AskedLanguage, named_in as language_named_in, names as language_names,
    of_fence as language_of_fence,
};

use self::{
    pieces::{Piece, Unit},
    sections::Section,
};
use super::document::Document;

/// The tokens of one chunk; more only where a table or an example alone has more.
pub const MAX_TOKENS: u32 = 512;
/// The tokens that the next piece of a section repeats, in whole sentences.
pub const OVERLAP: u32 = 50;
/// Larger tables and examples are cut between their lines.
pub const HARD_MAX_TOKENS: u32 = 4_096;
/// A section with less text is merged with neighbours like it; about 50 tokens.
const TINY_BYTES: usize = 200;
/// Sections merged to one piece have at most this much text.
const MERGED_BYTES: usize = 1_200;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// Text, as Markdown.
    Info,
    /// One example, verbatim.
    Code,
}

/// One piece of a document, to be stored and found by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Text or example.
    pub kind: ChunkKind,
    /// The headings that lead there: `A > B > C`, the document's title first.
    pub title: String,
    /// What an example shows: its caption, the sentence before it, else its heading.
    pub description: Option<String>,
    /// An example's language by its usual name, such as `python` or `bash`.
    pub language: Option<String>,
    /// Markdown for text; an example without its fence.
    pub text: String,
    /// Line of the source file, from 1; the page in a PDF; 0 where it is not known.
    pub line: u32,
    /// Size of `text` in cl100k tokens.
    pub tokens: u32,
}

/// Cuts a document, in reading order: a section's text, then its examples.
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

/// How many of the first sections are one piece: 1 unless they are tiny and of one parent.
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
    // The last one may be the parent of what follows.
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
