//! The result of reading a file: headings, text, examples and tables in reading order.

use recall_kit_sanitizer::remove_invisible;
use serde::{Deserialize, Serialize};

/// The contents of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The title in the file, if it has one.
    pub title: Option<String>,
    /// The contents in reading order.
    pub blocks: Vec<Block>,
    /// What had to be assumed to decode its bytes, as a sentence; `None` for valid UTF-8.
    pub note: Option<String>,
}

impl Document {
    /// Removes invisible characters, and text blocks that consist of them.
    pub(super) fn remove_invisible(&mut self) {
        if let Some(title) = &mut self.title {
            remove_invisible(title);
        }
        self.blocks.retain_mut(|block| match &mut block.kind {
            BlockKind::Heading { text, .. } => {
                remove_invisible(text);
                true
            }
            BlockKind::Code { text, caption, .. } => {
                if let Some(caption) = caption {
                    remove_invisible(caption);
                }
                remove_invisible(text);
                true
            }
            BlockKind::Text(text) | BlockKind::Table(text) => {
                remove_invisible(text) == 0 || !text.trim().is_empty()
            }
        });
    }
}

/// One heading, paragraph, list, example or table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Line in the source file, from 1; the page in a PDF; 0 if it is not known.
    pub line: u32,
    /// The content of the block.
    pub kind: BlockKind,
}

/// The kinds of [`Block`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    /// A heading; everything up to the next one of its level or above belongs to it.
    Heading {
        /// 1 is the outermost.
        level: u8,
        /// One line, without markup.
        text: String,
        /// The fragment of a URL that points to it.
        anchor: Option<String>,
    },
    /// A paragraph, a quotation or a whole list, as Markdown.
    Text(String),
    /// An example, verbatim, without its fence.
    Code {
        /// The language tag in the file.
        language: Option<String>,
        /// The lines, without the last line break.
        text: String,
        /// The caption in the file.
        caption: Option<String>,
    },
    /// A Markdown table with its header row.
    Table(String),
}
