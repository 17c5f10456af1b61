//! Formats a sanitized draft for the terminal: wrapped at words, with coloured replacements.

#[cfg(test)]
mod tests;

use recall_kit_client::SanitizedDraft;

use crate::{
    terminal::{
        controls::visible,
        layout::Page,
        printer::{YELLOW, styled},
    },
    words::Words,
};

/// Formats the fields of a draft.
pub(crate) fn fields(draft: &SanitizedDraft, words: &Words, page: Page) -> String {
    let marked = |text: &str| marked(&visible(text), draft.replacements());
    page.wrap(&words.fields_as(draft, marked), 0)
}

/// Colours each of `replacements` in a text; if several match at a position, the first one is used.
fn marked(text: &str, replacements: &[String]) -> String {
    let mut marked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let here = replacements.iter().find(|it| rest.starts_with(it.as_str()));
        let length = match here {
            Some(replacement) => {
                marked.push_str(&styled(YELLOW, replacement));
                replacement.len()
            }
            None => {
                marked.push(first);
                first.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    marked
}
