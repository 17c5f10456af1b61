//! The text of an entry that is short enough to be kept in memory.

use crate::EntryContent;

/// The most characters of a [`ShortText`].
pub const SHORT_CHARS: u32 = 400;

/// What a short entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortText {
    /// Its content, not empty.
    pub content: String,
    /// The conversation that it comes from.
    pub context: Option<String>,
}

impl ShortText {
    /// Takes it of a whole entry; `None` of a long one or one without content.
    pub fn of(content: &EntryContent) -> Option<Self> {
        let text = &content.content;
        let is_short = text.chars().count() <= SHORT_CHARS as usize;
        (is_short && !text.is_empty()).then(|| Self {
            content: text.clone(),
            context: content.context.clone(),
        })
    }
}
