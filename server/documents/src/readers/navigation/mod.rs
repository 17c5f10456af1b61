//! Removes navigation: menus, breadcrumbs, tables of contents, links to the previous and the next page, plain
//! lists of links, pages that consist of these, and pages that moved.
//!
//! Navigation is recognized by how much of a text is in links, in the same way for every format and language,
//! without knowledge of sites or generators. A list whose links are described stays, because it is
//! documentation.

pub(crate) mod links;
pub(crate) mod redirect;

use super::Skip;
use crate::{
    document::{Block, BlockKind, Document},
    readers::navigation::links::{Share, unmark},
};

/// A paragraph or an item with more letters is content, even if all of it is one link.
const MAX_LINK_LETTERS: usize = 120;
/// The same limit for several links in a row.
const MAX_ROW_LETTERS: usize = 240;
/// A page with fewer letters outside of links may be navigation with a few words around it.
const FEW_LETTERS: usize = 200;
/// A page with more letters outside of links is more than a notice that it moved.
const MAX_NOTE_LETTERS: usize = 90;
/// Longer texts have more letters than any of these limits, and are not measured.
const MAX_BYTES: usize = 4_000;
/// Characters between the links of a row.
const BETWEEN: [char; 14] = [
    '|', '/', '>', '·', '•', '»', '«', '›', '‹', '→', '←', '⟶', '⟵', '❯',
];
/// Characters that point to the previous or the next page.
const ARROWS: [char; 10] = ['→', '←', '⟶', '⟵', '»', '«', '›', '‹', '⇒', '⇐'];
/// Phrases of pages that moved.
const MOVED: [&str; 38] = [
    "has moved",
    "have moved",
    "was moved",
    "been moved",
    "moved to",
    "moved permanently",
    "redirect",
    "relocated",
    "new location",
    "verschoben",
    "umgezogen",
    "weitergeleitet",
    "a déménagé",
    "déplacée",
    "déplacé",
    "redirigé",
    "redirection",
    "se ha movido",
    "ha sido movid",
    "trasladad",
    "redirig",
    "foi movid",
    "mudou de",
    "redirecion",
    "spostat",
    "reindirizz",
    "verplaatst",
    "doorgestuurd",
    "przeniesion",
    "перемещ",
    "перенес",
    "перенаправ",
    "已移动",
    "已迁移",
    "移至",
    "重定向",
    "移動しました",
    "リダイレクト",
];

/// Returns a document without navigation and without link markers.
///
/// *Errors*: why there is nothing to read in it.
pub(super) fn pruned(mut document: Document) -> Result<Document, Skip> {
    if is_moved(&document) {
        return Err(Skip::Redirect);
    }
    let mut dropped = Share::default();
    let mut remaining = Vec::with_capacity(document.blocks.len());
    for block in std::mem::take(&mut document.blocks) {
        if is_navigation(&block) {
            dropped += share(&block);
            remaining.push(None);
        } else {
            remaining.push(Some(block));
        }
    }
    if dropped.links > 0 {
        let own = remaining.iter().flatten();
        let own: Vec<Share> = own.filter(|it| !is_heading(it)).map(share).collect();
        let letters: usize = own.iter().map(|it| it.letters).sum();
        let has_shape = remaining.iter().flatten().any(is_example_or_table);
        let is_little = letters < FEW_LETTERS && dropped.letters >= 4 * letters;
        if own.is_empty() || is_little && !has_shape {
            return Err(match dropped.links {
                1 => Skip::Redirect,
                _ => Skip::Index,
            });
        }
    }
    document.blocks = without_empty_sections(remaining);
    Ok(unmarked(document))
}

/// Removes the link markers from a document.
pub(super) fn unmarked(mut document: Document) -> Document {
    if let Some(title) = &mut document.title {
        unmark(title);
    }
    for block in &mut document.blocks {
        match &mut block.kind {
            BlockKind::Heading { text, .. } | BlockKind::Text(text) | BlockKind::Table(text) => {
                unmark(text);
            }
            BlockKind::Code { text, caption, .. } => {
                unmark(text);
                if let Some(caption) = caption {
                    unmark(caption);
                }
            }
        }
    }
    document
}

/// Whether a document is so short that signs of a redirect in its source count.
pub(super) fn is_short(document: &Document) -> bool {
    if !is_small(document) || document.blocks.iter().any(is_example_or_table) {
        return false;
    }
    let letters = document.blocks.iter().map(|it| share(it).letters);
    letters.sum::<usize>() <= FEW_LETTERS
}

/// Whether a page says nothing but that it moved.
fn is_moved(document: &Document) -> bool {
    if !is_small(document) {
        return false;
    }
    let mut total = Share::default();
    let mut says_so = false;
    let mut headings = 0;
    for block in &document.blocks {
        let text = match &block.kind {
            BlockKind::Text(text) => text,
            BlockKind::Heading { text, .. } => {
                headings += 1;
                text
            }
            _ => return false,
        };
        total += Share::of(text);
        let text = text.to_lowercase();
        says_so |= MOVED.iter().any(|words| text.contains(words));
    }
    let own = total.letters - total.linked;
    says_so && headings <= 1 && total.links > 0 && own <= MAX_NOTE_LETTERS
}

/// Whether a document is short enough to be measured: at most [`MAX_BYTES`] of text.
fn is_small(document: &Document) -> bool {
    let mut bytes = 0;
    document.blocks.iter().all(|block| {
        bytes += match &block.kind {
            BlockKind::Heading { text, .. }
            | BlockKind::Text(text)
            | BlockKind::Code { text, .. }
            | BlockKind::Table(text) => text.len(),
        };
        bytes <= MAX_BYTES
    })
}

fn is_heading(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Heading { .. })
}

fn is_example_or_table(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Code { .. } | BlockKind::Table(_))
}

fn share(block: &Block) -> Share {
    match &block.kind {
        BlockKind::Heading { text, .. } | BlockKind::Text(text) | BlockKind::Table(text) => {
            Share::of(text)
        }
        BlockKind::Code { .. } => Share::default(),
    }
}

fn is_navigation(block: &Block) -> bool {
    match &block.kind {
        BlockKind::Text(text) if is_list(text) => is_list_of_links(text),
        BlockKind::Text(text) => is_row_of_links(text),
        BlockKind::Table(table) => is_table_of_links(table),
        BlockKind::Heading { .. } | BlockKind::Code { .. } => false,
    }
}

/// Whether a paragraph is a single link, a breadcrumb, or links to the previous and the next page.
fn is_row_of_links(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let share = Share::of(text);
    if share.links == 1 {
        // "See the reference" is a sentence.
        let is_lone = share.linked == share.letters || text.contains(ARROWS);
        return is_lone && share.is_half_links() && share.letters <= MAX_LINK_LETTERS;
    }
    if share.links == 0 || share.letters > MAX_ROW_LETTERS {
        return false;
    }
    let between = text.chars().filter(|it| BETWEEN.contains(it)).count();
    let is_row = between + 1 >= share.links;
    let points = text.contains(ARROWS);
    share.is_links() || share.is_half_links() && (is_row || points)
}

fn is_list(text: &str) -> bool {
    text.lines().next().is_some_and(|line| item(line).is_some())
}

/// Returns an item's depth and text.
fn item(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    let depth = line.len() - text.len();
    if let Some(text) = text.strip_prefix("- ") {
        return Some((depth, text));
    }
    let (number, text) = text.split_once(". ")?;
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    is_number.then_some((depth, text))
}

/// Whether four items in five are links with hardly any text beside them. A word that is only the label of the
/// links below it does not count.
fn is_list_of_links(text: &str) -> bool {
    let mut items: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        match (item(line), items.last_mut()) {
            (Some((depth, text)), _) => items.push((depth, text.to_owned())),
            (None, Some((_, last))) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            (None, None) => return false,
        }
    }
    let (mut only_links, mut counted) = (0, 0);
    for (at, (depth, text)) in items.iter().enumerate() {
        let share = Share::of(text);
        let next = items.get(at + 1);
        let heads = next.is_some_and(|(deeper, _)| deeper > depth);
        let is_label = share.links == 0 && heads && text.split_whitespace().count() <= 5;
        if share.letters == 0 || is_label {
            continue;
        }
        counted += 1;
        only_links += usize::from(share.is_links() && share.letters <= MAX_LINK_LETTERS);
    }
    only_links > 0 && only_links * 5 >= counted * 4
}

/// Whether nine letters in ten in the rows below the header are in links.
fn is_table_of_links(table: &str) -> bool {
    let mut total = Share::default();
    for row in table.lines().skip(2) {
        total += Share::of(row);
    }
    total.links >= 3 && (total.letters - total.linked) * 10 <= total.letters
}

/// Removes headings under which everything was dropped.
fn without_empty_sections(remaining: Vec<Option<Block>>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::with_capacity(remaining.len());
    // Whether the last block is a heading under which something was dropped.
    let mut is_emptied = false;
    for block in remaining {
        let Some(block) = block else {
            is_emptied = blocks.last().is_some_and(is_heading);
            continue;
        };
        let has_sections = level(&block) > blocks.last().and_then(level);
        if is_emptied && is_heading(&block) && !has_sections {
            blocks.pop();
        }
        is_emptied = false;
        blocks.push(block);
    }
    if is_emptied {
        blocks.pop();
    }
    blocks
}

fn level(block: &Block) -> Option<u8> {
    match block.kind {
        BlockKind::Heading { level, .. } => Some(level),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
