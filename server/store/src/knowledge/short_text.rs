//! The text of an entry that is short enough to be kept in memory.

use crate::EntryContent;

/// The maximum length of a [`ShortText`]'s content, in characters.
pub const SHORT_CHARS: u32 = 400;

/// The text of a short entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortText {
    /// Its content, not empty.
    pub content: String,
    /// The conversation from which it comes.
    pub context: Option<String>,
}

impl ShortText {
    /// Returns the short text of an entry; `None` if the content is empty or too long.
    pub fn of(content: &EntryContent) -> Option<Self> {
        let text = &content.content;
        let is_short = text.chars().count() <= SHORT_CHARS as usize;
        (is_short && !text.is_empty()).then(|| Self {
            content: text.clone(),
            context: content.context.clone(),
        })
    }
}
