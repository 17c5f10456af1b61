//! Reads Markdown and MDX, with front matter and the dialects of documentation generators.

mod front;
mod nesting;
mod render;
mod source;
use super::writer::Writer;
use crate::document::Document;

/// How a text is read.
#[derive(Clone, Copy, Default)]
pub(super) struct Dialect {
    /// Whether the text contains JSX.
    pub(super) jsx: bool,
    /// Whether links keep their addresses.
    pub(super) addresses: bool,
}

/// Reads a Markdown file.
pub(super) fn read(text: &str) -> Document {
    read_as(text, Dialect::default())
}

/// Reads an MDX file: imports and tags are dropped, their text is kept.
pub(super) fn read_mdx(text: &str) -> Document {
    read_as(
        text,
        Dialect {
            jsx: true,
            ..Dialect::default()
        },
    )
}

/// Reads a whole file of a dialect.
pub(super) fn read_as(text: &str, dialect: Dialect) -> Document {
    let mut writer = Writer::default();
    let front = front::read(text);
    if let Some(title) = &front.title {
        writer.title(title);
    }
    if let Some(description) = &front.description {
        writer.paragraph(1, description);
    }
    let body = text.get(front.end..).unwrap_or_default();
    write(body, front.lines, dialect, &mut writer);
    writer.finish()
}

/// Writes a Markdown text that is embedded in another file after `line_offset` lines.
pub(super) fn write(text: &str, line_offset: u32, dialect: Dialect, writer: &mut Writer) {
    let text = nesting::limited(text);
    let text = source::plain_markdown(&text, dialect.jsx);
    render::render(&text, line_offset, dialect, writer);
}
