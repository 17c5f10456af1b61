//! Reads `llms.txt`: Markdown that consists of links, so they keep their addresses.

use super::markdown::{self, Dialect};
use crate::document::Document;

/// Reads the file: its title, its description, its lists of links.
///
/// *Source*: llmstxt.org.
pub(super) fn read(text: &str) -> Document {
    markdown::read_as(
        text,
        Dialect {
            addresses: true,
            ..Dialect::default()
        },
    )
}
