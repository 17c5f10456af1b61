//! What a reader makes of a file: headings, text, examples and tables in reading order.

use recall_kit_sanitizer::remove_invisible;
use serde::{Deserialize, Serialize};

/// One file, read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// What the file calls itself, where it does.
    pub title: Option<String>,
    /// The contents in reading order.
    pub blocks: Vec<Block>,
    /// What had to be assumed to make text of its bytes, in words; nothing for intact UTF-8.
    pub note: Option<String>,
}

impl Document {
    /// Removes invisible characters, and texts that consist of them.
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
    /// Line of the source file, from 1; the page in a PDF; 0 where it is not known.
    pub line: u32,
    /// What stands there.
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
        /// The fragment that leads there.
        anchor: Option<String>,
    },
    /// A paragraph, a quotation or a whole list, as Markdown.
    Text(String),
    /// An example, verbatim, without its fence.
    Code {
        /// The language as the file writes it.
        language: Option<String>,
        /// The lines, without a last line break.
        text: String,
        /// The file's own caption.
        caption: Option<String>,
    },
    /// A Markdown table with its header row.
    Table(String),
}
