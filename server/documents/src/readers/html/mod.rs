//! Reads HTML pages: only their content, without navigation, scripts and footers.

mod attributes;
mod inline;
mod page;
mod render;
mod table;
mod tree;

use self::tree::Tree;
use super::{Reading, Skip, writer::Writer};

/// Reads a page.
pub(super) fn read(path: &str, html: &str) -> Reading {
    let tree = Tree::parse(html);
    if let Some(skip) = page::skip(path, &tree) {
        return Reading::Skipped(skip);
    }
    let content = page::content(&tree);
    let mut writer = Writer::default();
    render::render(&tree, content, 0, &mut writer);
    if let Some(title) = page::title(&tree) {
        writer.title(&title);
    }
    let document = writer.finish();
    if document.blocks.is_empty() {
        return Reading::Skipped(Skip::Empty);
    }
    Reading::Document(document)
}

/// Writes a piece of HTML that is embedded in another format, with its first line at `line`.
pub(super) fn fragment(html: &str, line: u32, writer: &mut Writer) {
    let tree = Tree::parse(html);
    render::render(&tree, 0, line.saturating_sub(1), writer);
}
