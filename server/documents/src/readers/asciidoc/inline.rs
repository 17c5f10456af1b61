//! AsciiDoc's inline markup as plain text; code spans are kept.

use crate::readers::navigation::links::{END, START};

/// Returns a text without links, anchors and emphasis.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '_', '[', '<', '+']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = element(from, &mut out);
    }
    out.push_str(rest);
    out.trim().to_owned()
}

/// The largest distance between a mark and its partner; for an unclosed mark, not the whole text must be
/// searched.
const MAX_SPAN: usize = 500;
/// Longer addresses are treated as text.
const MAX_ADDRESS: usize = 2_000;

fn element<'a>(from: &'a str, out: &mut String) -> &'a str {
    let near = from
        .get(..from.floor_char_boundary(MAX_SPAN))
        .unwrap_or(from);
    let found = if near.starts_with('`') {
        span(near, "`").map(|(inner, end)| (format!("`{}`", inner.trim_matches('+')), end))
    } else if near.starts_with("**") || near.starts_with("__") {
        let mark = near.get(..2).unwrap_or_default();
        span(near, mark).map(|(inner, end)| (inner.to_owned(), end))
    } else if near.starts_with(['*', '_']) && starts_word(out) {
        let mark = near.get(..1).unwrap_or_default();
        span(near, mark)
            .filter(|(inner, _)| !inner.starts_with(' ') && !inner.ends_with(' '))
            .map(|(inner, end)| (inner.to_owned(), end))
    } else if near.starts_with("<<") {
        near.find(">>").map(|end| {
            let inner = near.get(2..end).unwrap_or_default();
            let text = inner.split_once(',').map_or(inner, |(_, text)| text.trim());
            (marked(text), end + 2)
        })
    } else if near.starts_with("[[") {
        near.find("]]").map(|end| (String::new(), end + 2))
    } else if near.starts_with('[') {
        link(near, out)
    } else {
        None
    };
    if let Some((text, end)) = found {
        out.push_str(&text);
        return from.get(end..).unwrap_or_default();
    }
    let mut chars = from.chars();
    out.extend(chars.next());
    chars.as_str()
}

fn starts_word(out: &str) -> bool {
    out.chars()
        .next_back()
        .is_none_or(|it| !it.is_alphanumeric())
}

fn span<'a>(near: &'a str, mark: &str) -> Option<(&'a str, usize)> {
    let inner = near.get(mark.len()..)?;
    let end = inner.find(mark).filter(|it| *it > 0)?;
    Some((inner.get(..end)?, end + mark.len() * 2))
}

/// Reads `https://example.org[text]`, `link:page[text]`, `xref:page[text]`: returns the text alone.
fn link(near: &str, out: &mut String) -> Option<(String, usize)> {
    // Addresses are short; a long word must not be scanned again for each bracket after it.
    let from = out.ceil_char_boundary(out.len().saturating_sub(MAX_ADDRESS));
    let near_end = out.get(from..)?;
    let space = near_end.rfind(char::is_whitespace);
    let word = space.map_or(from, |it| from + it + 1);
    // White space may be longer than one byte.
    let word = out.ceil_char_boundary(word);
    let address = out.get(word..)?;
    let known = [
        "http://", "https://", "link:", "xref:", "mailto:", "kbd:", "image:",
    ]
    .iter()
    .find(|it| address.starts_with(**it))?;
    let end = near.find(']')?;
    let text = near.get(1..end)?.trim_end_matches('^');
    let text = if text.is_empty() && known.starts_with("http") {
        address.to_owned()
    } else {
        text.to_owned()
    };
    let leads = !matches!(*known, "kbd:" | "image:");
    let text = if leads { marked(&text) } else { text };
    out.truncate(word);
    Some((text, end + 1))
}

/// Returns the words of a link between link markers.
fn marked(text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("{START}{text}{END}"),
    }
}
