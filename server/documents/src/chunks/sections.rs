//! A document's sections: the blocks between two headings, and the headings above them.

use std::borrow::Cow;

use super::{
    examples,
    pieces::{Kind, Unit},
};
use crate::document::{Block, BlockKind, Document};

/// Longer headings are truncated in titles.
const MAX_HEADING_CHARS: usize = 120;

/// The blocks under one heading, up to the next heading of any level.
pub(super) struct Section<'a> {
    /// The document's title and the headings, outermost first.
    pub(super) path: Vec<Cow<'a, str>>,
    /// Its own heading with level and line; `None` before the first heading.
    pub(super) heading: Option<(&'a str, u8, u32)>,
    /// Its blocks without the heading.
    pub(super) blocks: &'a [Block],
    /// The size of its texts in bytes.
    pub(super) bytes: usize,
}

impl<'a> Section<'a> {
    /// Returns its title: `A > B > C`.
    pub(super) fn title(&self) -> String {
        title(&self.path)
    }

    /// Returns the headings above its own.
    pub(super) fn parent(&self) -> &[Cow<'a, str>] {
        self.path.split_last().map_or(&[], |(_, parent)| parent)
    }

    /// Returns its blocks as units for packing.
    pub(super) fn units(&self) -> impl Iterator<Item = Unit<'a>> {
        let blocks = self.blocks;
        blocks.iter().enumerate().filter_map(move |(at, block)| {
            let (kind, text) = match &block.kind {
                BlockKind::Heading { .. } => return None,
                BlockKind::Text(text) => (Kind::Prose, Cow::Borrowed(text.as_str())),
                BlockKind::Table(text) => (Kind::Table, Cow::Borrowed(text.as_str())),
                BlockKind::Code { .. } => {
                    let example = examples::Example::of(blocks, at)?;
                    let kind = Kind::Fence {
                        example: !example.is_trivial(),
                    };
                    (kind, Cow::Owned(example.fenced()))
                }
            };
            Some(Unit {
                line: block.line,
                kind,
                text,
            })
        })
    }

    /// Returns its heading as a line of text, for merged sections.
    pub(super) fn heading_unit(&self) -> Option<Unit<'a>> {
        let (text, level, line) = self.heading?;
        let marks = "#".repeat(usize::from(level.min(6)));
        Some(Unit {
            line,
            kind: Kind::Prose,
            text: Cow::Owned(format!("{marks} {text}")),
        })
    }
}

/// Joins headings into one title.
pub(super) fn title(path: &[Cow<'_, str>]) -> String {
    path.join(" > ")
}

/// Returns the sections of a document. Sections without text that have no neighbour to merge with are left out;
/// their headings stay in the titles of the sections under them.
pub(super) fn of<'a>(path: &'a str, document: &'a Document) -> Vec<Section<'a>> {
    let root = match document.title.as_deref() {
        Some(title) => in_title(title),
        None => Cow::Borrowed(file_title(path)),
    };
    let mut sections = Vec::new();
    // The current headings with their levels, outermost first.
    let mut open: Vec<(u8, Cow<'a, str>)> = Vec::new();
    let mut rest = document.blocks.as_slice();
    let mut heading = None;
    let mut names_document = false;
    loop {
        let end = rest.iter().position(is_heading).unwrap_or(rest.len());
        let (blocks, after) = rest.split_at(end);
        let taken = document.blocks.len() - after.len();
        let lead = sections.len() == 1 && names_document;
        if let Some(lead) = sections.last_mut().filter(|_: &&mut Section<'_>| lead) {
            // Text above the document's own title belongs to the text below it.
            lead.blocks = document.blocks.get(..taken).unwrap_or_default();
            lead.bytes += blocks.iter().map(bytes).sum::<usize>();
        } else if heading.is_some() || !blocks.is_empty() {
            let headings = open.iter().map(|(_, it)| it.clone());
            sections.push(Section {
                path: std::iter::once(root.clone()).chain(headings).collect(),
                heading,
                blocks,
                bytes: blocks.iter().map(bytes).sum(),
            });
        }
        let Some((next, after)) = after.split_first() else {
            break;
        };
        if let BlockKind::Heading { level, text, .. } = &next.kind {
            open.retain(|(it, _)| it < level);
            let shown = in_title(text);
            // The document's own title is already the first part.
            names_document = open.is_empty() && shown == root;
            if !names_document {
                open.push((*level, shown));
            }
            heading = Some((text.as_str(), *level, next.line));
        }
        rest = after;
    }
    sections
}

fn is_heading(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Heading { .. })
}

fn bytes(block: &Block) -> usize {
    match &block.kind {
        BlockKind::Heading { text, .. }
        | BlockKind::Text(text)
        | BlockKind::Code { text, .. }
        | BlockKind::Table(text) => text.len(),
    }
}

fn in_title(heading: &str) -> Cow<'_, str> {
    let long = heading.len() > MAX_HEADING_CHARS;
    if !long && !heading.contains('`') {
        return Cow::Borrowed(heading);
    }
    let mut text: String = heading.chars().filter(|it| *it != '`').collect();
    if let Some((at, _)) = text.char_indices().nth(MAX_HEADING_CHARS) {
        text.truncate(at);
        text.push('…');
    }
    Cow::Owned(text)
}

/// Returns the title of a file without one: its name, or for a README its folder's name.
fn file_title(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let general = ["readme", "index"]
        .iter()
        .any(|it| stem.eq_ignore_ascii_case(it));
    match parts.next() {
        Some(folder) if general && !folder.is_empty() => folder,
        _ => stem,
    }
}
